package walguard.operators.percona.plan_test

import data.walguard.operators.percona.plan

schedules(backups) := found if {
	cluster := {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "stock"}, "spec": {"backups": backups}}
	found := plan.schedules with input as {"review": {"object": cluster}}
}

backed_up := {
	"pgbackrest": {"repos": [{"name": "repo1", "schedules": {"full": "0 1 * * 0"}}]},
	"volumeSnapshots": {"schedule": "0 5 * * *"},
}

test_schedules if {
	schedules(backed_up) == [
		{"method": "full", "path": ["spec", "backups", "pgbackrest", "repos", 0, "schedules", "full"], "text": "0 1 * * 0", "needs_wal": true, "lock": "pgBackRest", "locked": 0},
		{"method": "full", "path": ["spec", "backups", "volumeSnapshots", "schedule"], "text": "0 5 * * *", "needs_wal": false},
	]
	schedules(object.union(backed_up, {"enabled": false})) == []
	schedules({"volumeSnapshots": "hostile"}) == []
}
