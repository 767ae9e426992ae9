package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login

# PgBouncer logs in with what its auth_file has for the user: a sum where that is one ("md5" and 32 digits, as people make it by md5sum), with which it cannot answer a server that has SCRAM secrets.
facts contains {"pooler_sums": {"value": sprintf("the auth_file of %s", [get.string(one.made, ["metadata", "name"])]), "variable": "auth_type", "cure": "Write the passwords themselves into auth_file, and set auth_type to scram-sha-256", "path": one.path, "resource": k8s.reference(one.source)}} if {
	has_secrets
	some one in pooling_by_file
	ini := get.string(one.source, ["data", "pgbouncer.ini"])
	regex.match(`(?m)^\s*auth_file\s*=`, ini)
	not regex.match(`(?m)^\s*%include|^\s*auth_query\s*=|^\s*auth_user\s*=|\bpassword\s*=|\bauth_user\s*=`, ini)
	sums_for(one.made)
}

sums_for(made) if {
	some container_of in array.concat(get.list(made, ["spec", "template", "spec", "containers"]), get.list(made, ["spec", "template", "spec", "initContainers"]))
	command := concat(" ", [word | some field in ["command", "args"]; some word in get.list(container_of, field); is_string(word)])
	regex.match(`md5\$\([^)]*md5sum|"md5[0-9a-f]{32}"`, replace(command, `\"`, `"`))
}

# A list in sight, which holds nothing but sums.
sums_for(made) if {
	some volume in get.list(made, ["spec", "template", "spec", "volumes"])
	some list in lists_of(volume)
	regex.match(`(?m)^\s*"[^"]+"\s+"md5[0-9a-f]{32}"`, list)
	not regex.match(`(?m)^\s*"[^"]+"\s+"([^m"][^"]*|SCRAM[^"]*)"`, list)
}

lists_of(volume) := array.concat(
	[text | some _, text in get.map(inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(volume, ["configMap", "name"])), "data")],
	[text |
		secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(volume, ["secret", "secretName"]))
		some key in object.keys(object.union(get.map(secret, "data"), get.map(secret, "stringData")))
		text := login.field(secret, key)
	],
)
