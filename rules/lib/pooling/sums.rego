package walguard.lib.pooling

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.placeholder

# METADATA
# description: |
#   True of a container whose entrypoint, edoburu's, writes MD5 sums of the passwords into userlist.txt: unless AUTH_TYPE is plain or scram-sha-256. With a sum PgBouncer cannot log in to a server that has SCRAM
#   secrets, as all have that initdb of 14 or later made. `values`: of its variables.
writes_sums(container, values) if {
	image.repository(get.string(container, "image")) == "docker.io/edoburu/pgbouncer"
	object.get(values, "AUTH_TYPE", "md5") == "md5"
	count([1 | some variable in get.list(container, "env"); get.string(variable, "name") == "AUTH_TYPE"; not get.present(variable, "value")]) == 0
	count(get.list(container, "envFrom")) == 0
	count([1 | some mounted in get.list(container, "volumeMounts"); startswith(get.string(mounted, "mountPath"), "/etc/pgbouncer")]) == 0
}

# METADATA
# description: What is written there as "pooler_sums" of walguard.model has it. Before 1.19 the entrypoint writes sums for scram-sha-256 as well.
sums_by_variable(container) := object.union({"value": "AUTH_TYPE md5", "origin": "written", "variable": "AUTH_TYPE"}, {"cure": "Set AUTH_TYPE to plain, or take 1.19 or newer and scram-sha-256" | regex.match(`^v?1\.([0-9]|1[0-7])(\.|-|$)`, image.tag(get.string(container, "image")))})

# METADATA
# description: |
#   True of a pgbouncer.ini whose users log in to the server by its auth_file, which holds nothing but MD5 sums ("md5" and 32 digits): in sight among the volumes of the pod, or as a command of its makes them by md5sum.
lists_sums(ini, pod) if {
	regex.match(`(?m)^\s*auth_file\s*=`, ini)
	not regex.match(`(?m)^\s*%include|^\s*auth_query\s*=|^\s*auth_user\s*=|\bpassword\s*=|\bauth_user\s*=`, ini)
	sums_for(pod)
}

# METADATA
# description: What is said of it in the same form.
sums_by_list(name) := {"value": sprintf("the auth_file of %s", [name]), "variable": "auth_type", "cure": "Write the passwords themselves into auth_file, and set auth_type to scram-sha-256"}

sums_for(pod) if {
	some container_of in array.concat(get.list(pod, "containers"), get.list(pod, "initContainers"))
	command := concat(" ", [word | some field in ["command", "args"]; some word in get.list(container_of, field); is_string(word)])
	regex.match(`md5\$\([^)]*md5sum|"md5[0-9a-f]{32}"`, replace(command, `\"`, `"`))
}

sums_for(pod) if {
	some volume in get.list(pod, "volumes")
	some list in lists(volume)
	regex.match(`(?m)^\s*"[^"]+"\s+"md5[0-9a-f]{32}"`, list)
	not regex.match(`(?m)^\s*"[^"]+"\s+"([^m"][^"]*|SCRAM[^"]*)"`, list)
}

# METADATA
# description: The texts of a volume of ConfigMaps and Secrets in sight.
lists(volume) := [entry.text |
	some source in files.sources(volume)
	some entry in files.entries(files.holder(source))
	not placeholder.unknown(entry.text)
]
