package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.operators.cnpg.release

# What Database, Publication and Subscription objects ask for and PostgreSQL refuses: the operator tries again for ever. Known of a cluster that initdb begins and whose SQL makes nothing of the kind.
beginning if {
	operator
	initialised
	not get.present(k8s.object, ["status", "phase"])
	not get.present(spec, ["bootstrap", "initdb", "import"])
}

databases_asked := [database |
	beginning
	some database in of_cluster("Database")
	object.get(database, ["spec", "ensure"], "present") == "present"
	not get.present(database, ["status", "applied"])
]

# createDatabase (internal/management/controller/database_controller_sql.go) copies template1 unless another template is named, and initdb makes that with UTF8 and C (api/v1/cluster_defaults.go):
# "new collation (de_DE.utf8) is incompatible with the collation of the template database (C)".
of_another_locale := [{
	"path": ["spec", asked[0]],
	"resource": k8s.reference(database),
	"reason": sprintf("Database %s is not created: its %s %s is not that of template1, which it is copied from (%s)", [database.metadata.name, asked[0], value, asked[1]]),
	"cure": "Set template: template0",
	"level": "error",
} |
	some database in databases_asked
	object.get(database, ["spec", "template"], "template1") == "template1"
	asked := [[field, ours] |
		some field, ours in of_template
		written := get.string(database, ["spec", field])
		not placeholder.holds(written)
		not placeholder.holds(ours)
		plain(written) != plain(ours)
	][0]
	value := get.string(database, ["spec", asked[0]])
]

# en_US.utf8 and en_US.UTF-8 are two names of one locale, of which PostgreSQL takes the same text alone: what it makes of others is left open.
plain(name) := replace(get.lower_case(name), "-", "")

of_template := object.union_n([
	{"encoding": object.get(spec, ["bootstrap", "initdb", "encoding"], "UTF8")},
	{"localeCollate": release.collation.value | release.collation},
	{"localeCType": object.get(spec, ["bootstrap", "initdb", "localeCType"], "C") | release.collation},
	{"locale": release.collation.value | release.collation},
	{"localeProvider": "libc" | release.collation; not get.present(spec, ["bootstrap", "initdb", "localeProvider"])},
])

in_no_tablespace := [{
	"path": ["spec", "tablespace"],
	"resource": k8s.reference(database),
	"reason": sprintf("Database %s is not created: its tablespace %s is not among spec.tablespaces of the cluster", [database.metadata.name, name]),
	"cure": "Add it there, or take tablespace out",
	"level": "error",
} |
	some database in databases_asked
	name := get.string(database, ["spec", "tablespace"])
	not placeholder.holds(name)
	not startswith(name, "pg_")
	declared := [get.string(one, "name") | some one in get.list(spec, "tablespaces")]
	not name in declared
	count([1 | some one in declared; placeholder.holds(one)]) == 0
	not made_by_script(text.literal(name))
]

# postgres_fdw comes with the extension of that name.
of_no_wrapper := [{
	"path": ["spec", "servers", i, "fdw"],
	"resource": k8s.reference(database),
	"reason": sprintf("Server %s of Database %s is not created: there is no foreign-data wrapper %s in it, which extension %s brings", [get.string(server, "name"), database.metadata.name, wrapper, wrapper]),
	"cure": sprintf("List %s among its extensions", [wrapper]),
} |
	some database in databases_asked
	not get.present(database, ["spec", "template"])
	some i, server in get.list(database, ["spec", "servers"])
	object.get(server, "ensure", "present") == "present"
	wrapper := get.string(server, "fdw")
	wrapper in {"file_fdw", "postgres_fdw"}
	count([1 |
		some field in ["extensions", "fdws"]
		some one in get.list(database, ["spec", field])
		get.string(one, "name") == wrapper
	]) == 0
	not made_by_script(wrapper)
]

# Of a database that a program creates somebody may publish later on.
of_no_database := [{
	"path": ["spec", "dbname"],
	"resource": k8s.reference(one),
	"reason": sprintf("%s %s is for database %s, and neither bootstrap.initdb nor a Database makes it", [one.kind, one.metadata.name, name]),
	"cure": sprintf("Write the name of one that is made, or a Database for %s", [name]),
} |
	beginning
	some kind in ["Publication", "Subscription"]
	some one in of_cluster(kind)
	not get.present(one, ["status", "applied"])
	name := get.string(one, ["spec", "dbname"])
	made := array.concat(["postgres", application_database], [get.string(database, ["spec", "name"]) | some database in of_cluster("Database")])
	not name in made
	count([1 | some known in array.concat(made, [name]); placeholder.holds(known)]) == 0
	not made_by_script(text.literal(name))
]

# ------------------------------------------------------------------------------------------------------------ roles

roles_declared := array.concat(
	[{"role": role, "path": ["spec", "managed", "roles", i]} | some i, role in get.list(spec, ["managed", "roles"])],
	[{"role": one.spec, "path": ["spec"], "resource": k8s.reference(one)} | operator; some one in of_cluster("DatabaseRole")],
)

# login is false by default (RoleConfiguration of api/v1/cluster_types.go): "role … is not permitted to log in".
locked_out := [object.union(
	{
		"path": array.concat(asked.path, ["passwordSecret"]),
		"reason": sprintf("Role %s has the password of Secret %s and not login: true, so that nobody logs in with it (\"is not permitted to log in\")", [get.string(asked.role, "name"), name]),
		"cure": "Set login: true, or take passwordSecret out",
		"level": "warning",
	},
	object.filter(asked, ["resource"]),
) |
	operator
	some asked in roles_declared
	object.get(asked.role, "ensure", "present") == "present"
	name := get.string(asked.role, ["passwordSecret", "name"])
	not get.boolean(asked.role, "login")
	not get.unknown(asked.role, "login")
	not is_string(object.get(asked.role, "login", false))
]

# PostgreSQL refuses a password after that moment.
expired := [object.union(
	{
		"path": array.concat(asked.path, ["validUntil"]),
		"reason": sprintf("The password of role %s is valid until %s, which is past: every login with it is refused", [get.string(asked.role, "name"), moment]),
		"cure": "Write a later moment, or take validUntil out",
		"level": "warning",
	},
	object.filter(asked, ["resource"]),
) |
	operator
	some asked in roles_declared
	object.get(asked.role, "ensure", "present") == "present"
	get.boolean(asked.role, "login")
	get.present(asked.role, ["passwordSecret", "name"])
	moment := get.string(asked.role, "validUntil")
	regex.match(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`, moment)
	time.parse_rfc3339_ns(moment) < k8s.now_nanoseconds
]

# ---------------------------------------------------------------------------------------------------------- poolers

# Deployment of pkg/specs/pgbouncer/deployments.go: what it changes is the container called pgbouncer, and it adds one where there is none.
beside_pgbouncer := [{
	"reason": sprintf("Container %s of Pooler %s has PgBouncer's image, and the operator's own is called pgbouncer: that runs with the default image, and this one beside it without a configuration", [object.get(container, "name", "without a name"), o.metadata.name]),
	"cure": "Call the container pgbouncer",
	"level": "error",
	"path": ["spec", "template", "spec", "containers", i, "name"],
	"resource": k8s.reference(o),
} |
	operator
	some o in own_poolers
	containers := get.list(o, array.concat(pods_of_pooler, ["containers"]))
	count([1 | some one in containers; name := object.get(one, "name", "pgbouncer"); any_of(name)]) == 0
	some i, container in containers
	image.name(get.string(container, "image")) == "pgbouncer"
	not get.present(container, "command")
	not get.present(container, "args")
]

# It gives an image to that container and to its own init container alone, and the API server refuses a Deployment in which another has none.
without_image := [{
	"reason": sprintf("Container %s of Pooler %s has no image, and the operator gives one to the container called pgbouncer alone: the API server refuses the Deployment, and no pooler runs", [name, o.metadata.name]),
	"cure": cure,
	"level": "error",
	"path": array.concat(pods_of_pooler, [list, i]),
	"resource": k8s.reference(o),
} |
	operator
	some o in own_poolers
	some list in ["containers", "initContainers"]
	some i, container in get.list(o, array.concat(pods_of_pooler, [list]))
	name := get.string(container, "name")
	not name in {"pgbouncer", "bootstrap-controller", "istio-proxy", "istio-init"}
	not placeholder.holds(name)
	object.get(container, "image", "") in {"", null}
	cure := {true: "Call it pgbouncer, if it is meant to be PgBouncer's", false: "Write its image"}[count(get.list(o, array.concat(pods_of_pooler, [list]))) == 1]
]

any_of("pgbouncer")

any_of(name) if placeholder.holds(name)
