package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# METADATA
# description: |
#   The users of the resource with what they may do (internal/postgres/users.go); without spec.users one with the name of the cluster, who may nothing. Not known where SQL of the first start may change it.
roles := [{"name": name, "superuser": has(options, "superuser"), "createdb": has(options, "createdb"), "createrole": has(options, "createrole"), "replication": has(options, "replication"), "secrets": [sprintf("%s-pguser-%s", [k8s.name, name])]} |
	not get.present(spec, "databaseInitSQL")
	some user in users
	name := get.string(user, "name")
	name != "postgres"
	not placeholder.unknown(name)
	options := get.text(object.get(user, "options", ""))
	not placeholder.holds(options)
]

# METADATA
# description: All databases of a new cluster, which the users list (WriteDatabasesInPostgreSQL); see databases_made of walguard.model.
databases_made := {
	"names": names,
	"reason": sprintf("the resource makes %s", [text.list(array.slice(names, 0, 3), "and")]),
	"outcome": "it does not exist",
	"cure": "Add it to databases of the user in spec.users",
} if {
	count(roles) > 0
	names := array.concat(
		[name | some user in get.list(spec, "users"); some name in get.list(user, "databases")],
		[k8s.name | not get.present(spec, "users")],
	)
	count(names) > 0
	count([1 | some name in names; placeholder.unknown(name)]) == 0
	count([1 | some field in ["dataSource", "standby"]; get.present(spec, field)]) == 0
}

users := get.list(spec, "users") if get.present(spec, "users")

users := [{"name": k8s.name}] if not get.present(spec, "users")

has(options, option) := option in regex.split(`\s+`, lower(options))

# METADATA
# description: Those that there are; see made_secrets of walguard.model.
made_secrets := [name |
	some one in unmade_secrets
	some name in one.made
]

# METADATA
# description: The Secrets of users, where workloads may ask for those of users that there are not (reconcilePostgresUserSecrets); see unmade_secrets of walguard.model.
unmade_secrets := [{
	"names": sprintf(`^%s-pguser-[a-z0-9-]+$`, [text.literal(k8s.name)]),
	"made": made,
	"reason": missing_user,
	"cure": sprintf("list it there, or ask for %s", [text.list(array.slice(made, 0, 3), "or")]),
} |
	count(spec) > 0
	not placeholder.holds(k8s.name)
	count(users) > 0
	count([1 | some user in users; not is_object(user)]) == 0
	made := array.concat(
		[object.get(user, "secretName", sprintf("%s-pguser-%s", [k8s.name, object.get(user, "name", "")])) | some user in users],
		[sprintf("%s-pguser-monitor", [k8s.name]) | get.boolean(spec, ["pmm", "enabled"])],
	)
	count([1 | some name in made; not is_string(name)]) == 0
	count([1 | some name in made; placeholder.holds(name)]) == 0
]

missing_user := "its user is not in spec.users" if get.present(spec, "users")

missing_user := sprintf("without spec.users there is one user, %s", [k8s.name]) if not get.present(spec, "users")

# METADATA
# description: The keys that the Secrets of users lack, since they stand for what the user or the cluster has not (generatePostgresUserSecret); see unmade_keys of walguard.model.
unmade_keys := [object.union(lacked, {"secret": secret}) |
	not placeholder.holds(k8s.name)
	some user in users
	is_object(user)
	name := get.string(user, "name")
	not placeholder.holds(name)
	secret := object.get(user, "secretName", sprintf("%s-pguser-%s", [k8s.name, name]))
	some lacked in array.concat(
		[{"keys": ["dbname", "jdbc-uri", "uri"], "reason": sprintf("user %s has no databases", [name]), "cure": "List them in spec.users"} |
			get.present(spec, "users")
			object.get(user, "databases", []) in [[], null]
		],
		[{"keys": ["pgbouncer-host", "pgbouncer-jdbc-uri", "pgbouncer-port", "pgbouncer-uri"], "reason": "the cluster has no proxy.pgBouncer", "cure": "Add it, or take the key of the server"} |
			not get.present(spec, ["proxy", "pgBouncer"])
		],
	)
]
