package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.keys

facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

facts contains {"hosts": [concat("-", [k8s.name, role]) | some role in ["rw", "ro", "r"]]} if operator

# pkg/management/url/url.go
facts contains {"traffic": array.concat(
	[{"port": 8000, "from": "operator", "other_names": {"postgresql", "metrics"}, "consequence": "it learns nothing of their state, starts no standby and does not fail over"}],
	[{"port": 5432, "from": "instances", "other_names": {"status", "metrics"}, "consequence": "standbys cannot stream"} | instances.value > 1],
)} if {
	operator
}

facts contains {"annotations": {"path": ["spec", "inheritedMetadata", "annotations"], "volume": "pgdata"}} if operator

facts contains {"snapshot_classes": [{"name": name, "path": path} |
	some field in ["className", "walClassName"]
	path := ["spec", "backup", "volumeSnapshot", field]
	name := get.string(k8s.object, path)
]} if {
	operator
	get.present(k8s.object, ["spec", "backup", "volumeSnapshot"])
}

missing_keys := array.concat(array.concat(of_owner, of_stores), of_files)

# The operator creates the owner from it, and creates one itself where none is named (pkg/management/postgres/initdb.go).
of_owner := [object.union(found, {"path": array.concat(path, ["name"]), "consequence": "the cluster is not created"}) |
	operator
	some path in [["spec", "bootstrap", "initdb", "secret"], ["spec", "superuserSecret"]]
	name := get.string(k8s.object, array.concat(path, ["name"]))
	some key in ["username", "password"]
	found := keys.lacking("Secret", name, key)
]

of_stores := [object.union(found, {"path": array.concat(path, ["key"]), "consequence": "nothing is archived or backed up"}) |
	operator
	store := ["spec", "backup", "barmanObjectStore"]
	some below in [
		["s3Credentials", "accessKeyId"],
		["s3Credentials", "secretAccessKey"],
		["s3Credentials", "region"],
		["azureCredentials", "connectionString"],
		["azureCredentials", "storageAccount"],
		["azureCredentials", "storageKey"],
		["azureCredentials", "storageSasToken"],
		["googleCredentials", "applicationCredentials"],
		["endpointCA"],
	]
	path := array.concat(store, below)
	reference := get.map(k8s.object, path)
	found := keys.lacking("Secret", get.string(reference, "name"), get.string(reference, "key"))
]

of_files := [object.union(found, {"path": array.concat(path, [i, "key"]), "consequence": "the cluster is not created"}) |
	operator
	some field in ["postInitSQLRefs", "postInitApplicationSQLRefs", "postInitTemplateSQLRefs"]
	some list, kind in {"secretRefs": "Secret", "configMapRefs": "ConfigMap"}
	path := ["spec", "bootstrap", "initdb", field, list]
	some i, reference in get.list(k8s.object, path)
	found := keys.lacking(kind, get.string(reference, "name"), get.string(reference, "key"))
]
