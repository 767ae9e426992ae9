package walguard.operators.stackgres

import data.walguard.lib.barman
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# The SGObjectStorages that the cluster archives to, each with what it says of its kind of store.
stores := [{"kind": field, "store": get.map(found, ["spec", field]), "path": ["spec", field], "resource": k8s.reference(found)} |
	reviewed_cluster
	name := {n | some backup in get.list(home, backups_path); n := get.string(backup, "sgObjectStorage")}[_]
	found := inventory.namespaced_object(k8s.namespace, "stackgres.io/v1beta1", "SGObjectStorage", name)
	some field in ["s3", "s3Compatible", "gcs", "azureBlob"]
	count(get.map(found, ["spec", field])) > 0
]

# WAL-G writes the bucket in front of the host unless it is told otherwise (AbstractBackupConfigMap.java, AWS_S3_FORCE_PATH_STYLE), where no Service is called so.
facts contains {"unusable_stores": found} if {
	found := [object.union(
		{
			"reason": sprintf("WAL-G asks for %s.%s, for enablePathStyleAddressing is not set, and no Service or address is called so: nothing is archived or backed up", [bucket, host]),
			"cure": "Set enablePathStyleAddressing: true",
			"path": array.concat(one.path, ["endpoint"]),
		},
		object.filter(one, ["resource"]),
	) |
		some one in stores
		one.kind == "s3Compatible"
		not get.boolean(one.store, "enablePathStyleAddressing")
		not get.unknown(one.store, "enablePathStyleAddressing")
		bucket := get.string(one.store, "bucket")
		not placeholder.holds(bucket)
		host := regex.find_all_string_submatch_n(`^https?://([^/:]+)`, get.lower_case(get.string(one.store, "endpoint")), 1)[0][1]
		regex.match(`^([a-z0-9-]+|[a-z0-9.-]+\.svc(\.[a-z0-9.-]+)?|[0-9]{1,3}(\.[0-9]{1,3}){3})$`, host)
	]
	count(found) > 0
}

facts contains {"store_refusals": found} if {
	found := [object.union(
		{
			"reason": replace(verdict.reason, "boto3", "WAL-G"),
			"cure": "Set region",
			"level": verdict.level,
			"path": array.concat(one.path, ["endpoint"]),
		},
		object.filter(one, ["resource"]),
	) |
		some one in stores
		one.kind == "s3Compatible"
		not get.present(one.store, "region")
		endpoint := get.lower_case(get.string(one.store, "endpoint"))
		not placeholder.unknown(endpoint)
		verdict := barman.unregional(endpoint)
	]
	count(found) > 0
}
