package walguard.operators.stackgres

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.placeholder
import data.walguard.lib.reference

# Objects and keys that the cluster names; see walguard.model. The operator stops at the first that it does not find (conciliation/cluster/context: "… was not found", "Key … not found in Secret").
facts contains {"unresolved": unresolved} if count(unresolved) > 0

facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

unresolved := array.concat(misspelt_clusters, [object.union(sure(found), {"path": asked.path}) |
	some asked in named_objects
	found := reference.lost(asked, {other.name | some other in named_objects; other.kind == asked.kind})
])

# Where another object that the cluster names is beside it, this one would be there too.
sure(found) := object.remove(found, ["level"]) if {
	some other in named_objects
	inventory.namespaced_object(k8s.namespace, other.version, other.kind, other.name)
} else := found

# A slip of the pen for the name of this cluster, which is the only one that is meant ("SGCluster … not found").
misspelt_clusters := [{
	"reason": sprintf("%s %s names cluster %s, which is not there, while %s is: %s", [kind, one.metadata.name, name, k8s.name, consequence_of_kind]),
	"cure": sprintf("Write %s", [k8s.name]),
	"path": ["spec", "sgCluster"],
	"resource": k8s.reference(one),
} |
	reviewed_cluster
	not sharded
	not placeholder.holds(k8s.name)
	some kind, consequence_of_kind in {"SGBackup": "no backup is taken", "SGDbOps": "nothing is done"}
	some one in inventory.list(k8s.namespace, api_version, kind)
	not get.present(one, "status")
	name := get.string(one, ["spec", "sgCluster"])
	name != k8s.name
	not placeholder.holds(name)
	not inventory.namespaced_object(k8s.namespace, api_version, "SGCluster", name)
	reference.slip(name, k8s.name)
	count([1 | some other, _ in inventory.by_name(k8s.namespace, api_version, "SGCluster"); other != k8s.name; reference.slip(name, other)]) == 0
]

named_objects := array.concat(others_by_name, array.concat(
	[{"what": "The cluster", "version": api_version, "kind": kind, "name": name, "consequence": consequence, "path": path} |
		reviewed_cluster
		some at in written_parts
		some [below, kind] in [
			[["sgInstanceProfile"], "SGInstanceProfile"],
			[["configurations", "sgPostgresConfig"], "SGPostgresConfig"],
			[["configurations", "sgPoolingConfig"], "SGPoolingConfig"],
		]
		path := array.concat(at, below)
		name := get.string(home, path)
	],
	array.concat(
		[{"what": "The cluster", "version": "stackgres.io/v1beta1", "kind": "SGObjectStorage", "name": name, "consequence": consequence, "path": array.concat(backups_path, [i, "sgObjectStorage"])} |
			reviewed_cluster
			some i, one in get.list(home, backups_path)
			name := get.string(one, "sgObjectStorage")
		],
		[{"what": "The cluster", "version": api_version, "kind": "SGBackup", "name": name, "consequence": "nothing is restored", "path": path} |
			reviewed_cluster
			not sharded
			path := ["spec", "initialData", "restore", "fromBackup", "name"]
			name := get.string(home, path)
		],
	),
))

others_by_name := array.concat(
	[{"what": "The cluster", "version": api_version, "kind": "SGScript", "name": name, "consequence": "its SQL is never run", "path": array.concat(path, [i, "sgScript"])} |
		reviewed_cluster
		some at in written_parts
		path := array.concat(at, ["managedSql", "scripts"])
		some i, one in get.list(home, path)
		name := get.string(one, "sgScript")
	],
	[{"what": "replicateFrom", "version": api_version, "kind": "SGCluster", "name": name, "consequence": consequence, "path": path} |
		reviewed_cluster
		not sharded
		path := ["spec", "replicateFrom", "instance", "sgCluster"]
		name := get.string(home, path)
		name != k8s.name
	],
)

consequence := "the operator creates and changes nothing while it is missing"

missing_keys := array.concat(
	[object.union(found, {"path": array.concat(path, ["key"]), "consequence": "the operator creates and changes nothing without it"}) |
		reviewed_cluster
		some path in array.concat(
			[array.concat(["spec", "configurations", "credentials", "users"], [user, field]) | some user in ["superuser", "replication", "authenticator"]; some field in ["username", "password"]],
			[
				["spec", "configurations", "credentials", "patroni", "restApiPassword"],
				["spec", "postgres", "ssl", "certificateSecretKeySelector"],
				["spec", "postgres", "ssl", "privateKeySecretKeySelector"],
			],
		)
		asked := get.map(home, path)
		found := keys.lacking("Secret", get.string(asked, "name"), get.string(asked, "key"))
	],
	[object.union(found, {"path": array.concat(path, ["key"]), "resource": k8s.reference(storage), "consequence": "the operator creates and changes nothing without it"}) |
		reviewed_cluster
		some one in get.list(home, backups_path)
		storage := inventory.namespaced_object(k8s.namespace, "stackgres.io/v1beta1", "SGObjectStorage", get.string(one, "sgObjectStorage"))
		some path in selectors
		asked := get.map(storage, path)
		found := keys.lacking("Secret", get.string(asked, "name"), get.string(asked, "key"))
	],
)

selectors := [["spec", kind, credentials, "secretKeySelectors", field] |
	some [kind, credentials, fields] in [
		["s3", "awsCredentials", ["accessKeyId", "secretAccessKey"]],
		["s3Compatible", "awsCredentials", ["accessKeyId", "secretAccessKey", "caCertificate"]],
		["gcs", "gcpCredentials", ["serviceAccountJSON"]],
		["azureBlob", "azureCredentials", ["storageAccount", "accessKey"]],
	]
	some field in fields
]
