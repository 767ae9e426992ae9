package walguard.lib.crunchy

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.reference

# What a new cluster is restored from (spec.dataSource).

# METADATA
# description: The moment that a new cluster is restored to, as walguard.model has it. The server takes one without a time zone for its own.
recovery_target := object.union(fact.written(moments[0].text, moments[0].path), {"local": true}) if count(moments) == 1

moments := [{"text": replace(found[0][1], "T", " "), "path": words.path} |
	some words in restore_words
	words.path[1] == "dataSource"
	regex.match(`--type[= ]["']?time`, words.text)
	found := regex.find_all_string_submatch_n(`--target[= ]["']?([0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.]+ ?([+-][0-9:]+|Z)?)?)`, words.text, 1)
	count(found) == 1
]

# reconcilePostgresClusterDataSource (internal/controller/postgrescluster/pgbackrest.go) says so in an event, and nothing is restored.
lost_sources := [object.union(fault, {"path": ["spec", "dataSource", "postgresCluster", "clusterName"]}) |
	named := get.map(spec, ["dataSource", "postgresCluster"])
	name := get.string(named, "clusterName")
	not placeholder.holds(name)
	source_namespace(k8s.object, named) == k8s.namespace
	fault := lost_source(name)
]

lost_source(name) := {
	"reason": sprintf("dataSource names %s %s itself, which has no backup before it has data: nothing is restored and no instance starts", [k8s.kind, name]),
	"cure": "Name the cluster to copy, restore by dataSource.pgbackrest, or take spec.dataSource out",
} if {
	name == k8s.name
	k8s.new
} else := fault if {
	fault := reference.lost({"what": "dataSource", "version": k8s.api_version, "kind": k8s.kind, "name": name, "consequence": "nothing is restored and no instance starts"}, {k8s.name})
} else := {
	"reason": sprintf("dataSource names %s %s, which is not in namespace %s: nothing is restored and no instance starts", [k8s.kind, name, k8s.namespace]),
	"cure": "Take spec.dataSource out, or name a cluster that is there",
	# It may be created a moment later, or was a moment ago.
	"level": "warning",
} if {
	inventory.complete

	# It is read while the cluster has no data.
	k8s.new
	not inventory.namespaced_object(k8s.namespace, k8s.api_version, k8s.kind, name)
}

# METADATA
# description: What is left aside without a word, as walguard.model has what is ignored. reconcileDataSource asks for the second way only where the first is not written (internal/controller/postgrescluster/cluster.go).
left_aside := array.concat(array.concat(slots_unused, astray), [{"name": "dataSource.pgbackrest", "path": ["spec", "dataSource", "pgbackrest"], "level": "warning", "reason": "the operator restores from dataSource.postgresCluster where both stand. Take one of them out"} |
	sources := get.map(spec, "dataSource")
	every way in ["pgbackrest", "postgresCluster"] {
		count(get.map(sources, way)) > 0
	}
])

# METADATA
# description: Restores of one backup that go on to the end of the archive, as walguard.model has what is ignored.
sets_alone := [{"name": "--set", "path": words.path, "reason": after_set, "level": "warning"} |
	some words in restore_words
	runs(words)
	set_alone(words.text)
]

# METADATA
# description: True of the options of such a restore. pgBackRest replays the archive to its end after any set, unless --type says otherwise.
set_alone(options) if {
	regex.match(`(^| )--set[= ]["']?[0-9]{8}-[0-9]{6}`, options)
	not regex.match(`(^| )--(type|target)[= ]`, options)
	not placeholder.holds(options)
}

# METADATA
# description: What becomes of it.
after_set := "the WAL is replayed to its end after that backup, so that the latest state is restored; for that of the backup add --type=immediate"
