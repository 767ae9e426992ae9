package walguard.operators.zalando_sources_test

import data.walguard.operators.zalando

stores(spec, others) := object.get(found, "unusable_stores", []) if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": spec}},
		"inventory": {"namespace": others},
	}
}

standby(names) := {
	"standby": {"s3_wal_path": "s3://archive/spilo/acid-orders/wal/16"},
	"env": [{"name": name, "value": "v"} | some name in names],
}

store := ["AWS_ENDPOINT", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]

configured := {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "OperatorConfiguration",
	"metadata": {"name": "main", "namespace": "ops"},
	"configuration": {"kubernetes": {"pod_environment_configmap": "ops/pods"}},
}}}}}

test_standby_without_variables_of_its_own if {
	stores(standby(store), {}) == [{
		"reason": "Spilo reads the archive of the primary by variables with STANDBY_ in front alone, and none is set: it looks for the backup at Amazon, and the standby never comes up",
		"cure": "Set STANDBY_AWS_ENDPOINT, its keys and the like",
		"path": ["spec", "standby", "s3_wal_path"],
	}]
	stores(standby(array.concat(store, ["STANDBY_AWS_ENDPOINT"])), {}) == []
	stores(standby(array.slice(store, 1, 3)), {}) == []
	stores(standby(store), configured) == []
	stores(object.union(standby(store), {"envFrom": [{"configMapRef": {"name": "more"}}]}), {}) == []
	stores(object.remove(standby(store), ["standby"]), {}) == []
}

test_source_of_a_standby_without_its_cipher if {
	encrypted := array.concat(store, ["STANDBY_AWS_ENDPOINT", "WALG_LIBSODIUM_KEY"])
	stores(standby(encrypted), {}) == [{
		"reason": "Spilo encrypts the archive with WALG_LIBSODIUM_KEY and reads the primary of the standby without STANDBY_WALG_LIBSODIUM_KEY: if that is encrypted too, wal-g cannot read it",
		"cure": "Set STANDBY_WALG_LIBSODIUM_KEY as well",
		"level": "warning",
		"path": ["spec", "standby", "s3_wal_path"],
	}]
	stores(standby(array.concat(encrypted, ["STANDBY_WALG_LIBSODIUM_KEY_PATH"])), {}) == []
	stores(standby(array.concat(store, ["STANDBY_AWS_ENDPOINT"])), {}) == []
	stores(standby(encrypted), configured) == []
}

test_scheme_of_wal_e if {
	source := {"cluster": "acid-old", "uid": "efd12e58-5786-11e8-b5a7-06148230260c", "timestamp": "2025-09-09T13:15:00+00:00", "s3_wal_path": "s3://b/w", "s3_access_key_id": "a", "s3_secret_access_key": "b"}
	stores({"clone": object.union(source, {"s3_endpoint": "http+path://rgw.rook-ceph.svc:80"})}, {}) == [{
		"reason": "s3_endpoint is http+path://rgw.rook-ceph.svc:80, whose scheme WAL-G does not know (\"unsupported protocol scheme\"): the clone never starts",
		"cure": "Write s3_endpoint: http://rgw.rook-ceph.svc:80",
		"path": ["spec", "clone", "s3_endpoint"],
	}]
	[fault.cure | some fault in stores({"clone": object.union(source, {"s3_endpoint": "s3+https://s3.example.com"})}, {})] == ["Write s3_endpoint: https://s3.example.com"]
}

test_endpoint_with_a_path if {
	source := {"cluster": "acid-old", "uid": "efd12e58-5786-11e8-b5a7-06148230260c", "timestamp": "2025-09-09T13:15:00+00:00", "s3_wal_path": "s3://b/w", "s3_access_key_id": "a", "s3_secret_access_key": "b"}
	[fault.path | some fault in stores({"clone": object.union(source, {"s3_endpoint": "http://minio:9000//backups/spilo"})}, {}); contains(fault.cure, "Write s3_endpoint: http://minio:9000,")] == [["spec", "clone", "s3_endpoint"]]
	every endpoint in ["http://minio:9000", "https://minio:9000/", "${ENDPOINT}/x"] {
		stores({"clone": object.union(source, {"s3_endpoint": endpoint})}, {}) == []
	}
}

prefixed(version, name, value) := [fault.path | some fault in stores({"postgresql": {"version": version}, "env": [{"name": "A", "value": "b"}, {"name": name, "value": value}]}, {}); contains(fault.reason, "both versions archive to one path")]

test_prefix_of_another_version if {
	prefixed("16", "WALE_S3_PREFIX", "s3://backups/spilo/orders/15") == [["spec", "env", 1]]
	prefixed("16", "WALG_GS_PREFIX", "gs://backups/15/") == [["spec", "env", 1]]
	every pair in [["WALG_S3_PREFIX", "s3://backups/16"], ["WALG_S3_PREFIX", "s3://backups/orders"], ["CLONE_WALG_S3_PREFIX", "s3://backups/15"], ["WALG_S3_PREFIX", "s3://backups/orders15"]] {
		prefixed("16", pair[0], pair[1]) == []
	}
}

# ------------------------------------------------------------------------------------------- sidecars of all clusters

with_sidecars(list) := found if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": {}}},
		"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"op": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "op", "namespace": "ops"}, "configuration": {"sidecars": list}}}}}}},
	}
}

test_sidecars_of_all_clusters if {
	resource := {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "namespace": "ops", "name": "op"}
	found := with_sidecars([{"name": "calm", "command": ["pg_exporter"]}, {"name": "loud", "command": ["sh", "-c", "psql -c 'ALTER SYSTEM SET fsync = off'"]}, {"command": ["pg_resetwal", "-f", "/d"]}])
	[one | some one in found.unread; contains(one.source, "sidecar")] == [{"source": "what sidecar loud of all clusters runs", "severity": "warning", "path": ["configuration", "sidecars", 1], "resource": resource}]
	found.cuts == [{"name": "2", "what": "runs pg_resetwal", "path": ["configuration", "sidecars", 2], "resource": resource}]
	not with_sidecars([{"command": ["pg_exporter"]}]).cuts
}

# ------------------------------------------------------------------------------------------- paths and certificates

stored(variables, image, spec) := object.get(found, "unusable_stores", []) if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": object.union({"postgresql": {"version": "12"}}, spec)}},
		"inventory": {"namespace": {"ops": {
			"acid.zalan.do/v1": {"OperatorConfiguration": {"op": {
				"apiVersion": "acid.zalan.do/v1",
				"kind": "OperatorConfiguration",
				"metadata": {"name": "op", "namespace": "ops"},
				"configuration": {"docker_image": image, "kubernetes": {"pod_environment_configmap": "ops/pods"}},
			}}},
			"v1": {"ConfigMap": {"pods": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "ops"}, "data": variables}}},
		}}},
	}
}

walg := {"USE_WALG_BACKUP": "true", "WAL_S3_BUCKET": "b", "AWS_REGION": "eu", "AWS_ENDPOINT": "http://minio.store.svc:9000", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}

test_buckets_in_front_of_a_service if {
	old := "registry.opensource.zalan.do/acid/spilo-12:1.6-p5"
	[[f.path, f.reason, f.cure] | some f in stored(walg, old, {})] == [[
		["data", "AWS_ENDPOINT"],
		"WAL-G looks for the bucket at BUCKET.minio.store.svc, and a Service has no such name: no WAL is archived, and no base backup ends",
		"Set AWS_S3_FORCE_PATH_STYLE to \"true\"",
	]]
	count(stored(object.union(walg, {"AWS_ENDPOINT": "https://10.0.0.1"}), "registry.opensource.zalan.do/acid/spilo-13:2.1-p3", {})) == 1
	count(stored(object.union(walg, {"AWS_S3_FORCE_PATH_STYLE": "false"}), old, {})) == 1
	[f.reason | some f in stored(object.union(walg, {"AWS_S3_FORCE_PATH_STYLE": "true", "CLONE_AWS_ENDPOINT": "http://minio:9000", "CLONE_AWS_REGION": "eu", "CLONE_USE_WALG_RESTORE": "true"}), old, {})] == ["WAL-G looks for the bucket at BUCKET.minio, and a Service has no such name: no backup is found"]
}

test_buckets_that_are_found if {
	old := "registry.opensource.zalan.do/acid/spilo-12:1.6-p5"
	stored(object.union(walg, {"AWS_S3_FORCE_PATH_STYLE": "true"}), old, {}) == []
	stored(walg, "registry.opensource.zalan.do/acid/spilo-14:2.1-p4", {}) == []
	stored(walg, "registry.example.com/own:1.6-p5", {}) == []
	stored(object.remove(walg, ["USE_WALG_BACKUP"]), old, {}) == []
	stored(object.union(walg, {"AWS_ENDPOINT": "https://s3.example.com"}), old, {}) == []
	stored(object.union(walg, {"AWS_ENDPOINT": "http://${HOST}"}), old, {}) == []
	stored(walg, old, {"env": [{"name": "AWS_S3_FORCE_PATH_STYLE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}) == []
}

test_certificate_of_the_source if {
	new := "ghcr.io/zalando/spilo-17:4.0-p2"
	secured := object.union(walg, {"AWS_ENDPOINT": "https://s3.example.com", "WALG_S3_CA_CERT_FILE": "/tls/ca.crt"})
	source := {"clone": {"cluster": "acid-old", "uid": "u", "timestamp": "2025-09-09T13:15:00+00:00", "s3_wal_path": "s3://b/w", "s3_endpoint": "https://s3.example.com", "s3_access_key_id": "a", "s3_secret_access_key": "b"}}
	[[f.path, f.cure] | some f in stored(secured, new, source)] == [[["spec", "clone"], "Set CLONE_WALG_S3_CA_CERT_FILE as well"]]
	stored(object.union(secured, {"CLONE_WALG_S3_CA_CERT_FILE": "/tls/ca.crt"}), new, source) == []
	stored(object.remove(secured, ["WALG_S3_CA_CERT_FILE"]), new, source) == []
	stored(object.union(secured, {"AWS_ENDPOINT": "https://s3.example.org"}), new, source) == []
}
