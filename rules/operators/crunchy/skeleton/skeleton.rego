# METADATA
# description: A new cluster of Crunchy's operator, as far as tuning is concerned.
package walguard.operators.crunchy.skeleton

import data.walguard.tune.wanted

manifest := {"objects": array.concat([cluster], wanted.classes)}

cluster := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": wanted.name},
	"spec": object.union_n([
		{"instances": [instance_set]},
		object.union_n([{"postgresVersion": to_number(version)} | version := wanted.version]),
		wanted.field("config", wanted.field("parameters", wanted.parameters)),
	]),
}

instance_set := object.union_n([
	{"name": "main", "replicas": 2},
	wanted.field("resources", wanted.resources),
	object.union_n([{field: wanted.claim(role)} |
		some role, field in {"data": "dataVolumeClaimSpec", "wal": "walVolumeClaimSpec"}
		wanted.volumes[role]
	]),
])
