package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# Roles that something names and nothing in sight makes: PostgreSQL refuses the statement of the operator ("role … does not exist"), which tries again for ever. Known of a cluster that initdb
# begins and that does not run yet; its SQL may make others.
unmade_roles := [object.union(
	{
		"path": asked.path,
		"reason": sprintf("%s names role %s, and neither bootstrap.initdb nor managed.roles makes it: %s (\"role does not exist\")", [asked.what, asked.name, asked.consequence]),
		"cure": sprintf("Add %s to managed.roles", [asked.name]),
	},
	object.union(object.filter(asked, ["resource"]), {"level": "error" | by_hand_alone}),
) |
	operator
	initialised
	not get.present(k8s.object, ["status", "phase"])
	not get.present(spec, ["bootstrap", "initdb", "import"])
	count([1 | some name in roles_made; placeholder.unknown(name)]) == 0
	some asked in asked_roles
	not placeholder.holds(asked.name)
	not startswith(asked.name, "pg_")
	not asked.name in roles_made
	not made_by_script(text.literal(asked.name))

	# Crossplane's are asked for beside the cluster.
	not inventory.cluster_object("postgresql.sql.crossplane.io/v1alpha1", "Role", asked.name)
]

# Nobody else may create a role over the network.
by_hand_alone if {
	object.get(spec, "enableSuperuserAccess", false) == false
	count([1 | some role in get.list(spec, ["managed", "roles"]); some right in ["superuser", "createrole"]; object.get(role, right, false) != false]) == 0
}

asked_roles := array.concat(
	[{"what": sprintf("Database %s", [database.metadata.name]), "name": name, "consequence": "the database is not created", "path": ["spec", "owner"], "resource": k8s.reference(database)} |
		some database in of_cluster("Database")
		object.get(database, ["spec", "ensure"], "present") == "present"
		not get.present(database, ["status", "applied"])
		name := get.string(database, ["spec", "owner"])
	],
	array.concat(
		array.concat(parts_of_databases, [{"what": sprintf("Tablespace %s", [get.string(tablespace, "name")]), "name": name, "consequence": "it is not created", "path": ["spec", "tablespaces", i, "owner", "name"]} |
			some i, tablespace in get.list(spec, "tablespaces")
			name := get.string(tablespace, ["owner", "name"])
			name != ""
		]),
		[{"what": sprintf("inRoles of role %s", [get.string(role, "name")]), "name": name, "consequence": "the role is not created", "path": ["spec", "managed", "roles", i, "inRoles", j]} |
			some i, role in get.list(spec, ["managed", "roles"])
			object.get(role, "ensure", "present") == "present"
			some j, name in get.list(role, "inRoles")
			is_string(name)
		],
	),
)

# Schemas and foreign-data wrappers of a Database, and who may use those and servers.
parts_of_databases := [{
	"what": sprintf("%s %s of Database %s", [kinds_of_parts[kind], get.string(part, "name"), database.metadata.name]),
	"name": name,
	"consequence": "it is not applied",
	"path": array.concat(["spec", kind, i], below),
	"resource": k8s.reference(database),
} |
	some database in of_cluster("Database")
	object.get(database, ["spec", "ensure"], "present") == "present"
	not get.present(database, ["status", "applied"])
	some kind, _ in kinds_of_parts
	some i, part in get.list(database, ["spec", kind])
	object.get(part, "ensure", "present") == "present"
	some [below, name] in array.concat(
		[[["owner"], get.string(part, "owner")] | get.string(part, "owner") != ""],
		[[["usage", j, "name"], get.string(usage, "name")] | some j, usage in get.list(part, "usage"); object.get(usage, "type", "grant") == "grant"],
	)
]

kinds_of_parts := {"schemas": "Schema", "fdws": "Foreign-data wrapper", "servers": "Server"}

roles_made := array.concat(
	["postgres", "streaming_replica", initial_owner],
	array.concat(
		[get.string(role, "name") | some role in get.list(spec, ["managed", "roles"]); object.get(role, "ensure", "present") == "present"],
		[get.string(one, ["spec", "name"]) | some one in of_cluster("DatabaseRole")],
	),
)

# The owner is called as the database where none is named (cluster_defaults.go).
initial_owner := get.string(spec, ["bootstrap", "initdb", "owner"]) if get.present(spec, ["bootstrap", "initdb", "owner"])

initial_owner := get.text(application_database) if not get.present(spec, ["bootstrap", "initdb", "owner"])
