package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Who is to log in, as programs beside the server say it, and as whom the first start makes it; see walguard.model.

facts contains {"strange_logins": strange_logins} if count(strange_logins) > 0

strange_logins := array.concat(array.concat(unset_database, unnamed_database), array.concat(mismatched, unset_role))

mismatched := array.concat(
	[{"client": one.client, "what": "role", "asked": one.role.value, "made": made_role, "variable": role_variable, "path": one.role.path, "resource": one.role.resource} |
		plain_start
		count([1 | some one in client_logins; not one.role]) == 0
		count([1 | some one in client_logins; one.role.value == made_role]) == 0
		some one in client_logins
		not endswith(one.role.value, "\n")
		not one.role.value in roles_made
	],
	[{"client": one.client, "what": "database", "asked": one.database.value, "made": made_database, "variable": database_variable, "path": one.database.path, "resource": one.database.resource} |
		plain_start
		count([1 | some one in client_logins; not one.database]) == 0
		count([1 | some one in client_logins; one.database.value == made_database]) == 0
		some one in client_logins
		not endswith(one.database.value, "\n")
		not one.database.value in {made_database, "postgres", "template1"}
	],
)

# Without a name for it the first start makes that of the superuser alone. Whoever makes databases by hand makes roles as well, so that only clients with the role of the first start tell of one that
# was forgotten; libraries that take a whole address (but JDBC) often create what is missing.
unset_database := [{"client": one.client, "what": "database", "asked": one.database.value, "made": superuser, "variable": said, "path": one.database.path, "resource": one.database.resource} |
	plain_start
	[superuser, said] := made_without_name
	not unknown(database_variables)
	not unknown(role_variables)
	not from_secret
	count([1 | some one in users_of_server; not asks_as(one, default_role)]) == 0
	count({one.database.value | some one in users_of_server}) == 1
	some one in users_of_server
	not one.creates
	not one.database.value in {superuser, "postgres", "template1"}
]

made_without_name := [default_role, sprintf("%s is not set", [database_variables[count(database_variables) - 1]])] if not first_of(database_variables)

# It is there anyway, and nothing else is made.
made_without_name := ["postgres", database_variable] if first_of(database_variables).value == "postgres"

# A role beside that of the superuser, whose password lies in the Secret of the server itself: charts do so that make the role from the variables which this server was not given.
unset_role := [{"client": one.client, "what": "role", "asked": one.role.value, "made": "postgres", "variable": sprintf("%s is not set", [role_variables[count(role_variables) - 1]]), "path": one.role.path, "resource": one.role.resource} |
	plain_start
	not first_of(role_variables)
	not unknown(role_variables)
	not first_of(database_variables)
	not unknown(database_variables)
	not from_secret
	count([1 | some one in users_of_server; not by_secret_of_server(one)]) == 0
	count({one.role.value | some one in users_of_server}) == 1
	some one in users_of_server
	one.role.value != "postgres"
]

by_secret_of_server(one) if {
	one.role.value != ""
	one.taken
}

# A CronJob that dumps a database knows that it is there.
users_of_server := [one | some one in client_logins; not startswith(one.client, "CronJob ")]

asks_as(one, role) if {
	one.role.value == role
	one.database
}

default_role := "postgres" if not first_of(role_variables)

default_role := "postgres" if {
	layout == "bitnami"
	first_of(role_variables).value == "postgres"
}

default_role := first_of(role_variables).value if {
	layout == "docker"
	regex.match(`^[A-Za-z0-9_-]+$`, first_of(role_variables).value)
}

# libpq and the driver of postgres_exporter ask for the database that is called as the role.
unnamed_database := [object.union(
	{"client": sprintf("container %s", [shared.name_or(one.container, one.number)]), "what": "database", "asked": role, "made": made_database, "variable": database_variable, "unnamed": true, "level": "info", "path": array.concat(one.path, ["env", i, "value"])},
	object.filter(one, ["resource"]),
) |
	plain_first_start
	some one in clients
	regex.match(`postgres(ql)?[-_]exporter`, get.string(one.container, "image"))
	count([1 | some variable in get.list(one.container, "env"); get.string(variable, "name") == "PGDATABASE"]) == 0
	some i, variable in get.list(one.container, "env")
	get.string(variable, "name") == "DATA_SOURCE_NAME"
	role := role_alone(get.string(variable, "value"), one.names)
	role in roles_made
	not role in {made_database, "postgres"}
]

# Of an address without a database.
role_alone(value, names) := parts[1] if {
	parts := regex.find_all_string_submatch_n(`^postgres(?:ql)?://([A-Za-z0-9_-]+)(?::[^/@]*)?@([A-Za-z0-9.-]+)(?::[0-9]+)?/?(?:\?([^,]*))?$`, value, 1)[0]
	is_here(parts[2], names)
	not contains(parts[3], "dbname=")
}

role_alone(value, names) := role if {
	regex.match(`^\s*[a-z_]+\s*=`, value)
	not regex.match(`\bdbname\s*=`, value)
	role := regex.find_all_string_submatch_n(`(?:^|\s)user\s*=\s*([A-Za-z0-9_-]+)(?:\s|$)`, value, 1)[0][1]
	host := regex.find_all_string_submatch_n(`(?:^|\s)host\s*=\s*([A-Za-z0-9.-]+)(?:\s|$)`, value, 1)[0][1]
	is_here(host, names)
}

plain_start if {
	plain_first_start
	count(client_logins) > 0
}

# The first start makes what the variables say, and nothing in sight makes more.
plain_first_start if {
	by_entrypoint
	layout in {"docker", "bitnami"}
	server.product.published
	not standby
	count([1 | some mounted in mounts; regex.match(`^/docker-entrypoint-(pre)?initdb\.d`, mounted.directory)]) == 0
	not get.present(container, ["lifecycle", "postStart"])
	count([1 | some text in client_commands; regex.match(`(?i)\bcreate\s+(user|role|database)\b|\bcreate(db|user)\b|\bdb:(create|setup|[a-z_]*prepare)\b`, text)]) == 0
}

role_variables := ["POSTGRESQL_USERNAME", "POSTGRES_USERNAME", "POSTGRES_USER"] if layout == "bitnami"

role_variables := ["POSTGRES_USER"] if layout == "docker"

database_variables := ["POSTGRESQL_DATABASE", "POSTGRES_DATABASE", "POSTGRES_DB"] if layout == "bitnami"

database_variables := ["POSTGRES_DB"] if layout == "docker"

made_role := first_of(role_variables).value if {
	not unknown(role_variables)
	regex.match(`^[A-Za-z0-9_-]+$`, first_of(role_variables).value)
	first_of(role_variables).value != "postgres"
}

role_variable := [name | some name in role_variables; variables[name].value != ""][0]

roles_made := {made_role} if layout == "docker"

roles_made := {made_role, "postgres"} if layout == "bitnami"

made_database := first_of(database_variables).value if {
	not unknown(database_variables)
	regex.match(`^[A-Za-z0-9_-]+$`, first_of(database_variables).value)
	first_of(database_variables).value != "postgres"
}

database_variable := [name | some name in database_variables; variables[name].value != ""][0]

# What stands before "HOST" in the name of a variable that names the host of a database.
before_host(name) := prefix if {
	prefix := regex.find_all_string_submatch_n(`^(.*?)(?:HOST|HOSTNAME|SERVER|ADDR|ADDRESS)$`, name, 1)[0][1]
	regex.match(`DB|DATABASE|PG|POSTGRES|SQL`, prefix)
}

# Containers of the namespace that name a Service of the server, with role and database as far as they say them.
client_logins := array.concat(
	[object.union_n([
		{"client": one.client},
		{"taken": true | one.taken},
		{"role": found | found := told(one, array.concat([prefix], [trim_suffix(prefix, "URL_")]), ["USER", "USERNAME", "USER_NAME", "LOGIN"])},
		{"database": found | found := told(one, [prefix], ["NAME", "DB", "DATABASE", "DBNAME", "DB_NAME", "DATABASE_NAME"])},
	]) |
		some one in client_containers
		some name, variable in one.variables
		prefix := before_host(name)
		leads_home(regex.replace(variable.value, `:5432$`, ""))
	],
	[object.union_n([
		{"client": one.client},
		{"role": object.union(variable, {"value": parts[1]}) | parts[1] != ""},
		{"database": object.union(variable, {"value": parts[3]})},
		{"creates": true | not startswith(variable.value, "jdbc:")},
	]) |
		some one in client_containers
		some variable in one.variables
		parts := regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:([^:/@?]+)(?::[^/@]*)?@)?([A-Za-z0-9.-]+)(?::5432)?/([A-Za-z0-9_-]+)(?:\?|$)`, variable.value, 1)[0]
		leads_home(parts[2])
	],
)

told(one, prefixes, names) := found[0] if {
	found := [one.variables[name] | some prefix in prefixes; some end in names; name := concat("", [prefix, end]); one.variables[name].value != ""]
	count(found) > 0
}

leads_home(host) if {
	some own in hosts
	own != ""
	parts := split(host, ".")
	parts[0] == own
	array.concat(parts, [k8s.namespace])[1] == k8s.namespace
}

client_containers := [object.union({"client": one.made.words, "container": one.container, "variables": told_by(one), "urls": urls_of(one)}, {"taken": true | takes_password(one.container)}) |
	asked_by_clients
	some one in workloads.containers
	not workloads.itself(one.made)
]

asked_by_clients if count(hosts) > 0

asked_by_clients if workloads.pooler_alone

# By a variable of its own that says so.
takes_password(client_container) if {
	some variable in get.list(client_container, "env")
	regex.match(`(?i)pass|pwd`, get.string(variable, "name"))
	get.string(variable, ["valueFrom", "secretKeyRef", "name"]) in secrets_of_server
}

client_commands := [concat(" ", [word | some field in ["command", "args"]; some word in get.list(one.container, field); is_string(word)]) |
	some one in workloads.containers
]

# What is known of the variables of a container; the name in capitals.
told_by(one) := {name: {"value": value, "path": array.concat(one.path, ["env", i]), "resource": one.made.resource} |
	listed := get.list(one.container, "env")
	some name, i in get.last_of_each([[get.upper_case(of), k] | some k, variable in listed; of := get.string(variable, "name")])
	value := login.bare(said_by(listed[i]))
	not contains(value, "$(")
	not placeholder.unknown(value)
}

# Of several that stand there, which the API server refuses, the first.
said_by(variable) := value if {
	value := get.string(variable, "value")
} else := value if {
	reference := get.map(variable, ["valueFrom", "configMapKeyRef"])
	value := get.string(inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(reference, "name")), ["data", get.string(reference, "key")])
} else := value if {
	reference := get.map(variable, ["valueFrom", "secretKeyRef"])
	value := login.raw(inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(reference, "name")), get.string(reference, "key"))
}
