# METADATA
# description: A new cluster of Percona's operator, as far as tuning is concerned.
package walguard.operators.percona.skeleton

import data.walguard.tune.wanted

manifest := {"objects": array.concat([cluster], wanted.classes)}

cluster := {
	"apiVersion": "pgv2.percona.com/v2",
	"kind": "PerconaPGCluster",
	"metadata": {"name": wanted.name},
	"spec": object.union_n([
		{"crVersion": "2.7.0", "instances": [instance_set]},
		object.union_n([{"postgresVersion": to_number(version)} | version := wanted.version]),
		wanted.field("patroni", wanted.field("dynamicConfiguration", wanted.field("postgresql", wanted.field("parameters", wanted.parameters)))),
	]),
}

instance_set := object.union_n([
	{"name": "main", "replicas": 3},
	wanted.field("resources", wanted.resources),
	object.union_n([{field: wanted.claim(role)} |
		some role, field in {"data": "dataVolumeClaimSpec", "wal": "walVolumeClaimSpec"}
		wanted.volumes[role]
	]),
])
