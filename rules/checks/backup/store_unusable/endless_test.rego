package walguard.checks.backup.store_unusable_endless_test

import data.walguard.checks.backup.store_unusable as check

told(version, kind, spec, beside) := {[f.message, f.severity, f.path] |
	found := check.findings with input as object.union({"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}}}, beside)
	some f in found
}

source(words, beside) := told("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", {"dataSource": {"postgresCluster": {"clusterName": "old", "repoName": "repo1", "options": words}}}, beside)

in_place(words, beside) := told("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", {"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}], "restore": {"enabled": true, "repoName": "repo1", "options": words}}}}, beside)

fault := "The restore begins with the backup of --set and has no --type: all WAL that follows is replayed too, up to the newest state. Add --type=immediate for the state of that backup, or --type=default."

changed := {"review": {"operation": "UPDATE"}}

test_set_without_type if {
	source(["--set=20220613-100002F"], {}) == {[fault, "warning", ["spec", "dataSource", "postgresCluster", "options"]]}
	in_place(["--set", "20220613-100002F"], {}) == {[fault, "warning", ["spec", "backups", "pgbackrest", "restore", "options"]]}
	in_place(["--set=20220613-100002F"], changed) == {[fault, "warning", ["spec", "backups", "pgbackrest", "restore", "options"]]}
}

test_end_that_is_named if {
	every words in [["--set=20220613-100002F", "--type=immediate"], ["--set=20220613-100002F --type default"], ["--set=20220613-100002F", "${TYPE}"], ["--delta"], []] {
		source(words, {}) == set()
		in_place(words, {}) == set()
	}

	# It is over.
	source(["--set=20220613-100002F"], changed) == set()
}

recovered(target) := told("postgresql.cnpg.io/v1", "Cluster", {"instances": 1, "bootstrap": {"recovery": {"source": "old", "recoveryTarget": target}}}, {})

test_cloudnative_pg if {
	{[severity, path] | some [_, severity, path] in recovered({"backupID": "20251124T141457"})} == {["info", ["spec", "bootstrap", "recovery", "recoveryTarget", "backupID"]]}
	recovered({"backupID": "20251124T141457", "targetImmediate": true}) == set()
	recovered({"backupID": "20251124T141457", "targetName": "before"}) == set()
	recovered({"targetTime": "2026-06-15 10:00:00+00"}) == set()
}
