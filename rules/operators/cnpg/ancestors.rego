package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# The clusters in sight that this one is made from: [{"cluster", "external", "at", "way"}], of an external cluster that names an archive of theirs or one of their Services.
ancestors := [{"cluster": made, "external": external, "at": ["spec", "externalClusters", i], "way": way} |
	operator
	some way, name in sources_named
	some i, external in get.list(spec, "externalClusters")
	get.string(external, "name") == name
	some made in inventory.everywhere(k8s.api_version, "Cluster")
	[made.metadata.namespace, made.metadata.name] != [k8s.namespace, k8s.name]
	descends(external, made)
]

sources_named[way] := name if {
	some way, path in {
		"recovery": ["bootstrap", "recovery", "source"],
		"pg_basebackup": ["bootstrap", "pg_basebackup", "source"],
		"import": ["bootstrap", "initdb", "import", "source", "externalCluster"],
		"replica": ["replica", "source"],
	}
	name := get.string(spec, path)
	not placeholder.unknown(name)
	serves(way)
}

# A cluster that is not a replica may name the source all the same.
serves(way) if way != "replica"

serves("replica") if get.boolean(spec, ["replica", "enabled"])

descends(external, made) if leads_to(get.string(external, ["connectionParameters", "host"]), made.metadata, set())

descends(external, made) if {
	ours := get.map(external, "barmanObjectStore")
	theirs := get.map(made, ["spec", "backup", "barmanObjectStore"])
	place := get.string(ours, "destinationPath")
	not placeholder.unknown(place)
	trim_right(place, "/") == trim_right(get.string(theirs, "destinationPath"), "/")
	object.get(ours, "endpointURL", "") == object.get(theirs, "endpointURL", "")
	server_name(ours, get.string(external, "name")) == server_name(theirs, made.metadata.name)
}

descends(external, made) if {
	ours := get.map(external, ["plugin", "parameters"])
	store := get.string(ours, "barmanObjectName")
	not placeholder.unknown(store)
	made.metadata.namespace == k8s.namespace
	some plugin in get.list(made, ["spec", "plugins"])
	theirs := get.map(plugin, "parameters")
	get.string(theirs, "barmanObjectName") == store
	server_name(ours, k8s.name) == server_name(theirs, made.metadata.name)
}

major_of(made) := get.number(made, ["spec", "imageCatalogRef", "major"])

major_of(made) := image.major(get.string(made, ["spec", "imageName"])) if not get.present(made, ["spec", "imageCatalogRef"])

# Files of another major are read by no server; a cluster of its own may have been upgraded after the copy, while the source was not.
of_another_ancestor := [object.union(
	{
		"reason": sprintf("It is %s %s with PostgreSQL %d, and the image has %d, which does not start with those files%s", [
			ways_of_copies[one.way],
			one.cluster.metadata.name,
			theirs,
			major.value,
			{true: ", unless it was upgraded since", false: ""}[count(certain) == 0],
		]),
		"cure": sprintf("Take an image of %d, and upgrade afterwards", [theirs]),
		"path": major.path,
	},
	{"level": "warning" | count(certain) == 0},
) |
	some way in ["replica", "recovery", "pg_basebackup"]
	one := [found | some found in ancestors; found.way == way][0]
	count([1 | way != "replica"; some other in ancestors; other.way == "replica"]) == 0
	not begun_already
	theirs := major_of(one.cluster)
	theirs != major.value
	certain := [1 | way == "replica"]
]

ways_of_copies := {"replica": "a replica of", "recovery": "recovered from", "pg_basebackup": "a copy of"}

# The import runs pg_dump of this cluster's image, which refuses a server that is newer (pkg/management/postgres/logicalimport/database.go).
dumped_by_an_older := [{
	"reason": sprintf("The import reads %s (PostgreSQL %d) with pg_dump of %d, which refuses a newer server: no instance is created", [one.cluster.metadata.name, theirs, major.value]),
	"cure": sprintf("Take an image of %d or later", [theirs]),
	"path": major.path,
} |
	some one in ancestors
	one.way == "import"
	not begun_already
	theirs := major_of(one.cluster)
	theirs > major.value
]

begun_already if object.get(k8s.object, ["status", "readyInstances"], 0) > 0

# The Secret of the superuser that the source does not make (unmade_superuser, secrets.rego): the Job that copies waits for it for ever.
without_their_superuser := [{
	"path": array.concat(one.at, ["password", "name"]),
	"reason": sprintf("External cluster %s is read with Secret %s, which %s has with enableSuperuserAccess alone: nothing is copied", [get.string(one.external, "name"), secret, one.cluster.metadata.name]),
	"cure": sprintf("Set it there, or log in as its owner with %s-app", [one.cluster.metadata.name]),
	"level": "error",
} |
	some one in ancestors
	not begun_already
	one.cluster.metadata.namespace == k8s.namespace
	secret := get.string(one.external, ["password", "name"])
	secret == sprintf("%s-superuser", [one.cluster.metadata.name])
	not get.boolean(one.cluster, ["spec", "enableSuperuserAccess"])
	not get.unknown(one.cluster, ["spec", "enableSuperuserAccess"])
	not former_release
	not inventory.namespaced_object(k8s.namespace, "v1", "Secret", secret)
]

# "must be superuser or replication role to start walsender": the owner of a database is neither.
without_replication := [{
	"path": array.concat(one.at, ["connectionParameters", "user"]),
	"reason": sprintf("pg_basebackup logs in to %s as %s, %s, who may not replicate: nothing is copied", [one.cluster.metadata.name, user, who]),
	"cure": sprintf("Log in as streaming_replica with Secret %s-replication, or give the role replication: true", [one.cluster.metadata.name]),
	"level": "error",
} |
	some way in ["pg_basebackup", "replica"]
	one := [found | some found in ancestors; found.way == way][0]
	count([1 | way == "replica"; some other in ancestors; other.way == "pg_basebackup"]) == 0
	not begun_already
	user := get.string(one.external, ["connectionParameters", "user"])
	who := without_the_right(one.cluster, user)
]

# A subscription makes a slot there and streams from it, as the same role.
subscribed_without_replication := [{
	"path": ["spec", "externalClusterName"],
	"resource": k8s.reference(one),
	"reason": sprintf("Subscription %s logs in to %s as %s, %s, who may not replicate: it is not created (\"permission denied to start WAL sender\")", [one.metadata.name, origin.metadata.name, user, who]),
	"cure": sprintf("Give the role replication: true in managed.roles of %s", [origin.metadata.name]),
	"level": "error",
} |
	some one in subscriptions
	not get.present(one, ["status", "applied"])
	some external in get.list(spec, "externalClusters")
	get.string(external, "name") == get.string(one, ["spec", "externalClusterName"])
	user := get.string(external, ["connectionParameters", "user"])
	some origin in inventory.everywhere(k8s.api_version, "Cluster")
	leads_to(get.string(external, ["connectionParameters", "host"]), origin.metadata, set())
	who := without_the_right(origin, user)
]

# The operator gives a managed role what is written there and takes the rest away; of the owner of a database SQL may say more.
without_the_right(made, user) := "a managed role" if {
	user != "postgres"
	written := roles_called(made, user)
	count(written) > 0
	count([1 | some role in written; some field in ["replication", "superuser"]; object.get(role, field, false) != false]) == 0
} else := "the owner of its database" if {
	user == owner_of(made)
	user != "postgres"
	not placeholder.unknown(user)
	count(roles_called(made, user)) == 0
	not regex.match(`(?i)\b(replication|superuser)\b`, json.marshal(get.map(made, ["spec", "bootstrap", "initdb"])))
	count([1 | some field, _ in get.map(made, ["spec", "bootstrap", "initdb"]); endswith(field, "Refs")]) == 0
}

roles_called(made, user) := array.concat(
	[role | some role in get.list(made, ["spec", "managed", "roles"]); get.string(role, "name") == user],
	[one.spec |
		some one in inventory.list(made.metadata.namespace, k8s.api_version, "DatabaseRole")
		get.string(one, ["spec", "cluster", "name"]) == made.metadata.name
		get.string(one, ["spec", "name"]) == user
	],
)

owner_of(made) := object.get(made, ["spec", "bootstrap", "initdb", "owner"], object.get(made, ["spec", "bootstrap", "initdb", "database"], "app")) if {
	get.present(made, ["spec", "bootstrap", "initdb"])
}

owner_of(made) := "app" if not get.present(made, ["spec", "bootstrap"])
