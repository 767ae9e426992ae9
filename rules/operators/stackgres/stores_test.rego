package walguard.operators.stackgres_stores_test

import data.walguard.operators.stackgres

stored(settings) := found if found := stackgres.cluster with input as {
	"review": {"object": {"apiVersion": "stackgres.io/v1", "kind": "SGCluster", "metadata": {"name": "stock", "namespace": "shop"}, "spec": {"configurations": {"backups": [{"sgObjectStorage": "store"}]}}}},
	"inventory": {"namespace": {"shop": {"stackgres.io/v1beta1": {"SGObjectStorage": {"store": {
		"apiVersion": "stackgres.io/v1beta1", "kind": "SGObjectStorage", "metadata": {"name": "store", "namespace": "shop"},
		"spec": {"type": "s3Compatible", "s3Compatible": object.union({"bucket": "b"}, settings)},
	}}}}}},
}

test_store_without_path_style if {
	stored({"endpoint": "http://minio:9000"}).unusable_stores == [{
		"reason": "WAL-G asks for b.minio, for enablePathStyleAddressing is not set, and no Service or address is called so: nothing is archived or backed up",
		"cure": "Set enablePathStyleAddressing: true",
		"path": ["spec", "s3Compatible", "endpoint"],
		"resource": {"apiVersion": "stackgres.io/v1beta1", "kind": "SGObjectStorage", "name": "store", "namespace": "shop"},
	}]
	every endpoint in ["http://minio.storage.svc:9000", "http://minio.storage.svc.cluster.local:9000", "https://10.0.0.7"] {
		count(stored({"endpoint": endpoint}).unusable_stores) == 1
		not stored({"endpoint": endpoint, "enablePathStyleAddressing": true}).unusable_stores
	}
	every endpoint in ["https://store.example.com", "${ENDPOINT}"] {
		not stored({"endpoint": endpoint}).unusable_stores
	}
	not stored({"endpoint": "http://minio:9000", "bucket": "${BUCKET}"}).unusable_stores
}

test_store_without_region if {
	[[refusal.level, refusal.cure, refusal.path] | some refusal in stored({"endpoint": "https://s3.fr-par.scw.cloud"}).store_refusals] == [["warning", "Set region", ["spec", "s3Compatible", "endpoint"]]]
	not stored({"endpoint": "https://s3.fr-par.scw.cloud", "region": "fr-par"}).store_refusals
	not stored({"endpoint": "https://store.example.com"}).store_refusals
}
