# METADATA
# description: |
#   Password files of libpq (PGPASSFILE, ~/.pgpass) that Kubernetes mounts from a Secret or ConfigMap, and that libpq takes nothing from. One has a mode that it refuses: it reads a file only when neither group nor others may. One is root's alone, and another user runs. A Secret's files have mode
#   0644 unless defaultMode says otherwise, belong to root, and become readable by the group where the pod has an fsGroup. Read are CronJobs, Jobs, Deployments and StatefulSets whose
#   environment, command or password file names the cluster.
# related_resources:
#   - https://www.postgresql.org/docs/current/libpq-pgpass.html
package walguard.model.passfiles

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.dumps

# METADATA
# description: '[{"file", "mode": as text, "grouped": true where an fsGroup made it so, "client": kind and name, "level"?: severity, "path", "resource"}]'
refused := [object.union(object.remove(one, ["source", "pod", "lines", "sure", "user"]), object.union({"mode": octal(mode), "grouped": grouped}, {"level": "error" | one.sure})) |
	some one in mounted_files
	not formless(one)
	grouped := object.get(one.pod, ["securityContext", "fsGroup"], null) != null
	mode := with_group(mode_of(one.source), grouped)
	mode % 64 > 0
]

# METADATA
# description: |
#   Those without a line of the form host:port:database:user:password, mostly a Secret with the password alone: [{"file", "client", "path", "resource"}].
unformed := [object.remove(one, ["source", "pod", "lines", "sure", "user"]) |
	some one in mounted_files
	formless(one)
]

# METADATA
# description: |
#   Those that their own mode keeps from a user other than root, whose they are: [{"file", "mode", "user": its number, "client", "level"?: severity, "path", "resource"}].
unreadable := [object.union(object.remove(one, ["source", "pod", "lines", "sure"]), object.union({"mode": octal(mode)}, {"level": "error" | one.sure})) |
	some one in mounted_files
	one.user > 0
	not formless(one)
	object.get(one.pod, ["securityContext", "fsGroup"], null) == null
	mode := mode_of(one.source)
	mode % 64 == 0
]

# What libpq passes over (passwordFromFile of fe-connect.c): a colon in a field has a backslash before it.
formless(one) if {
	count(one.lines) > 0
	every text in one.lines {
		not placeholder.holds(text)
		not regex.match(`(?m)^[^#\n:]+:[^\n:]+:[^\n:]+:[^\n:]+:.`, replace(text, `\:`, ""))
	}
}

mounted_files := [{"file": file, "client": sprintf("%s %s", [pod.resource.kind, pod.resource.name]), "path": array.concat(pod.path, ["volumes", k]), "resource": pod.resource, "source": source, "pod": pod.spec, "lines": lines, "sure": relies_on_it(container), "user": user_of(container, pod.spec)} |
	some pod in pods
	some container in get.list(pod.spec, "containers")
	variables := {name: get.string(container.env[i], "value") | some name, i in get.named(get.list(container, "env"))}
	count([1 | some variable in get.list(container, "env"); get.string(variable, "name") == "PGPASSWORD"]) == 0
	some mounted in get.list(container, "volumeMounts")
	some file in files_of(mounted, variables, container, pod.spec)
	some k, volume in get.list(pod.spec, "volumes")
	get.string(volume, "name") == get.string(mounted, "name")
	some [field, key] in [["secret", "secretName"], ["configMap", "name"]]
	source := get.map(volume, field)
	get.string(source, key)
	lines := [seen.text | some seen in files.mounted(container, [volume]); seen.file == file]
	concerned(container, lines)
]

files_of(mounted, variables, container, pod) := {file | file := file_of(mounted, variables)} | {file | some file in named_to_pgadmin(container, pod, variables); mount.within(file, mount.clean(get.string(mounted, "mountPath")))}

# PassFile in servers.json of pgAdmin: below the directory of its user, except where it runs for one person alone (SERVER_MODE).
named_to_pgadmin(container, pod, variables) := {file |
	contains(get.string(container, "image"), "pgadmin4")
	some seen in files.mounted(container, get.list(pod, "volumes"))
	some match in regex.find_all_string_submatch_n(`"PassFile":\s*"([^"]+)"`, seen.text, -1)
	some place in places_of_pgadmin(container, variables)
	file := mount.clean(concat("/", [place, trim_prefix(match[1], "/")]))
}

places_of_pgadmin(_, variables) := {""} if get.lower_case(variables.PGADMIN_CONFIG_SERVER_MODE) == "false"

places_of_pgadmin(container, variables) := {regex.replace(mount.clean(get.string(mounted, "mountPath")), `^(/var/lib/pgadmin/storage/[^/]+).*`, "$1") |
	some mounted in get.list(container, "volumeMounts")
	startswith(get.string(mounted, "mountPath"), "/var/lib/pgadmin/storage/")
} if {
	not get.lower_case(variables.PGADMIN_CONFIG_SERVER_MODE) == "false"
}

# A container's own setting goes before its pod's; what the image says is not known.
user_of(container, pod) := object.get(container, ["securityContext", "runAsUser"], object.get(pod, ["securityContext", "runAsUser"], 0))

# A program of libpq in its command, which takes no other password and makes no other file of it.
default relies_on_it(_) := false

relies_on_it(container) if {
	line := concat(" ", array.concat([word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)], [""]))
	regex.match(`(^|[\s/;&|("])(psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup)\s`, line)
	not regex.match(`(?i)pass|chmod|install|\bcp\b|secret|://|service=`, line)
	count(get.list(container, "envFrom")) == 0
	count([1 | some variable in get.list(container, "env"); get.string(variable, "name") in {"PGSERVICE", "PGSERVICEFILE", "PGSSLCERT"}]) == 0
}

octal(mode) := sprintf("0%d%d%d", [floor(mode / 64) % 8, floor(mode / 8) % 8, mode % 8])

file_of(mounted, variables) := mount.clean(variables.PGPASSFILE) if {
	mount.within(mount.clean(variables.PGPASSFILE), mount.clean(get.string(mounted, "mountPath")))
}

file_of(mounted, variables) := mount.clean(get.string(mounted, "mountPath")) if {
	not "PGPASSFILE" in object.keys(variables)
	endswith(get.string(mounted, "mountPath"), "/.pgpass")
	get.string(mounted, "subPath")
}

mode_of(source) := modes[0] if {
	modes := [mode | some item in get.list(source, "items"); mode := get.number(item, "mode")]
	count(modes) == 1
}

mode_of(source) := object.get(source, "defaultMode", 420) if {
	count([1 | some item in get.list(source, "items"); get.present(item, "mode")]) == 0
	is_number(object.get(source, "defaultMode", 420))
}

# The kubelet lets the group read what has an fsGroup.
with_group(mode, false) := mode

with_group(mode, true) := mode if floor(mode / 32) % 2 == 1

with_group(mode, true) := mode + 32 if floor(mode / 32) % 2 == 0

hosts := {host | some host in get.list(model.cluster, "hosts"); host != ""}

# By its command, its variables, or the file itself, as with pgAdmin.
concerned(container, lines) if {
	texts := array.concat(
		[word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)],
		[value | some variable in get.list(container, "env"); value := get.string(variable, "value")],
	)
	some one in array.concat(texts, [split(line, ":")[0] | some text in lines; some line in split(text, "\n")])
	some found in regex.find_n(`[A-Za-z0-9][A-Za-z0-9.-]*`, one, -1)
	split(found, ".")[0] in hosts
}

pods := array.concat(
	[{"spec": job.pod, "path": ["spec", "jobTemplate", "spec", "template", "spec"], "resource": job.resource} |
		count(hosts) == 0
		some job in dumps.all
	],
	[{"spec": made.pod, "path": made.path, "resource": made.resource} |
		count(hosts) > 0
		some made in workloads.clients
	],
)
