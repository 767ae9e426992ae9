package walguard.operators.crunchy.plan_test

import data.walguard.operators.crunchy.plan

test_schedules if {
	found := plan.schedules with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"backups": {"pgbackrest": {"repos": ["hostile", {"name": "repo1", "schedules": {"full": "0 1 * * 0", "incremental": "0 * * * *", "differential": 5}}]}}},
	}}}
	path := ["spec", "backups", "pgbackrest", "repos", 1, "schedules"]
	found == [
		{"method": "full", "path": array.concat(path, ["full"]), "text": "0 1 * * 0", "needs_wal": true, "lock": "pgBackRest", "locked": 1},
		{"method": "incremental", "path": array.concat(path, ["incremental"]), "text": "0 * * * *", "needs_wal": true, "lock": "pgBackRest", "locked": 1},
	]
}
