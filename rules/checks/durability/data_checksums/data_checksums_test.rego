package walguard.checks.durability.data_checksums_test

import data.walguard.checks.durability.data_checksums as check
import data.walguard.lib.manifest_test as manifests

findings(spec) := found if found := check.findings with input as manifests.review({}, spec)

test_by_default if {
	findings({"bootstrap": {"initdb": {"database": "orders"}}}) == {{
		"message": "No data checksums (the default of PostgreSQL 17): disk damage goes unnoticed into replicas and backups. Set spec.bootstrap.initdb.dataChecksums when the cluster is created.",
		"severity": "info",
		"path": ["spec", "bootstrap", "initdb", "dataChecksums"],
	}}
}

test_refused if {
	findings({"imageName": "postgresql:18.1", "bootstrap": {"initdb": {"options": ["--no-data-checksums"]}}}) == {{
		"message": "No data checksums (spec.bootstrap.initdb.options[0] refuses them): disk damage goes unnoticed into replicas and backups. Turn them on when the cluster is created (initdb --data-checksums).",
		"severity": "warning",
		"path": ["spec", "bootstrap", "initdb", "options", 0],
	}}
}

test_on if {
	findings({"bootstrap": {"initdb": {"dataChecksums": true}}}) == set()
	findings({"imageName": "postgresql:18.1"}) == set()
}

test_silent_when_unknown if {
	findings({"imageName": "example.com/database"}) == set()
	findings({"bootstrap": {"recovery": {"source": "old"}}}) == set()
}

asked(operation, spec) := {f.severity | some f in found} if {
	reviewed := object.union(manifests.review({}, spec), {"review": {"operation": operation}})
	found := check.findings with input as reviewed
}

test_it_is_time_at_creation if {
	asked("CREATE", {}) == {"warning"}
	asked("UPDATE", {}) == {"info"}
	asked("UPDATE", {"bootstrap": {"initdb": {"options": ["--no-data-checksums"]}}}) == {"info"}
}

# A cluster that was restored, and whose bootstrap was taken out since (chk.yaml).
test_unknown_of_a_cluster_that_names_another_one if {
	findings({"externalClusters": [{"name": "source", "plugin": {"name": "barman-cloud.cloudnative-pg.io"}}]}) == set()
}

test_cure_since_19 if {
	{f.message | some f in findings({"imageName": "postgresql:19.1", "bootstrap": {"initdb": {"options": ["--no-data-checksums"]}}})} == {"No data checksums (spec.bootstrap.initdb.options[0] refuses them): disk damage goes unnoticed into replicas and backups. Turn them on with SELECT pg_enable_data_checksums(), which works in a running server."}
}

# What an API server has stored exists, whoever asks.
test_refused_in_a_cluster_that_exists if {
	stored := object.union(
		manifests.review({}, {"bootstrap": {"initdb": {"options": ["--no-data-checksums"]}}}),
		{"review": {"object": {"metadata": {"uid": "1"}}}},
	)
	found := check.findings with input as stored
	{f.severity | some f in found} == {"info"}
}
