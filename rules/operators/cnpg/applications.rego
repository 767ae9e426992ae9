package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Databases, roles and subscriptions that are not what somebody takes them for; see walguard.model.
facts contains {"uncreated": uncreated} if count(uncreated) > 0

uncreated := array.concat(array.concat(array.concat(undeclared_sources, array.concat(imported_elsewhere, array.concat(roles_of_a_service, granted_to_a_pooler))), array.concat(owners_of_nothing, owners_of_an_empty_database)), array.concat(array.concat(array.concat(extensions_without_others, unmade_roles), cron_elsewhere_by_object), array.concat(array.concat(array.concat(without_their_superuser, array.concat(subscribed_without_replication, subscriptions_to_nothing)), without_replication), array.concat(array.concat(of_another_locale, in_no_tablespace), array.concat(of_no_wrapper, of_no_database)))))

# ------------------------------------------------------------------------------------------------ logical replication

subscriptions := [one |
	operator
	some one in inventory.list(k8s.namespace, k8s.api_version, "Subscription")
	get.string(one, ["spec", "cluster", "name"]) == k8s.name
]

facts contains {"decoders": published} if count(published) > 0

published := [{"who": sprintf("a subscriber of Publication %s", [one.metadata.name]), "what": sprintf("Publication %s is for logical replication", [one.metadata.name]), "consequence": "no subscriber gets anything", "level": "warning", "path": ["spec", "cluster", "name"], "resource": k8s.reference(one)} |
	operator
	some one in of_cluster("Publication")
]

# "externalCluster '…' not declared in cluster" (internal/management/controller/subscription_controller.go).
undeclared_sources := [{
	"path": ["spec", "externalClusterName"],
	"resource": k8s.reference(one),
	"reason": sprintf("Subscription %s is not created: its source %s is not among externalClusters of the cluster", [one.metadata.name, name]),
	"cure": "Describe it there, or name one that is",
} |
	some one in subscriptions
	name := get.string(one, ["spec", "externalClusterName"])
	not placeholder.unknown(name)
	declared := [get.string(external, "name") | some external in get.list(spec, "externalClusters")]
	not name in declared
	count([1 | some external in declared; placeholder.unknown(external)]) == 0
]

# The import of one database goes into that of bootstrap.initdb, whatever the source calls it (pkg/management/postgres/logicalimport/microservice.go).
imported_elsewhere := [{
	"path": ["spec", "dbname"],
	"resource": k8s.reference(one),
	"reason": sprintf("%s %s is for database %s, which the import puts into %s: there is no database %s", [one.kind, one.metadata.name, name, application_database, name]),
	"cure": sprintf("Set bootstrap.initdb.database: %s", [name]),
	"level": "error",
} |
	operator
	get.string(spec, ["bootstrap", "initdb", "import", "type"]) == "microservice"
	name := get.list(spec, ["bootstrap", "initdb", "import", "databases"])[0]
	is_string(name)
	not placeholder.unknown(name)
	not placeholder.unknown(application_database)
	name != application_database
	count([1 | some made in of_cluster("Database"); get.string(made, ["spec", "name"]) == name]) == 0
	some kind in ["Subscription", "Publication"]
	some one in of_cluster(kind)
	get.string(one, ["spec", "dbname"]) == name
]

# Whichever roles are named, the import reads all of pg_authid (pkg/management/postgres/logicalimport/role.go), which is a superuser's alone; services give nobody that.
roles_of_a_service := [{
	"path": ["spec", "bootstrap", "initdb", "import", "roles"],
	"reason": sprintf("The import of roles reads pg_authid, which no user of %s may (\"permission denied\"), and no instance is created", [service]),
	"cure": "Leave roles out and set pgRestoreExtraOptions: [--no-owner, --no-acl], or import one database with type: microservice",
	"level": "error",
} |
	operator

	# A cluster that runs has been created in whatever way.
	object.get(k8s.object, ["status", "readyInstances"], 0) == 0
	get.string(spec, ["bootstrap", "initdb", "import", "type"]) == "monolith"
	count(get.list(spec, ["bootstrap", "initdb", "import", "roles"])) > 0
	name := get.string(spec, ["bootstrap", "initdb", "import", "source", "externalCluster"])
	some external in get.list(spec, "externalClusters")
	get.string(external, "name") == name
	host := get.lower_case(get.string(external, ["connectionParameters", "host"]))
	some ending, service in {".rds.amazonaws.com": "Amazon RDS", ".rds.amazonaws.com.cn": "Amazon RDS", ".postgres.database.azure.com": "Azure"}
	endswith(host, ending)
]

of_cluster(kind) := [one |
	some one in inventory.list(k8s.namespace, k8s.api_version, kind)
	get.string(one, ["spec", "cluster", "name"]) == k8s.name
]

application_database := object.get(spec, ["bootstrap", "initdb", "database"], "app")

# ----------------------------------------------------------------------------------------------------- extensions

# createDatabaseExtension (internal/management/controller/database_controller_sql.go) writes no CASCADE: 'required extension "cube" is not installed'. A script of initdb may have created the other one.
extensions_without_others := [object.union(
	{
		"path": ["spec", "extensions", i],
		"resource": k8s.reference(database),
		"reason": sprintf("Database %s is not applied: extension %s requires %s, which it does not list, and the operator creates extensions without CASCADE", [database.metadata.name, extension, other]),
		"cure": sprintf("List %s as well", [other]),
	},
	{"level": "info" | other in trusted},
) |
	initialised
	not get.present(k8s.object, ["status", "phase"])
	not get.present(spec, ["bootstrap", "initdb", "import"])
	some database in of_cluster("Database")
	object.get(database, ["spec", "ensure"], "present") == "present"
	not get.present(database, ["spec", "template"])
	not get.present(database, ["status", "applied"])
	listed := {get.string(one, "name") | some one in get.list(database, ["spec", "extensions"])}
	count([1 | some name in listed; placeholder.holds(name)]) == 0
	some i, one in get.list(database, ["spec", "extensions"])
	object.get(one, "ensure", "present") == "present"
	extension := get.string(one, "name")
	other := [needed | some needed in requirements[extension]; not needed in listed][0]
	not made_by_script(other)
]

# Those that the owner of a database may create: a program that does so comes first, and the operator tries again.
trusted := {"cube", "fuzzystrmatch", "vector"}

# Their control files.
requirements := {
	"earthdistance": ["cube"],
	"pgrouting": ["postgis"],
	"postgis_raster": ["postgis"],
	"postgis_sfcgal": ["postgis"],
	"postgis_tiger_geocoder": ["postgis", "fuzzystrmatch"],
	"postgis_topology": ["postgis"],
	"vchord": ["vector"],
	"vectorscale": ["vector"],
}

made_by_script(_) if {
	some field in ["postInitSQLRefs", "postInitTemplateSQLRefs", "postInitApplicationSQLRefs"]
	get.present(spec, ["bootstrap", "initdb", field])
}

made_by_script(extension) if {
	some field in ["postInitSQL", "postInitTemplateSQL", "postInitApplicationSQL"]
	some statement in get.list(spec, ["bootstrap", "initdb", field])
	regex.match(sprintf(`(?i)\b(%s|cascade)\b|\$`, [extension]), statement)
}

# ------------------------------------------------------------------------------------------------------- recovery

# A recovered cluster has the databases and roles of its source. The operator makes the role of recovery.owner and a database of recovery.database, "app" both unless they are written, and gives the database to the
# role where it is there already; what is in it stays whose it was (pkg/management/postgres/restore.go).
owners_of_nothing := [{
	"path": owner_path,
	"reason": sprintf("Role %s becomes the owner of database %s and of nothing in it, which belongs to %s of cluster %s: permission denied for its tables", [owner, restored_from.database, restored_from.owner, restored_from.name]),
	"cure": sprintf("Write owner: %s", [restored_from.owner]),
} |
	restored_from.database == new_database
	owner != restored_from.owner
]

owners_of_an_empty_database := [{
	"path": ["spec", "bootstrap", "recovery"],
	"reason": sprintf("The restored data are in database %s of %s, and Secret %s-app, which %s asks for, is of a new and empty database %s", [restored_from.database, restored_from.owner, k8s.name, asking[0], new_database]),
	"cure": sprintf("Write database: %s and owner: %s", [restored_from.database, restored_from.owner]),
} |
	restored_from.database != new_database
	not owner_secret
	asking := [made.words |
		some made in workloads.lasting
		some list in ["containers", "initContainers"]
		some container in get.list(made.pod, list)
		sprintf("%s-app", [k8s.name]) in secrets_of(container)
	]
	count(asking) > 0
]

secrets_of(container) := {name | some variable in get.list(container, "env"); name := get.string(variable, ["valueFrom", "secretKeyRef", "name"])} | {name | some source in get.list(container, "envFrom"); name := get.string(source, ["secretRef", "name"])}

new_database := object.get(spec, ["bootstrap", "recovery", "database"], "app")

# What the source was created with, where that is in sight.
restored_from := {"name": source.metadata.name, "database": database, "owner": its_owner} if {
	operator
	get.present(spec, ["bootstrap", "recovery"])
	not get.present(spec, "replica")
	source := sources_in_sight[0]
	get.present(source, ["spec", "bootstrap", "initdb"])
	not get.present(source, ["spec", "bootstrap", "initdb", "import"])
	database := object.get(source, ["spec", "bootstrap", "initdb", "database"], "app")
	its_owner := object.get(source, ["spec", "bootstrap", "initdb", "owner"], database)
	every text in [database, its_owner, new_database, k8s.name] {
		is_string(text)
		not placeholder.holds(text)
	}
}

sources_in_sight := [other |
	count(archives_of_source) > 0
	some other in inventory.everywhere(k8s.api_version, "Cluster")
	[get.string(other, ["metadata", "namespace"]), get.string(other, ["metadata", "name"])] != [k8s.namespace, k8s.name]
	some method in array.concat([get.map(other, ["spec", "backup"])], [{"plugin": plugin} | some plugin in get.list(other, ["spec", "plugins"])])
	count(archives_of(method, get.string(other, ["metadata", "name"]), get.string(other, ["metadata", "namespace"])) & archives_of_source) > 0
]

archives_of_source := {archive |
	name := get.string(spec, ["bootstrap", "recovery", "source"])
	some external in get.list(spec, "externalClusters")
	get.string(external, "name") == name
	some archive in archives_sought(external, k8s.name, k8s.namespace)
}
