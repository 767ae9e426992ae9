# METADATA
# description: A new CloudNativePG cluster, as far as tuning is concerned.
package walguard.operators.cnpg.skeleton

import data.walguard.tune.wanted

manifest := {"objects": array.concat([cluster], wanted.classes)}

cluster := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": wanted.name},
	"spec": object.union_n([
		{"instances": 3},
		wanted.field("imageCatalogRef", catalogue),
		wanted.field("postgresql", wanted.field("parameters", wanted.parameters)),
		wanted.field("resources", wanted.resources),
		object.union_n([{field: storage(role)} |
			some role, field in {"data": "storage", "wal": "walStorage"}
			wanted.volumes[role]
		]),
	]),
}

catalogue := {"apiGroup": "postgresql.cnpg.io", "kind": "ClusterImageCatalog", "name": "postgresql", "major": to_number(wanted.version)} if wanted.version

catalogue := {} if not wanted.version

storage(role) := object.union_n([
	object.filter(wanted.volumes[role], ["size"]),
	wanted.field("storageClass", object.get(wanted.volumes[role], "class", null)),
])
