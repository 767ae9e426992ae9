package walguard.checks.backup.store_checksums_test

import data.walguard.checks.backup.store_checksums as check

cluster(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

store(endpoint) := {"destinationPath": "s3://backups", "endpointURL": endpoint, "s3Credentials": {"accessKeyId": {"name": "s3", "key": "id"}, "secretAccessKey": {"name": "s3", "key": "key"}}}

in_tree(endpoint, more) := found if found := check.findings with input as {"review": {"object": cluster(object.union({"backup": {"barmanObjectStore": store(endpoint)}}, more))}}

plugin(endpoint, more) := found if found := check.findings with input as {
	"review": {"object": cluster({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]})},
	"inventory": {"namespace": {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"store": {
		"apiVersion": "barmancloud.cnpg.io/v1",
		"kind": "ObjectStore",
		"metadata": {"name": "store", "namespace": "prod"},
		"spec": object.union({"configuration": store(endpoint)}, more),
	}}}}}},
}

environment := [{"name": "AWS_REQUEST_CHECKSUM_CALCULATION", "value": "when_required"}]

test_google if {
	plugin("https://storage.googleapis.com", {}) == {{
		"message": "Google Cloud Storage refuses the checksums that boto3 sends to it since 1.36 (\"SignatureDoesNotMatch\"), so that nothing is archived or backed up. Set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to when_required, or use gs:// with googleCredentials.",
		"path": ["spec", "configuration", "endpointURL"],
		"severity": "warning",
		"resource": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "name": "store", "namespace": "prod"},
	}}
	{[f.severity, f.path] | some f in in_tree("https://storage.googleapis.com/", {})} == {["warning", ["spec", "backup", "barmanObjectStore", "endpointURL"]]}
}

test_other_stores if {
	every endpoint in ["https://s3.eu-west-1.wasabisys.com", "https://s3.example.com:9000", "http://rook-ceph-rgw-store.rook-ceph.svc:80"] {
		{f.severity | some f in plugin(endpoint, {})} == {"info"}
	}
}

test_taken if {
	every endpoint in ["https://s3.eu-west-1.amazonaws.com", "http://minio:9000", "http://minio.minio", "https://minio.minio.svc.cluster.local:9000", "${S3_ENDPOINT}"] {
		plugin(endpoint, {}) == set()
	}
}

test_not_sent if {
	plugin("https://storage.googleapis.com", {"instanceSidecarConfiguration": {"env": environment}}) == set()
	in_tree("https://storage.googleapis.com", {"env": environment}) == set()
}

test_silent_when_unknown if {
	in_tree("https://storage.googleapis.com", {"envFrom": [{"configMapRef": {"name": "aws"}}]}) == set()
	check.findings == set() with input as {"review": {"object": cluster({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]})}}
}

# What a cluster is recovered from is only read.
test_of_a_source if {
	check.findings == set() with input as {"review": {"object": cluster({"externalClusters": [{"name": "old", "barmanObjectStore": store("https://storage.googleapis.com")}]})}}
}
