package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.script

# What the first start makes of roles, and who logs in as others; see walguard.model.

facts contains {"roles": made_roles} if count(made_roles) > 0

# Bitnami's image gives its user LOGIN CREATEDB (libpostgresql.sh), Red Hat's nothing (common.sh, createuser).
made_roles := array.concat(
	[{"name": made_role, "superuser": false, "createdb": true, "createrole": false, "replication": false, "secrets": []} |
		layout == "bitnami"
		plain_first_start
	],
	[{"name": user, "superuser": false, "createdb": false, "createrole": false, "replication": false, "secrets": []} |
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

# What the images' entrypoints write into pg_hba.conf where nobody says otherwise: every line for other hosts asks for a password.
facts contains {"password_only": object.union(fact.operator(line, container_path), {"hosts": hosts})} if {
	server.product.published
	by_entrypoint
	not unread
	count(hosts) > 0
	line := {"docker": "host all all all scram-sha-256", "bitnami": "host all all 0.0.0.0/0 md5"}[layout]
	server.product.name != "postgresql-repmgr"
	not let_in
	not mounted_hba
	not last_option("hba_file")
	not contains(own_words, "hba")
	count([1 | some name in names_of_variables; regex.match(`HBA|LDAP|_TLS_|HOST_AUTH_METHOD`, name)]) == 0
	not veiled
	count(get.map(container, "lifecycle")) == 0
	count(get.list(k8s.object, array.concat(pod_path, ["initContainers"]))) == 0
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d"); not in_sight(mounted)]) == 0
	has_a_password
}

has_a_password if {
	some variable in get.list(container, "env")
	get.string(variable, "name") in {"POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE", "POSTGRESQL_PASSWORD", "POSTGRESQL_PASSWORD_FILE"}
}

# What walguard.charts.bitnami says of a chart whose passwords are made up at each rendering.
facts contains {"contested_logins": [{
	"reason": sprintf("helm template, by which Argo CD and kustomize render the chart, sees no Secret: every sync makes a new %s, and the data directory keeps the first", [made_up]),
	"cure": sprintf("Set %s", [regex.replace(split(made_up, " ")[0], `[^.]+$`, "existingSecret")]),
	"level": "error",
	"path": ["metadata", "annotations"],
}]} if {
	server
	made_up := get.string(k8s.annotations, "charts.walguard.dev/generated-passwords")
}
