package walguard.operators.workload.plan_test

import data.walguard.operators.workload.plan

job(labels, spec) := {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "x", "namespace": "shop", "labels": labels}, "spec": spec}

schedules(jobs) := found if {
	found := plan.schedules with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "ts", "namespace": "shop", "labels": {"cluster-name": "ts"}}}},
		"inventory": {"namespace": {"shop": {"batch/v1": {"CronJob": {sprintf("j%d", [i]): o | some i, o in jobs}}}}},
	}
}

test_schedules if {
	reference := {"apiVersion": "batch/v1", "kind": "CronJob", "namespace": "shop", "name": "x"}
	schedules([
		job({"cluster-name": "ts", "backup-type": "full"}, {"schedule": "12 02 * * 0", "suspend": true}),
		job({"cluster-name": "ts", "backup-type": "incr"}, {"schedule": "12 02 * * 1-6"}),
		job({"cluster-name": "other", "backup-type": "full"}, {"schedule": "@daily"}),
		job({"cluster-name": "ts", "backup-type": "strange"}, {"schedule": "@daily"}),
		job({"cluster-name": "ts"}, {"schedule": "@daily"}),
	]) == [
		{"method": "full", "path": ["spec", "schedule"], "resource": reference, "text": "12 02 * * 0", "needs_wal": true, "suspended": true},
		{"method": "incremental", "path": ["spec", "schedule"], "resource": reference, "text": "12 02 * * 1-6", "needs_wal": true},
	]
}

test_none if schedules([]) == []
