package walguard.operators.kubegres.plan_test

import data.walguard.operators.kubegres.plan

schedules(backup) := found if {
	cluster := {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "stock"}, "spec": {"backup": backup}}
	found := plan.schedules with input as {"review": {"object": cluster}}
}

test_schedules if {
	schedules({"schedule": "30 2 * * *"}) == [{"method": "logical", "path": ["spec", "backup", "schedule"], "text": "30 2 * * *", "needs_wal": false}]
	schedules({"schedule": 3}) == []
	schedules("hostile") == []
}
