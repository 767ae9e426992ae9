package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# METADATA
# description: |
#   The users of the resource with what they may do (internal/postgres/users.go); without spec.users one with the name of the cluster, who may nothing. Not known where SQL of the first start may change it.
roles := [{"name": name, "superuser": has(options, "superuser"), "createdb": has(options, "createdb"), "createrole": has(options, "createrole"), "secrets": [sprintf("%s-pguser-%s", [k8s.name, name])]} |
	not get.present(spec, "databaseInitSQL")
	some user in users
	name := get.string(user, "name")
	name != "postgres"
	not placeholder.unknown(name)
	options := get.text(object.get(user, "options", ""))
	not placeholder.holds(options)
]

users := get.list(spec, "users") if get.present(spec, "users")

users := [{"name": k8s.name}] if not get.present(spec, "users")

has(options, option) := regex.match(sprintf(`(?i)(^|\s)%s(\s|$)`, [option]), options)
