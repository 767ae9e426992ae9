package walguard.checks.wal.compression_available_test

import data.walguard.checks.wal.compression_available as check
import data.walguard.lib.manifest_test as manifests

findings(compression, spec) := found if {
	found := check.findings with input as manifests.review({"wal_compression": compression}, spec)
}

test_old_version if {
	findings("lz4", {"imageName": "postgresql:14.19"}) == {{
		"message": "wal_compression=lz4 is unknown to PostgreSQL 14, and the server does not start. Set it to on, or upgrade to 15.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "wal_compression"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/wal_compression", "value": "on"}],
	}}
}

test_other_edition if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.k8s.enterprisedb.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 3, "imageName": "docker.enterprisedb.com/k8s/edb-postgres-advanced:17", "postgresql": {"parameters": {"wal_compression": "zstd"}}},
	}}}
	found == {{
		"message": "wal_compression=zstd needs a build with it; whether this edition (enterprisedb) has it is unknown, and without it the server does not start. Check pg_config --configure, or set it to on.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters", "wal_compression"],
	}}
}

test_available if {
	findings("lz4", {}) == set()
	findings("on", {"imageName": "postgresql:14.19"}) == set()
}

test_silent_when_the_version_is_unknown if findings("lz4", {"imageName": "example.com/database"}) == set()
