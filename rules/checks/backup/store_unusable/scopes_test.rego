package walguard.checks.backup.store_unusable_scopes_test

import data.walguard.checks.backup.store_unusable as check

uid := "efd12e58-5786-11e8-b5a7-06148230260c"

# The clone acid-db2 of acid-db, with the configuration of the operator and the variables of the pods.
copied(clone, cloud, objects) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-db2", "namespace": "prod"},
		"spec": object.union({"clone": object.union({"cluster": "acid-db", "timestamp": "2026-11-20T10:00:00+00:00", "uid": uid}, clone)}, object.get(objects, "spec", {})),
	}},
	"inventory": {"namespace": {
		"ops": {
			"acid.zalan.do/v1": {"OperatorConfiguration": {"operator": {
				"apiVersion": "acid.zalan.do/v1",
				"kind": "OperatorConfiguration",
				"metadata": {"name": "operator", "namespace": "ops"},
				"configuration": {"aws_or_gcp": cloud, "kubernetes": object.union({"pod_environment_configmap": "ops/pods"}, object.get(objects, "kubernetes", {}))},
			}}},
			"v1": {"ConfigMap": {"pods": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "ops"}, "data": objects.variables}}},
		},
		"prod": {
			"acid.zalan.do/v1": {"postgresql": {"acid-db": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-db", "namespace": "prod"}, "spec": object.get(objects, "source", {})}}},
			"v1": {"Secret": object.get(objects, "secrets", {})},
		},
	}},
}

bucket := {"WAL_S3_BUCKET": "b", "CLONE_WAL_S3_BUCKET": "b"}

test_clone_below_another_scope if {
	copied({}, {}, {"variables": bucket}) == {{
		"message": "WAL_S3_BUCKET among the variables of the pods archives without the uid, and the clone looks below acid-db and its uid: it finds no backup. Set spec.clone.s3_wal_path to s3://BUCKET/spilo/NAMESPACE-CLUSTER/wal/VERSION.",
		"path": ["spec", "clone", "uid"],
		"severity": "warning",
	}}
	count(copied({}, {}, {"variables": {"WAL_GS_BUCKET": "b", "CLONE_WAL_GS_BUCKET": "b"}})) == 1
	count(copied({}, {}, {"variables": object.union(bucket, {"WAL_BUCKET_SCOPE_SUFFIX": ""})})) == 1

	# Those of spec.clone come before them.
	count(copied({}, {}, {"variables": object.union(bucket, {"CLONE_WAL_BUCKET_SCOPE_SUFFIX": ""})})) == 1
	count(copied({}, {}, {"variables": {"WAL_S3_BUCKET": "b"}, "spec": {"env": [{"name": "CLONE_WAL_S3_BUCKET", "value": "b"}]}})) == 1
}

test_clone_in_the_same_scope if {
	copied({"s3_wal_path": "s3://b/spilo/prod-acid-db/wal/16"}, {}, {"variables": bucket}) == set()
	copied({}, {"wal_s3_bucket": "b"}, {"variables": bucket}) == set()
	copied({}, {"wal_az_storage_account": "a"}, {"variables": bucket}) == set()
	copied({"uid": ""}, {}, {"variables": bucket}) == set()
	copied({"uid": "${UID}"}, {}, {"variables": bucket}) == set()
	copied({}, {}, {"variables": object.union(bucket, {"WAL_BUCKET_SCOPE_SUFFIX": "/x"})}) == set()
	copied({}, {}, {"variables": object.union(bucket, {"CLONE_WAL_S3_BUCKET": "other"})}) == set()
	copied({}, {}, {"variables": object.union(bucket, {"CLONE_WALG_S3_PREFIX": "s3://b/spilo/prod-acid-db/wal"})}) == set()
	copied({}, {}, {"variables": object.union(bucket, {"WALG_S3_PREFIX": "s3://b/x"})}) == set()
	copied({}, {}, {"variables": bucket, "source": {"env": [{"name": "WAL_BUCKET_SCOPE_SUFFIX", "value": "/x"}]}}) == set()
	copied({}, {}, {"variables": bucket, "kubernetes": {"pod_environment_secret": "keys"}}) == set()
	copied({}, {}, {"variables": bucket, "spec": {"envFrom": [{"configMapRef": {"name": "more"}}]}}) == set()
}

secret(data_of) := {
	"kubernetes": {"pod_environment_secret": "keys"},
	"variables": {},
	"secrets": {"keys": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "prod"}}, data_of)},
}

test_bucket_in_a_secret if {
	{f.path | some f in copied({}, {}, secret({"data": {"WAL_S3_BUCKET": "Yg==", "CLONE_WAL_S3_BUCKET": "Yg=="}}))} == {["spec", "clone", "uid"]}
	count(copied({}, {}, secret({"stringData": bucket}))) == 1
	copied({}, {}, secret({"stringData": object.union(bucket, {"CLONE_WAL_S3_BUCKET": "c"})})) == set()
	copied({}, {}, secret({"stringData": object.union(bucket, {"WAL_BUCKET_SCOPE_SUFFIX": "/x"})})) == set()
	copied({}, {}, secret({"data": {"WAL_S3_BUCKET": "Yg==", "CLONE_WAL_S3_BUCKET": "Yg==", "WAL_BUCKET_SCOPE_SUFFIX": "L3g="}})) == set()
	copied({}, {}, object.union(secret({"stringData": bucket}), {"spec": {"env": [{"name": "CLONE_WAL_S3_BUCKET", "value": "c"}]}})) == set()
}

unnamed(clone, spec) := {[f.severity, f.path, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-copy", "namespace": "prod"},
		"spec": object.union({"clone": object.union({"cluster": "acid-db", "timestamp": "2026-11-20T10:00:00+00:00"}, clone)}, spec),
	}}}
}

test_without_uid_and_without_configuration if {
	unnamed({}, {}) == {["warning", ["spec", "clone"], "spec.clone has no uid, and the operator archives below the uid of a cluster where the bucket is of its configuration: no backup is found there. Set spec.clone.uid to metadata.uid of the source."]}
	unnamed({"uid": uid}, {}) == set()
	unnamed({"s3_wal_path": "s3://b/spilo/acid-db/wal/17"}, {}) == set()
	unnamed({}, {"env": [{"name": "CLONE_WALG_S3_PREFIX", "value": "s3://b/spilo/acid-db/wal/17"}]}) == set()
	unnamed({}, {"envFrom": [{"configMapRef": {"name": "store"}}]}) == set()
	by_map := check.findings with input as {
		"review": {"object": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "postgresql",
			"metadata": {"name": "acid-copy", "namespace": "prod"},
			"spec": {"clone": {"cluster": "acid-db", "timestamp": "2026-11-20T10:00:00+00:00"}},
		}},
		"inventory": {"namespace": {"ops": {"v1": {"ConfigMap": {"pods": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "ops"}, "data": {"CLONE_WAL_S3_BUCKET": "b"}}}}}}},
	}
	by_map == set()
}
