package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# The server whose backups are looked for is the name of the external cluster unless serverName says another one. Where that is the name of
# a cluster in sight which archives to the same place under another name, nothing is found: "no target backup found".
other_servers := [{
	"path": array.concat(["spec", "externalClusters", i], below),
	"reason": sprintf("Backups of server %s are looked for there, and cluster %s archives there as server %s: no backup is found", [name, name, written]),
	"cure": sprintf("Write serverName: %s", [written]),
} |
	operator
	source := get.string(spec, ["bootstrap", "recovery", "source"])
	some i, external in get.list(spec, "externalClusters")
	name := get.string(external, "name")
	name == source
	not placeholder.unknown(name)
	some made in inventory.everywhere(k8s.api_version, "Cluster")
	get.string(made, ["metadata", "name"]) == name

	# One that was recovered itself has backups of its former life under its own name.
	not get.present(made, ["spec", "bootstrap", "recovery"])
	[below, written] := same_place(external, made)
	written != name
	not placeholder.unknown(written)
]

same_place(external, made) := [["barmanObjectStore"], get.string(theirs, "serverName")] if {
	ours := get.map(external, "barmanObjectStore")
	theirs := get.map(made, ["spec", "backup", "barmanObjectStore"])
	not get.present(ours, "serverName")
	place := get.string(ours, "destinationPath")
	not placeholder.unknown(place)
	trim_right(place, "/") == trim_right(get.string(theirs, "destinationPath"), "/")
	object.get(ours, "endpointURL", "") == object.get(theirs, "endpointURL", "")
}

same_place(external, made) := [["plugin", "parameters"], get.string(plugin, ["parameters", "serverName"])] if {
	ours := get.map(external, ["plugin", "parameters"])
	not get.present(ours, "serverName")
	store := get.string(ours, "barmanObjectName")
	not placeholder.unknown(store)
	get.string(made, ["metadata", "namespace"]) == get.string(k8s.object, ["metadata", "namespace"])
	some plugin in get.list(made, ["spec", "plugins"])
	get.boolean(plugin, "isWALArchiver")
	get.string(plugin, ["parameters", "barmanObjectName"]) == store
}
