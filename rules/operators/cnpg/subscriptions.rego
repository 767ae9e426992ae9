package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# What comes to nothing on the way from a publication to its Subscription: [{"one", "external", "database": of the source, or "" where nothing names it, "origin"?: the cluster, where it is in sight}].
sourced := [object.union({"one": one, "external": external, "database": database_of_source(one, external)}, {"origin": origin | some origin in origins_of(external)}) |
	some one in subscriptions
	not get.present(one, ["status", "applied"])
	some external in get.list(spec, "externalClusters")
	get.string(external, "name") == get.string(one, ["spec", "externalClusterName"])
	not placeholder.holds(json.marshal([one.spec, get.map(external, "connectionParameters")]))
]

origins_of(external) := [origins[0] |
	origins := [made |
		some made in array.concat(inventory.everywhere(k8s.api_version, "Cluster"), [k8s.object])
		leads_to(get.string(external, ["connectionParameters", "host"]), {"name": made.metadata.name, "namespace": object.get(made, ["metadata", "namespace"], k8s.namespace)}, set())
	]
	count(origins) > 0
]

database_of_source(one, external) := object.get(one, ["spec", "publicationDBName"], object.get(external, ["connectionParameters", "dbname"], ""))

of_subscription(asked, reason, cure, level) := {
	"path": ["spec", "externalClusterName"],
	"resource": k8s.reference(asked.one),
	"reason": sprintf("Subscription %s %s", [asked.one.metadata.name, reason]),
	"cure": cure,
	"level": level,
}

subscriptions_to_nothing := [fault |
	some asked in sourced
	some fault in faults_of_subscription(asked)
]

faults_of_subscription(asked) := array.concat(
	array.concat(
		# GetServerConnectionString (pkg/management/external/external.go) adds publicationDBName alone.
		[of_subscription(
			asked,
			sprintf("connects to database %s of its source, called as its user, for neither publicationDBName nor dbname in connectionParameters of %s names another", [user, asked.external.name]),
			"Set publicationDBName",
			"warning",
		) |
			asked.database == ""
			user := get.string(asked.external, ["connectionParameters", "user"])
			user != get.string(asked.one, ["spec", "dbname"])
			not get.present(asked.external, ["connectionParameters", "service"])
		],
		# CREATE SUBSCRIPTION waits for the slot, and that for the transaction of the command ("To avoid that the command hangs", sql-createsubscription).
		[of_subscription(asked, "is for a publication of its own cluster: it waits for itself and is never created", "Name another cluster, or create the slot first and set parameters create_slot: \"false\" and slot_name", "error") |
			[asked.origin.metadata.name, object.get(asked.origin, ["metadata", "namespace"], k8s.namespace)] == [k8s.name, k8s.namespace]
			not said_no(asked.one, "create_slot")
			not said_no(asked.one, "connect")
		],
	),
	array.concat(
		# The tables have their rows already: "duplicate key value violates unique constraint", again and again; without a key they have them twice.
		[of_subscription(asked, sprintf("copies the tables of %s once more, whose rows the import has brought: every copy of a table with a key fails for ever", [asked.external.name]), "Set schemaOnly: true in the import", "error") |
			get.string(spec, ["bootstrap", "initdb", "import", "type"]) == "microservice"
			get.string(spec, ["bootstrap", "initdb", "import", "source", "externalCluster"]) == asked.external.name
			get.string(asked.one, ["spec", "dbname"]) == application_database
			object.get(spec, ["bootstrap", "initdb", "import", "schemaOnly"], false) == false
			not regex.match(`"(--schema-only|-s|--exclude-table|--section)`, json.marshal(get.map(spec, ["bootstrap", "initdb", "import"])))
			not said_no(asked.one, "copy_data")
			object.get(k8s.object, ["status", "readyInstances"], 0) == 0
		],
		publications_missed(asked),
	),
)

said_no(one, name) if get.lower_case(get.text(object.get(one, ["spec", "parameters", name], "true"))) in {"false", "off", "no", "0"}

# A publication that is not there PostgreSQL warns of, and the apply worker ends with 'publication "…" does not exist' ever after.
publications_missed(asked) := [of_subscription(asked, reason, cure, level) |
	published_there := [one |
		some one in inventory.list(object.get(asked.origin, ["metadata", "namespace"], k8s.namespace), k8s.api_version, "Publication")
		get.string(one, ["spec", "cluster", "name"]) == asked.origin.metadata.name
		not placeholder.holds(json.marshal(one.spec))
	]
	count(published_there) > 0
	name := get.string(asked.one, ["spec", "publicationName"])
	[reason, cure, level] := fault_of_publication(name, asked, published_there)
]

fault_of_publication(name, asked, published_there) := [
	sprintf("asks for publication %s, and those of %s are %s: nothing is replicated unless somebody creates it by hand", [name, asked.origin.metadata.name, text.list(sort({get.string(one, ["spec", "name"]) | some one in published_there}), "and")]),
	"Write the name of one of them in publicationName",
	"warning",
] if {
	count([1 | some one in published_there; get.string(one, ["spec", "name"]) == name]) == 0
} else := [
	sprintf("asks for publication %s in database %s of %s, and that is in %s: nothing is replicated", [name, asked.database, asked.origin.metadata.name, homes[0]]),
	sprintf("Set publicationDBName: %s", [homes[0]]),
	"error",
] if {
	asked.database != ""
	homes := [get.string(one, ["spec", "dbname"]) | some one in published_there; get.string(one, ["spec", "name"]) == name]
	count(homes) == 1
	homes[0] != asked.database
}
