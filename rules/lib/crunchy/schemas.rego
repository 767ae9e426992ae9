package walguard.lib.crunchy

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# METADATA
# description: |
#   The users to whom the operator gives no schema of their own, as walguard.model has them, with a cure. WriteUsersInPostgreSQL grants ALL on the databases, which are the superuser's
#   (internal/postgres/users.go). In a server that runs, and in what is restored, somebody may have granted the rest; so may somebody by hand, which is less likely where a program
#   comes along that logs in as the user.
schemaless(cure) := [{
	"name": name,
	"databases": databases,
	"level": {true: "warning", false: "info"}[secret_of(user) in secrets_of_programs],
	"cure": cure,
	"path": ["spec", "users", i],
} |
	not get.string(k8s.object, ["status", "patroni", "systemIdentifier"])
	not get.present(spec, "databaseInitSQL")
	not get.boolean(spec, ["backups", "pgbackrest", "restore", "enabled"])
	some i, user in get.list(spec, "users")
	name := get.string(user, "name")
	name != "postgres"
	not get.boolean(user, "grantPublicSchemaAccess")
	options := object.get(user, "options", "")
	is_string(options)
	not placeholder.holds(options)
	not regex.match(`(?i)\bsuperuser\b`, options)
	databases := [database | some database in get.list(user, "databases"); is_string(database); database != "postgres"]
	count(databases) > 0
]

secret_of(user) := object.get(user, "secretName", sprintf("%s-pguser-%s", [k8s.name, user.name]))

secrets_of_programs := {name |
	some one in workloads.containers
	one.made.kind in {"CronJob", "Deployment", "Job", "StatefulSet"}
	some name in environment.secrets(one.container)
}
