package walguard.lib.crunchy

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.machine

instance_sets := [instance_set(i, set) |
	some i, set in get.list(spec, "instances")
	is_object(set)
]

existing := {"data": "pgDataVolume", "wal": "pgWALVolume"}

# The operator calls an unnamed set by its position.
instance_set(i, set) := object.union_n([
	{
		"name": shared.name_or(set, i),
		"path": path,
		"replicas": replicas(set, array.concat(path, ["replicas"])),
		"resources": shared.resources(set, ["resources"]),
		"resources_path": array.concat(path, ["resources"]),
		"wal_path": array.concat(path, ["walVolumeClaimSpec"]),
	},
	{"node_types": found | found := machine.types(k8s.object, array.concat(path, ["nodeSelector"]), array.concat(path, ["affinity", "nodeAffinity"]))},
	{role: volume |
		some role, field in {"data": "dataVolumeClaimSpec", "wal": "walVolumeClaimSpec"}

		# One that is taken over may be on any storage.
		not get.present(spec, ["dataSource", "volumes", existing[role]])
		volume := shared.claim(k8s.object, array.concat(path, [field]))
	},
	{"tablespaces": tablespaces |
		tablespaces := [object.union(volume, {"name": shared.name_or(tablespace, j)}) |
			some j, tablespace in get.list(set, "tablespaceVolumes")
			volume := shared.claim(k8s.object, array.concat(path, ["tablespaceVolumes", j, "dataVolumeClaimSpec"]))
		]
		count(tablespaces) > 0
	},
]) if {
	path := ["spec", "instances", i]
}

replicas(set, path) := fact.written(n, path) if n := shared.whole(object.get(set, "replicas", null))

replicas(set, path) := fact.operator(1, path) if not shared.whole(object.get(set, "replicas", null))

instances := {"value": total, "origin": origin, "path": path} if {
	count(instance_sets) > 0
	total := sum([set.replicas.value | some set in instance_sets])
	[origin, path] := said(["written" | some set in instance_sets; set.replicas.origin == "written"])
}

said(written) := ["written", ["spec", "instances"]] if count(written) > 0

said([]) := ["operator", ["spec", "instances"]]

synchronous := fact.written(get.boolean(k8s.object, synchronous_path), synchronous_path)

# Patroni 4 counts standbys instead of naming one.
synchronous := fact.written(true, synchronous_path) if get.lower_case(get.string(k8s.object, synchronous_path)) == "quorum"

synchronous_path := ["spec", "patroni", "dynamicConfiguration", "synchronous_mode"]

slots_path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "use_slots"]

slots := fact.written(get.boolean(k8s.object, slots_path), slots_path)

# Unlike Patroni: a standby that is behind reads the archive.
slots := fact.operator(false, slots_path) if {
	count(spec) > 0
	not is_boolean(object.get(k8s.object, slots_path, null))
}
