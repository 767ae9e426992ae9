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

collisions(kind) := found if {
	reviewed := {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": kind,
		"metadata": {"name": "stock", "namespace": "shop"},
		"spec": {"env": [{"name": "WALG_S3_PREFIX", "value": "s3://b/wal/"}]},
	}
	other := object.union(reviewed, {"metadata": {"name": "orders"}})
	found := plan.collisions with input as {
		"review": {"object": reviewed},
		"inventory": {"namespace": {"shop": {"kubegres.reactive-tech.io/v1": {kind: {"stock": reviewed, "orders": other}}}}},
	}
}

test_collisions if {
	collisions("Kubegres") == [{"place": "s3://b/wal", "other": "shop/orders", "source": false, "path": ["spec", "env", 0, "value"]}]
	collisions("Other") == []
}
