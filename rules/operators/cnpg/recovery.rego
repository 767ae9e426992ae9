package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# barman-cloud looks below the name of the external cluster (GetServerName of api/v1/cluster_funcs.go), and the plugin below that of the cluster which is recovered
# (internal/cnpgi/operator/config/config.go), where no serverName is written. Another one's backups are not found there: "no target backup found".
other_servers := [{
	"path": array.concat(["spec", "externalClusters", i], below),
	"reason": sprintf("Backups of server %s are looked for there, and cluster %s archives there as server %s: no backup is found", [sought, made.metadata.name, written]),
	"cure": sprintf("Write serverName: %s", [written]),
} |
	operator
	source := get.string(spec, ["bootstrap", "recovery", "source"])
	some i, external in get.list(spec, "externalClusters")
	name := get.string(external, "name")
	name == source
	not placeholder.unknown(name)
	some made in inventory.everywhere(k8s.api_version, "Cluster")
	meant(external, made)

	# One that was recovered itself has backups of its former life under its own name.
	not get.present(made, ["spec", "bootstrap", "recovery"])
	[below, sought, written] := same_place(external, made)
	written != sought
	not placeholder.holds(sought)
	not placeholder.unknown(written)
]

meant(external, made) if get.string(made, ["metadata", "name"]) == external.name

# The plugin looks for this cluster's own backups in a store that it does not archive to, and another cluster does.
meant(external, made) if {
	store := get.string(external, ["plugin", "parameters", "barmanObjectName"])
	own := archived_to(k8s.object)
	own != store
	not placeholder.unknown(own)
	{other.metadata.name | some other in inventory.everywhere(k8s.api_version, "Cluster"); archived_to(other) == store} == {made.metadata.name}
}

archived_to(made) := [store |
	some plugin in get.list(made, ["spec", "plugins"])
	get.boolean(plugin, "isWALArchiver")
	store := get.string(plugin, ["parameters", "barmanObjectName"])
][0]

# A name that no cluster can have is nobody's folder, but where a cluster says so itself.
meant(external, made) if {
	name := external.name
	not regex.match(`^[a-z0-9.-]+$`, name)
	not placeholder.holds(name)
	get.string(made, ["metadata", "name"]) != k8s.name
	count([1 | some other in inventory.everywhere(k8s.api_version, "Cluster"); says_server(other, name)]) == 0
}

# The cluster that was backed up is not there any more, and it was not called so. It may have archived as a server of that name.
nameless_servers := [{
	"path": ["spec", "externalClusters", i, "barmanObjectStore"],
	"reason": sprintf("Backups are looked for as those of %s, the name of the external cluster, which no cluster can have: none is found, unless they were archived with that serverName", [name]),
	"cure": "Write the name of the cluster that was backed up as serverName",
} |
	operator
	source := get.string(spec, ["bootstrap", "recovery", "source"])
	some i, external in get.list(spec, "externalClusters")
	name := get.string(external, "name")
	name == source
	get.string(external, ["barmanObjectStore", "destinationPath"])
	not get.present(external, ["barmanObjectStore", "serverName"])
	not regex.match(`^[a-z0-9.-]+$`, name)
	not placeholder.holds(name)
	count(other_servers) == 0
	count([1 | some made in array.concat([k8s.object], inventory.everywhere(k8s.api_version, "Cluster")); says_server(made, name)]) == 0
]

says_server(made, name) if {
	some method in array.concat([get.map(made, ["spec", "backup", "barmanObjectStore"])], [get.map(plugin, "parameters") | some plugin in get.list(made, ["spec", "plugins"])])
	get.string(method, "serverName") == name
}

same_place(external, made) := [["barmanObjectStore"], get.string(external, "name"), server_name(theirs, made.metadata.name)] if {
	ours := get.map(external, "barmanObjectStore")
	theirs := get.map(made, ["spec", "backup", "barmanObjectStore"])
	not get.present(ours, "serverName")
	place := get.string(ours, "destinationPath")
	not placeholder.unknown(place)
	trim_right(place, "/") == trim_right(get.string(theirs, "destinationPath"), "/")
	object.get(ours, "endpointURL", "") == object.get(theirs, "endpointURL", "")
}

same_place(external, made) := [["plugin", "parameters"], k8s.name, server_name(get.map(plugin, "parameters"), made.metadata.name)] if {
	ours := get.map(external, ["plugin", "parameters"])
	not get.present(ours, "serverName")
	store := get.string(ours, "barmanObjectName")
	not placeholder.unknown(store)
	made.metadata.name != k8s.name
	get.string(made, ["metadata", "namespace"]) == get.string(k8s.object, ["metadata", "namespace"])
	some plugin in get.list(made, ["spec", "plugins"])
	get.boolean(plugin, "isWALArchiver")
	get.string(plugin, ["parameters", "barmanObjectName"]) == store
}

# backupID says where the replay begins (BuildPostgresOptions of api/v1/cluster_funcs.go): without a target it goes to the end of the WAL, as from any other backup. Whoever has a reason to begin at an older one wants just that.
backups_alone := [{
	"name": "backupID as a target",
	"value": id,
	"path": ["spec", "bootstrap", "recovery", "recoveryTarget", "backupID"],
	"reason": "the WAL is replayed to its end after it, so that the latest state is restored; for that of the backup add targetImmediate: true",
	"level": "info",
} |
	operator
	target := get.map(spec, ["bootstrap", "recovery", "recoveryTarget"])
	id := get.string(target, "backupID")
	id != ""
	count([1 | some field, value in target; not field in {"backupID", "exclusive", "targetTLI"}; value != false]) == 0
]
