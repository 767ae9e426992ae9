package walguard.model.logins

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: |
#   '{"client": in words, "role", "secret": that the operator makes for the role, "asked": the one that the client takes the password from, "path", "resource"}': programs that log in at this cluster as a role whose password the operator
#   makes up, with a Secret of the files which somebody else fills. Among files; a Secret that may be a copy says nothing.
foreign_secrets := [{"client": one.client, "role": role, "secret": own, "asked": one.secret, "path": one.path, "resource": one.resource} |
	not inventory.served
	some one in strangers
	role := role_of(one)
	secrets_of_role := {secret | some [secret, name] in pairs; name == role}
	count(secrets_of_role) == 1
	some own in secrets_of_role
	not named_by(k8s.object, own)
	given(one.secret)
	not copied(own)
]

# Containers that name the server and take a password from a Secret that is no role's.
strangers := [{"client": one.made.words, "resource": one.made.resource, "path": array.concat(one.path, ["env", i]), "variable": name, "secret": secret, "env": listed} |
	count(pairs) > 0
	some one in workloads.containers
	not workloads.itself(one.made)
	listed := get.list(one.container, "env")
	some i, variable in listed
	secret := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
	not by_secret[secret]
	name := get.string(variable, "name")
	regex.match(`PASS`, get.upper_case(name))
	not takes_an_address(listed, secret)
]

# DB_USER beside DB_HOST, which names the server.
role_of(one) := users_told[0] if {
	prefix := regex.find_all_string_submatch_n(`^(.*?)_?(?:PASSWORD|PASSWD|PASS|PWD)$`, get.upper_case(one.variable), 1)[0][1]
	prefix != ""
	told_of := {get.upper_case(name): value | some name, i in get.named(one.env); value := get.string(one.env[i], "value")}
	users_told := [value | some ending in users; value := told_of[concat("", [prefix, ending])]]
	count({value | some value in users_told}) == 1
	some ending in ["_HOST", "HOST", "_HOSTNAME", "_SERVER", "_ADDR", "_ADDRESS"]
	ours(told_of[concat("", [prefix, ending])])
} else := role if {
	some variable in one.env
	parts := regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://([A-Za-z_][A-Za-z0-9_-]*|\$\([A-Za-z0-9_]+\)):\$\(([A-Za-z0-9_]+)\)@([A-Za-z0-9.-]+)`, get.string(variable, "value"), 1)[0]
	parts[2] == one.variable
	ours(parts[3])
	role := literal(one.env, parts[1])
}

ours(host) if {
	parts := split(host, ".")
	parts[0] in get.list(model.cluster, "hosts")
	count([1 | count(parts) > 1; parts[1] != k8s.namespace]) == 0
}

literal(_, text) := text if not startswith(text, "$")

literal(env, text) := value if {
	startswith(text, "$")
	some name, i in get.named(env)
	name == trim(text, "$()")
	value := get.string(env[i], "value")
}

# Some object of the files is or makes the Secret.
given(secret) if inventory.namespaced_object(k8s.namespace, "v1", "Secret", secret)

given(secret) if {
	some made in external
	object.get(made, ["spec", "target", "name"], made.metadata.name) == secret
}

external := [made |
	some version in ["external-secrets.io/v1", "external-secrets.io/v1beta1"]
	some made in inventory.list(k8s.namespace, version, "ExternalSecret")
]

# Of a Secret that the resource names somebody else says what is in it.
named_by(made, secret) if contains(json.marshal(object.get(made, "spec", {})), sprintf("\"%s\"", [secret]))

# What is read from the Secret itself, or may be written to the store that others read.
copied(secret) if {
	some made in external
	named_by(made, secret)
}

copied(_) if {
	some version, kinds in get.map(inventory.handed, ["namespace", k8s.namespace])
	startswith(version, "external-secrets.io/")
	kinds.PushSecret
}

copied(_) if {
	annotations := get.map(k8s.object, ["spec", "inheritedMetadata", "annotations"])
	some name, _ in annotations
	regex.match(`reflector|replicat|kubed`, name)
}
