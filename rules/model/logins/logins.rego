# METADATA
# description: |
#   Programs of the namespace that take the password of one role from the Secret which the operator writes or reads for it, and log in as another role, or ask for a database that the operator does not make. See
#   roles, logins and databases_made of walguard.model.
package walguard.model.logins

import data.walguard.lib.get
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

# Something in sight makes databases.
creating := [1 |
	some one in workloads.containers
	some field in ["image", "command", "args"]
	regex.match(`(?i)\bcreate\s+database\b|\bcreatedb\b|postgres-init|pg-init|db:(create|setup|prepare)`, json.marshal(object.get(one.container, field, "")))
]
