package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.script

# What the first start makes of roles, and who logs in as others; see walguard.model.

facts contains {"roles": made_roles} if count(made_roles) > 0

# Bitnami's image gives its user LOGIN CREATEDB (libpostgresql.sh), Red Hat's nothing (common.sh, createuser).
made_roles := array.concat(
	[{"name": made_role, "superuser": false, "createdb": true, "createrole": false, "secrets": []} |
		layout == "bitnami"
		plain_first_start
	],
	[{"name": user, "superuser": false, "createdb": false, "createrole": false, "secrets": []} |
		layout == "sclorg"
		server.product.published
		by_entrypoint
		user := first_of(["POSTGRESQL_USER"]).value
		user != "postgres"
	],
)

# The official image makes POSTGRES_USER alone, its superuser; scripts of the first start may make others.
facts contains {"absent_roles": {"names": ["postgres", "root"], "made": superuser, "variable": "POSTGRES_USER"}} if {
	layout == "docker"
	by_entrypoint
	server.product.published
	not unknown(["POSTGRES_USER"])
	superuser := first_of(["POSTGRES_USER"]).value
	regex.match(`^[A-Za-z0-9_]+$`, superuser)
	not superuser in {"postgres", "root"}
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d")]) == 0
}

facts contains {"hooks": hooks} if count(hooks) > 0

hooks := array.concat(
	[{"words": sprintf("The %s hook", [hook]), "role": role, "text": text, "path": path} |
		server
		some hook in ["postStart", "preStop"]
		path := array.concat(container_path, ["lifecycle", hook, "exec", "command"])
		text := script.filled(concat(" ", [word | some word in get.list(k8s.object, path); is_string(word)]), {name: variable.value | some name, variable in variables})
		role := only_login(text)
	],
	[{"words": sprintf("Container %s", [shared.name_or(one, i)]), "role": role, "text": text, "path": array.concat(place_of, [field])} |
		server
		some i, one in get.list(k8s.object, array.concat(pod_path, ["containers"]))
		place_of := array.concat(pod_path, ["containers", i])
		place_of != container_path
		field := [name | some name in ["args", "command"]; count(get.list(one, name)) > 0][0]
		text := script.filled(
			concat(" ", [word | some name in ["command", "args"]; some word in get.list(one, name); is_string(word)]),
			{name: value | some name, k in get.named(get.list(one, "env")); value := get.string(one.env[k], "value")},
		)
		regex.match(`\s(-h\s*|--host[= ])["']?(localhost|127\.0\.0\.1)\b`, text)
		role := only_login(text)
	],
)

only_login(text) := logins[0] if {
	logins := script.logins(text)
	count({role | some role in logins}) == 1
}
