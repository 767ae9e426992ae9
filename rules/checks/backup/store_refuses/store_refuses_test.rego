package walguard.checks.backup.store_refuses_test

import data.walguard.checks.backup.store_refuses as check

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
		"message": "Google Cloud Storage refuses the checksums of boto3 1.36 and later (\"SignatureDoesNotMatch\"): no backup is stored. Set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to when_required, or use gs://.",
		"path": ["spec", "configuration", "endpointURL"],
		"severity": "warning",
		"resource": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "name": "store", "namespace": "prod"},
	}}
	{[f.severity, f.path] | some f in in_tree("https://storage.googleapis.com/", {})} == {["warning", ["spec", "backup", "barmanObjectStore", "endpointURL"]]}
}

test_backblaze if {
	refused_checksums({}) == {"warning"}
	refused_checksums({"instanceSidecarConfiguration": {"env": environment}}) == set()
}

refused_checksums(more) := {f.severity |
	some f in plugin("https://s3.us-west-004.backblazeb2.com", more)
	startswith(f.message, "Backblaze B2 refuses the checksums of boto3 1.36")
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
	of_the_cluster := check.findings with input as {
		"review": {"object": cluster({"env": environment, "plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]})},
		"inventory": {"namespace": {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"store": {
			"apiVersion": "barmancloud.cnpg.io/v1",
			"kind": "ObjectStore",
			"metadata": {"name": "store", "namespace": "prod"},
			"spec": {"configuration": store("https://storage.googleapis.com")},
		}}}}}},
	}
	of_the_cluster == set()
}

encrypted(endpoint, how) := found if found := check.findings with input as {"review": {"object": cluster({"backup": {"barmanObjectStore": object.union(store(endpoint), how)}, "env": environment})}}

test_encryption if {
	encrypted("https://fsn1.your-objectstorage.com", {"wal": {"encryption": "AES256"}, "data": {"encryption": "AES256"}}) == {{
		"message": "Object Storage of Hetzner refuses what it shall encrypt with keys of its own, for it has none, so that nothing is archived or backed up. Take encryption out, or have the store encrypt.",
		"path": ["spec", "backup", "barmanObjectStore", "wal", "encryption"],
		"severity": "warning",
	}}
	{f.severity | some f in encrypted("https://nl-ams-1.linodeobjects.com", {"data": {"encryption": "aws:kms"}})} == {"warning"}
	every endpoint in ["http://minio:9000", "https://minio.example.com", "https://nas.example.com:9000"] {
		{[f.severity, f.path] | some f in encrypted(endpoint, {"data": {"encryption": "AES256"}})} == {["info", ["spec", "backup", "barmanObjectStore", "data", "encryption"]]}
	}
}

test_encryption_taken if {
	encrypted("http://minio:9000", {"data": {"compression": "gzip"}, "wal": {"encryption": ""}}) == set()
	encrypted("https://ACCOUNT.r2.cloudflarestorage.com", {"data": {"encryption": "AES256"}}) == set()
}

test_region if {
	{[f.severity, f.path] | some f in encrypted("http://garage.garage.svc:3900", {})} == {["warning", ["spec", "backup", "barmanObjectStore", "s3Credentials"]]}
	{f.severity | some f in encrypted("http://172.31.255.255:3900", {})} == {"info"}
	{f.severity | some f in encrypted("https://s3.fr-par.scw.cloud/", {})} == {"warning"}
	{f.severity | some f in encrypted("https://s3.gra.io.cloud.ovh.net/", {})} == {"warning"}
	{f.severity | some f in encrypted("https://s3.europe-3.cloud.example", {})} == {"info"}
	{f.severity | some f in encrypted("https://s3.us-east-1.cloud.example", {})} == set()
	encrypted("https://s3.example.org", {}) == set()
	encrypted("https://s3.eu-central-1.amazonaws.com", {}) == set()
	encrypted("http://garage.garage.svc:3900", {"s3Credentials": {"region": {"name": "s3", "key": "region"}}}) == set()
	plugin("http://garage.garage.svc:3900", {"instanceSidecarConfiguration": {"env": [{"name": "AWS_DEFAULT_REGION", "value": "garage"}]}}) == set()
}

# Garage may be configured for the region that boto3 takes.
beside_garage(endpoint, api_version, kind, content) := found if found := check.findings with input as {
	"review": {"object": cluster({"backup": {"barmanObjectStore": store(endpoint)}, "env": environment})},
	"inventory": {"namespace": {"storage": {api_version: {kind: {"garage": object.union({"apiVersion": api_version, "kind": kind, "metadata": {"name": "garage", "namespace": "storage"}}, content)}}}}},
}

test_region_of_garage if {
	every row in [
		["v1", "ConfigMap", {"data": {"garage.toml": "[s3_api]\ns3_region = \"us-east-1\"\n"}}],
		["helm.toolkit.fluxcd.io/v2", "HelmRelease", {"spec": {"values": {"configMaps": {"garage": {"data": {"garage.toml": "[s3_api]\ns3_region = \"us-east-1\"\n"}}}}}}],
		["helm.toolkit.fluxcd.io/v2beta2", "HelmRelease", {"spec": {"values": {"garage": {"s3": {"api": {"region": "us-east-1", "rootDomain": ".s3"}}}}}}],
		["argoproj.io/v1alpha1", "Application", {"spec": {"source": {"helm": {"valuesObject": {"garage": {"s3": {"api": {"region": "us-east-1"}}}}}}}}],
	] {
		beside_garage("http://garage.storage.svc:3900", row[0], row[1], row[2]) == set()
		beside_garage("http://172.31.255.255:3900", row[0], row[1], row[2]) == set()
		{f.severity | some f in beside_garage("https://s3.fr-par.scw.cloud/", row[0], row[1], row[2])} == {"warning"}
	}
	every region in ["garage", "us-east-2"] {
		found := beside_garage("http://garage.storage.svc:3900", "v1", "ConfigMap", {"data": {"garage.toml": sprintf("s3_region = \"%s\"", [region])}})
		{[f.severity, f.message] | some f in found} == {["error", sprintf("No region is named, and boto3 signs for us-east-1 then, which Garage refuses (\"400 Bad Request\"), for its s3_region is %s: nothing is archived or backed up. Name the key of a Secret that holds %s in s3Credentials.region.", [region, region])]}
	}

	# Of two nobody knows which it is.
	{f.severity | some f in beside_garage("http://garage.storage.svc:3900", "v1", "ConfigMap", {"data": {"garage.toml": "s3_region = \"garage\"", "other.toml": "s3_region = \"eu\""}})} == {"warning"}
	{f.severity | some f in beside_garage("https://s3.fr-par.scw.cloud/", "v1", "ConfigMap", {"data": {"garage.toml": "s3_region = \"garage\""}})} == {"warning"}
	{f.severity | some f in beside_garage("http://garage.storage.svc:3900", "helm.toolkit.fluxcd.io/v2", "HelmRelease", {"spec": {"values": {"garage": {"s3": {"api": {"rootDomain": ".s3"}}}}}})} == {"warning"}
}

test_silent_when_unknown if {
	in_tree("https://storage.googleapis.com", {"envFrom": [{"configMapRef": {"name": "aws"}}]}) == set()
	check.findings == set() with input as {"review": {"object": cluster({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]})}}
}

# What a cluster is recovered from is only read.
test_of_a_source if {
	check.findings == set() with input as {"review": {"object": cluster({"externalClusters": [{"name": "old", "barmanObjectStore": store("https://storage.googleapis.com")}]})}}
}

logical(settings, spec) := {[f.severity, f.path, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "postgresql",
			"metadata": {"name": "acid-orders", "namespace": "prod"},
			"spec": object.union({"enableLogicalBackup": true}, spec),
		}},
		"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "OperatorConfiguration",
			"metadata": {"name": "o", "namespace": "ops"},
			"configuration": {"logical_backup": object.union({"logical_backup_s3_bucket": "b", "logical_backup_s3_endpoint": "https://s3.fr-par.scw.cloud"}, settings)},
		}}}}}},
	}
}

test_region_of_logical_backups if {
	logical({}, {}) == {[
		"warning",
		["configuration", "logical_backup", "logical_backup_s3_endpoint"],
		"No region is named, and the logical backups are signed for us-east-1 then, which Scaleway refuses (\"400 Bad Request\"), so that no logical backup is uploaded. Set logical_backup_s3_region.",
	]}
	logical({"logical_backup_s3_region": "fr-par"}, {}) == set()
	logical({"logical_backup_provider": "gcs"}, {}) == set()
	logical({"logical_backup_s3_endpoint": ""}, {}) == set()
	logical({"logical_backup_cronjob_environment_secret": "more"}, {}) == set()
	logical({}, {"enableLogicalBackup": false}) == set()
}

with_pgbackrest(text, annotations) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"serviceAccountName": "pg",
			"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "conf", "mountPath": "/etc/pgbackrest"}]}],
			"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
		}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {
		"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"pgbackrest.conf": text}}},
		"ServiceAccount": {"pg": {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "pg", "namespace": "prod", "annotations": annotations}}},
	}}}},
}

role := {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/backup"}

test_role_of_the_account if {
	with_pgbackrest("[global]\nrepo1-s3-key-type=auto\n", role) == {{
		"message": "repo1-s3-key-type=auto asks the node for its role, and the one of ServiceAccount pg (eks.amazonaws.com/role-arn) is read with web-id alone: unless the node may use the bucket, nothing is archived or backed up. Write web-id.",
		"path": ["data", "pgbackrest.conf"],
		"line": 2,
		"severity": "warning",
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "conf", "namespace": "prod"},
	}}
	with_pgbackrest("[global]\nrepo1-s3-key-type=web-id\n", role) == set()
	with_pgbackrest("[global]\nrepo1-s3-key-type=auto\n", {}) == set()
	with_pgbackrest("[global]\nrepo1-gcs-key-type=auto\n", role) == set()
}

crunchy(global, annotations) := {[f.severity, f.path] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"metadata": {"annotations": annotations}, "backups": {"pgbackrest": {"global": global, "repos": [{"name": "repo1", "s3": {"bucket": "b", "endpoint": "s3.eu-west-1.amazonaws.com", "region": "eu-west-1"}}]}}},
	}}}
}

test_role_of_the_cluster if {
	crunchy({"repo1-s3-key-type": "auto"}, role) == {["warning", ["spec", "backups", "pgbackrest", "global", "repo1-s3-key-type"]]}
	crunchy({"repo1-s3-key-type": "web-id"}, role) == set()
	crunchy({"repo1-s3-key-type": "auto"}, {}) == set()
	crunchy({}, role) == set()
	crunchy({"repo1-s3-key-type": "web-id"}, {}) == {["warning", ["spec", "backups", "pgbackrest", "global", "repo1-s3-key-type"]]}
	crunchy({"repo1-s3-key-type": "web-id"}, {"owner": "shop"}) == {["warning", ["spec", "backups", "pgbackrest", "global", "repo1-s3-key-type"]]}
	crunchy({"repo1-s3-key-type": "web-id"}, "${ANNOTATIONS}") == set()
}

by_web_id(endpoint, env) := count(found) if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "pgv2.percona.com/v2",
		"kind": "PerconaPGCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"crVersion": "2.8.0", "backups": {"pgbackrest": {"env": env, "global": {"repo1-s3-key-type": "web-id"}, "repos": [{"name": "repo1", "s3": {"bucket": "b", "endpoint": endpoint, "region": "eu-west-1"}}]}}},
	}}}
}

test_role_by_other_means if {
	by_web_id("s3.eu-west-1.amazonaws.com", []) == 1
	by_web_id("minio.corp", []) == 0
	by_web_id("s3.eu-west-1.amazonaws.com", [{"name": "AWS_ROLE_ARN", "value": "arn:aws:iam::1:role/a"}]) == 0
}

r2 := "https://3f1c2ab9d8e74c5f9a6b7c8d9e0f1a2b.r2.cloudflarestorage.com"

# The severities of what is said of a key.
of_key(endpoint, fields) := {[f.severity, f.path] |
	found := check.findings with input as {
		"review": {"object": cluster({"env": environment, "backup": {"barmanObjectStore": store(endpoint)}})},
		"inventory": {"namespace": {"prod": {"v1": {"Secret": {"s3": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s3", "namespace": "prod"}}, fields)}}}}},
	}
	some f in found
}

test_key_of_r2 if {
	of_key(r2, {"stringData": {"id": "3f1c2ab9d8e74c5f9a6b7c8d9e0"}}) == {["error", ["spec", "backup", "barmanObjectStore", "s3Credentials", "accessKeyId"]]}
	of_key(r2, {"data": {"id": base64.encode("3f1c2ab9d8e74c5f9a6b7c8d9e0")}}) == {["error", ["spec", "backup", "barmanObjectStore", "s3Credentials", "accessKeyId"]]}
	of_key(r2, {"stringData": {"id": "3f1c2ab9d8e74c5f9a6b7c8d9e0f1a2b"}}) == set()
	every word in ["your-access-key-id", "R2_ACCESS_KEY_ID", "${R2_KEY}", "<key>", "minio", "AKIAIOSFODNN7EXAMPLE"] {
		of_key(r2, {"stringData": {"id": word}}) == set()
	}
	of_key(r2, {}) == set()
	of_key("https://s3.eu-west-1.amazonaws.com", {"stringData": {"id": "3f1c2ab9d8e74c5f9a6b7c8d9e0"}}) == set()
}

of_file(text) := {f.message |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PostgresCluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"backups": {"pgbackrest": {"configuration": [{"secret": {"name": "s3"}}], "repos": [{"name": "repo1", "s3": {"bucket": "b", "endpoint": trim_prefix(r2, "https://"), "region": "auto"}}]}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"Secret": {"s3": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s3", "namespace": "prod"}, "stringData": {"s3.conf": text}}}}}}},
	}
	some f in found
}

test_key_of_r2_for_pgbackrest if {
	of_file("[global]\nrepo1-s3-key=3f1c2ab9d8e74c5f9a6b7c8d9e0\nrepo1-s3-key-secret=1f0c3b5d7e9f\n") == {"R2 refuses access keys of 27 characters (\"should be 32\"), as repo1-s3-key has it: nothing is archived or backed up. Write the Access Key ID of its token."}
	of_file("[global]\nrepo1-s3-key=3f1c2ab9d8e74c5f9a6b7c8d9e0f1a2b\n") == set()
	of_file("[global]\nrepo2-s3-key=3f1c2ab9d8e74c5f9a6b7c8d9e0\n") == set()
}

# The images of the minor releases that have boto3 1.35.99.
test_images_of_an_older_boto if {
	every tag in ["17.4", "16.8-bookworm", "13.20", "17.3@sha256:0123"] {
		in_tree("https://storage.googleapis.com", {"imageName": sprintf("ghcr.io/cloudnative-pg/postgresql:%s", [tag])}) == set()
	}
	every tag in ["17.5", "17.40", "16.9-bookworm"] {
		count(in_tree("https://storage.googleapis.com", {"imageName": sprintf("ghcr.io/cloudnative-pg/postgresql:%s", [tag])})) == 1
	}
}
