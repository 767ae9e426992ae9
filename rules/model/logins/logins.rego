# METADATA
# description: |
#   Programs of the namespace that take the password of one role from the Secret which the operator writes or reads for it, and log in as another role, or ask for a database that the operator does not make. See
#   roles, logins and databases_made of walguard.model.
package walguard.model.logins

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: '{"client": in words, "asked": the role that it names, "role": whose password it takes, "secret", "path", "resource"}, one for each variable.'
foreign_roles := [object.union(object.filter(one, ["client", "role", "secret", "resource"]), {"asked": one.user.value, "path": one.user.path}) |
	some one in with_a_password
	one.user
	one.user.value != one.role
]

# METADATA
# description: '{"client": in words, "asked": the database, "role", "reason", "outcome", "cure" as of databases_made, "path", "resource"}.'
foreign_databases := [object.union_n([object.filter(one, ["client", "role", "resource"]), object.filter(made, ["reason", "outcome", "cure"]), {"asked": one.database.value, "path": one.database.path}]) |
	made := model.cluster.databases_made
	some one in with_a_password
	one.database
	not one.database.value in array.concat(made.names, ["postgres", "template1"])
	of_that_role(made, one.role)
	not one.made_here
	count(creating) == 0
]

of_that_role(made, _) if not made.role

of_that_role(made, role) if made.role == role

# Whose password lies in a Secret, as far as it is one role's alone.
known := {secret: role |
	some secret, roles in by_secret
	count(roles) == 1
	some role in roles
}

by_secret := {secret: {name | some [other, name] in pairs; other == secret} | some [secret, _] in pairs}

pairs := array.concat(
	[[secret, role.name] | some role in get.list(model.cluster, "roles"); some secret in role.secrets],
	[[one.secret, one.role] | some one in get.list(model.cluster, "logins")],
)

# Roles that may create what they ask for.
creators := {role.name | some role in get.list(model.cluster, "roles"); some right in ["createdb", "superuser"]; role[right]}

with_a_password := array.concat(by_prefix, array.concat(composed, addressed))

# DB_PASSWORD from the Secret, and what stands beside it as DB_USER and DB_NAME.
by_prefix := [object.union_n([
	taken,
	{"user": found | found := told(taken.prefix, users, taken.variables)},
	{"database": found | found := told(taken.prefix, databases, taken.variables)},
]) |
	some taken in takers
	taken.prefix != ""
]

users := ["_USER", "USER", "_USERNAME", "USERNAME", "_USER_NAME", "_LOGIN"]

databases := ["_NAME", "_DB", "_DATABASE", "DATABASE", "_DBNAME", "_DB_NAME", "_DATABASE_NAME", "_URL_DATABASE"]

# One value alone: programs differ in which of two they read.
told(prefix, endings, variables) := found[0] if {
	names := array.concat([concat("", [prefix, ending]) | some ending in endings], [prefix | endswith(prefix, "USER"); endings == users])
	found := [variables[name] | some name in names]
	count({one.value | some one in found}) == 1
	found[0].value != ""
}

# postgresql://shop:$(DB_PASSWORD)@shop-db-rw/shop
composed := [object.union(taken, {"user": {"value": parts[1], "path": path}, "database": {"value": parts[3], "path": path}}) |
	some taken in takers
	some i, variable in get.list(taken.container, "env")
	value := get.string(variable, "value")
	contains(value, "$(")
	parts := regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://([A-Za-z_][A-Za-z0-9_-]*):\$\(([A-Za-z0-9_]+)\)@[A-Za-z0-9.-]+(?::[0-9]+)?/([A-Za-z0-9_-]+)(?:\?|$)`, value, 1)[0]
	parts[2] == taken.variable
	path := array.concat(taken.path, ["env", i])
]

# An address without a password: jdbc:postgresql://shop-db-rw:5432/shop
addressed := [object.union(taken, {"database": {"value": parts[2], "path": array.concat(taken.path, ["env", i])}}) |
	some taken in takers
	some i, variable in get.list(taken.container, "env")
	value := get.string(variable, "value")
	contains(value, "postgresql://")
	parts := regex.find_all_string_submatch_n(`^(?:jdbc:)?postgresql://([A-Za-z0-9-]+)(?:\.[A-Za-z0-9.-]*)?(?::[0-9]+)?/([A-Za-z0-9_-]+)(?:\?|$)`, value, 1)[0]
	parts[1] in get.list(model.cluster, "hosts")
]

takers := [object.union({"container": one.container, "client": one.made.words, "resource": one.made.resource, "path": one.path, "variable": name, "prefix": prefix, "secret": secret, "role": role, "variables": variables}, {"made_here": true | role in creators}) |
	count(known) > 0
	some one in workloads.containers
	not workloads.itself(one.made)
	listed := get.list(one.container, "env")
	some variable in listed
	secret := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
	role := known[secret]
	get.string(variable, ["valueFrom", "secretKeyRef", "key"]) in {"password", "pgpassword"}
	not takes_an_address(listed, secret)
	name := get.string(variable, "name")
	prefix := regex.find_all_string_submatch_n(`^(.*?)_?(?:PASSWORD|PASSWD|PASS|PWD)$`, get.upper_case(name), 1)[0][1]
	variables := {upper: {"value": shown_or_not(value), "path": array.concat(one.path, ["env", i])} |
		some of, i in get.named(listed)
		upper := get.upper_case(of)
		startswith(upper, prefix)
		value := get.string(listed[i], "value")
	}
]

# The whole of it, which programs prefer.
takes_an_address(listed, secret) if {
	some variable in listed
	reference := get.map(variable, ["valueFrom", "secretKeyRef"])
	get.string(reference, "name") == secret
	endswith(get.string(reference, "key"), "uri")
}

# What is put together elsewhere, and names that a pooler or a proxy reads otherwise, say nothing.
shown_or_not(value) := value if {
	regex.match(`^[A-Za-z_][A-Za-z0-9_-]*$`, value)
	not placeholder.unknown(value)
} else := ""

# METADATA
# description: |
#   '{"client": in words, "asked": the host that it names, "role", "secret", "own": the first Service of the cluster, "level"?: severity where it is certain, "path", "resource"}': programs that have the password of a role and look for the server at a name of this
#   namespace that no Service has, among files.
foreign_hosts := [object.union_n([
	object.filter(one, ["client", "role", "secret", "resource"]),
	{"asked": name, "own": get.list(model.cluster, "hosts")[0], "path": array.concat(one.path, ["env", i, "value"])},
	{"level": "error" | count(bringing) == 0},
]) |
	count(get.list(model.cluster, "hosts")) > 0
	not inventory.served
	some one in takers
	some i, variable in get.list(one.container, "env")
	some match in regex.find_all_string_submatch_n(form_of_host(one, get.upper_case(get.string(variable, "name"))), get.string(variable, "value"), 1)
	count({here | some here in ["", k8s.namespace]; trim_prefix(match[2], ".") == here}) == 1
	name := match[1]
	not name in array.concat(get.list(model.cluster, "hosts"), [model.cluster.name, "localhost"])
	not inventory.namespaced_object(k8s.namespace, "v1", "Service", name)
	not regex.match(`pool|bouncer|pgcat|odyssey|prox|replica|read|-repl$|standby`, name)
	count([1 | some other in bringing; startswith(name, other)]) == 0
]

# DB_HOST beside DB_PASSWORD, or an address with that.
form_of_host(one, name) := `^([a-z][a-z0-9-]*)((?:\.[a-z0-9-]+)?)(?:\.svc(?:\.cluster\.local)?)?(?::[0-9]+)?$` if {
	one.prefix != ""
	name in {concat("", [one.prefix, ending]) | some ending in ["_HOST", "HOST", "_HOSTNAME", "_URL_HOST", "_SERVER", "_ADDR", "_ADDRESS"]}
} else := sprintf(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://[^@/\s]*:\$\(%s\)@([a-z][a-z0-9-]*)((?:\.[a-z0-9-]+)?)(?:\.svc(?:\.cluster\.local)?)?(?::[0-9]+)?(?:[/?]|$)`, [one.variable]) if {
	regex.match(`^[A-Za-z0-9_]+$`, one.variable)
}

# What makes Services out of sight: objects of other kinds than Kubernetes' own, and other clusters of this operator.
bringing := {name |
	some version, kinds in get.map(inventory.handed, ["namespace", k8s.namespace])
	not regex.match(`^(v1|(apps|autoscaling|batch|policy|[a-z.]+\.k8s\.io|cert-manager\.io|external-secrets\.io|monitoring\.coreos\.com|route\.openshift\.io|barmancloud\.cnpg\.io)/.*)$`, version)
	some kind, objects in kinds
	not [version, kind] in [[k8s.api_version, "ScheduledBackup"], [k8s.api_version, "Backup"], [k8s.api_version, "Database"]]
	some name, _ in objects
	[kind, name] != [k8s.kind, k8s.name]
}

# Something in sight makes databases.
creating := [1 |
	some one in workloads.containers
	some field in ["image", "command", "args"]
	regex.match(`(?i)\bcreate\s+database\b|\bcreatedb\b|postgres-init|pg-init|db:(create|setup|prepare)`, json.marshal(object.get(one.container, field, "")))
]
