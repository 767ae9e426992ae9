package walguard.operators.stackgres.plan_test

import data.walguard.operators.stackgres.plan

test_schedules if {
	backups := [{"cronSchedule": "30 2 * * *"}, "hostile", {"cronSchedule": 3}]
	cluster := {"apiVersion": "stackgres.io/v1", "kind": "SGCluster", "metadata": {"name": "stock"}, "spec": {"configurations": {"backups": backups}}}
	found := plan.schedules with input as {"review": {"object": cluster}}
	found == [{"method": "full", "path": ["spec", "configurations", "backups", 0, "cronSchedule"], "text": "30 2 * * *", "needs_wal": true}]
}
