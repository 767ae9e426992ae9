package walguard.operators.kubeblocks.plan_test

import data.walguard.operators.kubeblocks.plan

cluster(backup) := {
	"apiVersion": "apps.kubeblocks.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"clusterDef": "postgresql", "componentSpecs": [{"name": "postgresql"}], "backup": backup},
}

found(backup, schedules) := all if {
	all := plan.schedules with input as {
		"review": {"object": cluster(backup)},
		"inventory": {"namespace": {"prod": {"dataprotection.kubeblocks.io/v1alpha1": {"BackupSchedule": {"s": {
			"apiVersion": "dataprotection.kubeblocks.io/v1alpha1",
			"kind": "BackupSchedule",
			"metadata": {"name": "s", "namespace": "prod", "labels": {"app.kubernetes.io/instance": "orders"}},
			"spec": {"schedules": schedules},
		}}}}}},
	}
}

test_of_the_cluster if {
	path := ["spec", "backup", "cronExpression"]
	found({"enabled": true, "method": "wal-g", "pitrEnabled": true, "cronExpression": "0 2 * * *"}, []) == [{"method": "full", "path": path, "text": "0 2 * * *", "needs_wal": true}]
	found({"method": "pgdump", "cronExpression": "0 2 * * *"}, []) == [{"method": "logical", "path": path, "text": "0 2 * * *", "needs_wal": false, "suspended": true}]
	found({"enabled": true}, []) == []
	found({"enabled": true, "method": "volume-snapshot", "cronExpression": "0 * * * *"}, [])[0].snapshot
}

test_of_schedules if {
	entries := [{"backupMethod": name, "enabled": true, "cronExpression": "0 2 * * *"} | some name in ["pg-basebackup", "wal-g-incremental", "archive-wal", "pgdumpall"]]
	all := found({}, array.concat(["hostile", {"backupMethod": "wal-g", "enabled": false, "cronExpression": "0 2 * * *"}], entries))
	[s.method | some s in all] == ["full", "incremental", "continuous", "logical"]
	all[0] == {
		"method": "full",
		"path": ["spec", "schedules", 2, "cronExpression"],
		"resource": {"apiVersion": "dataprotection.kubeblocks.io/v1alpha1", "kind": "BackupSchedule", "namespace": "prod", "name": "s"},
		"text": "0 2 * * *",
		"needs_wal": false,
	}
}
