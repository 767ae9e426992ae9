# METADATA
# description: A new cluster of StackGres with its profile, as far as tuning is concerned.
package walguard.operators.stackgres.skeleton

import data.walguard.tune.wanted

manifest := {"refusal": "StackGres has no WAL volume"} if wanted.volumes.wal

manifest := {"objects": array.concat(array.concat([cluster], profiles), wanted.classes)} if not wanted.volumes.wal

cluster := {
	"apiVersion": "stackgres.io/v1",
	"kind": "SGCluster",
	"metadata": {"name": wanted.name},
	"spec": object.union_n([
		{"instances": 3},
		object.union_n([{"postgres": {"version": version}} | version := wanted.version]),
		object.union_n([{"sgInstanceProfile": profile.metadata.name} | some profile in profiles]),
		wanted.field("pods", wanted.field("persistentVolume", volume)),
		wanted.field("configurations", wanted.field("postgres", wanted.field("postgresql.conf", wanted.parameters))),
	]),
}

profiles := [{
	"apiVersion": "stackgres.io/v1",
	"kind": "SGInstanceProfile",
	"metadata": {"name": wanted.name},
	"spec": wanted.amounts,
} |
	wanted.amounts != {}
]

volume := object.union(
	object.filter(wanted.volumes.data, ["size"]),
	wanted.field("storageClass", object.get(wanted.volumes.data, "class", null)),
) if {
	wanted.volumes.data
}

volume := {} if not wanted.volumes.data
