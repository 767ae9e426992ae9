package walguard.operators.cnpg

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.k8s

# size and storageClass of the storage itself win over its pvcTemplate.
volumes[role] := volume if {
	some role, field in {"data": "storage", "wal": "walStorage"}
	is_object(object.get(spec, field, null))
	volume := storage(["spec", field])
}

storage(path) := shared.volume(path, array.concat(path, ["size"]), array.concat(path, ["storageClass"]), [
	shared.located(k8s.object, array.concat(path, ["pvcTemplate"]), shared.claim_fields),
	shared.located(k8s.object, path, {"size": ["size"], "class": ["storageClass"]}),
	shared.many_nodes(k8s.object, array.concat(path, ["pvcTemplate"])),
])

tablespaces := [volume |
	some i, tablespace in get.list(spec, "tablespaces")
	is_object(object.get(tablespace, "storage", null))
	volume := object.union_n([
		storage(["spec", "tablespaces", i, "storage"]),
		{"name": shared.name_or(tablespace, i)},
		{"temporary": true | get.boolean(tablespace, "temporary")},
	])
]
