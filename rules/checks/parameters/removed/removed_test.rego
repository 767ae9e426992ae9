package walguard.checks.parameters.removed_test

import data.walguard.checks.parameters.removed as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

under_patroni(parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}},
	}}}
}

# No image is named: the operator's own choice, which the manifest does not tell.
of_any_major(parameters) := found if {
	found := check.findings with input as manifests.review(parameters, {"imageName": ""})
}

test_removed_with_a_successor if {
	findings({"wal_keep_segments": "64"}) == {{
		"message": "wal_keep_segments=64: removed in PostgreSQL 13; with PostgreSQL 17 the server does not start. Use wal_keep_size instead.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "wal_keep_segments"],
		"fix": [
			{"op": "move", "from": "/spec/postgresql/parameters/wal_keep_segments", "path": "/spec/postgresql/parameters/wal_keep_size"},
			{"op": "replace", "path": "/spec/postgresql/parameters/wal_keep_size", "value": "1GB"},
		],
	}}
}

test_the_successor_takes_the_value if {
	{f.fix | some f in findings({"force_parallel_mode": "regress"})} == {[{"op": "move", "from": "/spec/postgresql/parameters/force_parallel_mode", "path": "/spec/postgresql/parameters/debug_parallel_query"}]}
	{object.get(f, "fix", "none") | some f in findings({"wal_keep_segments": "x"})} == {"none"}
	{object.get(f, "fix", "none") | some f in findings({"wal_keep_segments": "64", "wal_keep_size": "1GB"})} == {"none"}
}

test_removed_without_one if {
	under_patroni({"old_snapshot_threshold": "1h"}) == {{
		"message": "old_snapshot_threshold=1h: removed in PostgreSQL 17; with PostgreSQL 17 Patroni leaves it out, says so in its log only, and it has no effect. Remove it.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "old_snapshot_threshold"],
		"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/old_snapshot_threshold"}],
	}}
}

test_still_there if findings({"wal_keep_size": "1GB", "ssl_ecdh_curve": "prime256v1"}) == set()

test_silent_when_the_version_is_not_known if of_any_major({"wal_keep_segments": "64"}) == set()
