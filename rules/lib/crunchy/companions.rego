package walguard.lib.crunchy

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.k8s

# METADATA
# description: |
#   The containers that both operators put beside the server and into pods of their own, by the field below which the operator keeps their resources; see walguard.model, companions.
#   The init containers take the resources of one of these or of the server (internal/controller/postgrescluster/util.go, internal/postgres/reconcile.go), and PgBouncer's reloader has its own.
companions(sidecars) := [{"container": words, "resources": shared.resources(k8s.object, path), "burstable": burstable(array.concat(beside, [path])), "path": path} |
	some [words, path, beside] in array.concat(array.concat(of_instances(sidecars), of_backups(sidecars)), array.concat(of_restore, of_others))
	count([1 | some below in [[], ["requests"], ["limits"]]; get.unknown(k8s.object, array.concat(path, below))]) == 0
]

of_instances(sidecars) := array.concat(
	[[sprintf("container replication-cert-copy of %s", [set.name]), array.concat(set.path, [sidecars, "replicaCertCopy", "resources"]), [set.resources_path]] | some set in instance_sets],
	[[sprintf("container %s of %s", [object.get(sidecar, "name", "?"), set.name]), array.concat(set.path, [field, i, "resources"]), [set.resources_path]] |
		some set in instance_sets
		some field in {"sidecars": ["containers"], "containers": ["sidecars", "initContainers"]}[sidecars]
		some i, sidecar in get.list(k8s.object, array.concat(set.path, [field]))
		is_object(sidecar)
	],
)

of_backups(sidecars) := [[words, array.concat(pgbackrest, below), beside] |
	backed_up
	servers := [set.resources_path | some set in instance_sets]
	some [words, below, beside] in [
		["container pgbackrest of the instances", [sidecars, "pgbackrest", "resources"], servers],
		["container pgbackrest-config of the instances", [sidecars, "pgbackrestConfig", "resources"], servers],
		["the repository host", ["repoHost", "resources"], []],
		["a backup job", ["jobs", "resources"], []],
	]
]

backed_up if {
	count(repositories) > 0
	not off(["spec", "backups"])
}

of_restore := [["the restore job", array.concat(path, ["resources"]), []] |
	some path in [array.concat(pgbackrest, ["restore"]), ["spec", "dataSource", "postgresCluster"], ["spec", "dataSource", "pgbackrest"]]
	count(get.map(k8s.object, path)) > 0
	not off(path)
]

of_others := [[words, array.concat(path, ["resources"]), [set.resources_path | some set in instance_sets; path[1] == "monitoring"]] |
	some words, path in {"PgBouncer": ["spec", "proxy", "pgBouncer"], "the exporter": ["spec", "monitoring", "pgmonitor", "exporter"]}
	is_object(object.get(k8s.object, path, null))
]

burstable(paths) := count([1 | some path in paths; some field in ["requests", "limits"]; some _ in get.map(k8s.object, array.concat(path, [field]))]) > 0

off(path) if get.boolean(k8s.object, array.concat(path, ["enabled"])) == false
