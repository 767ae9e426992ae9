package walguard.operators.zalando.plan_test

import data.walguard.operators.zalando.plan

found(spec) := all if {
	all := plan.schedules with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": spec,
	}}}
}

test_dumps if {
	found({"enableLogicalBackup": true, "logicalBackupSchedule": "30 0 * * *"}) == [{"method": "logical", "path": ["spec", "logicalBackupSchedule"], "text": "30 0 * * *", "needs_wal": false}]
	found({"logicalBackupSchedule": "30 0 * * *"}) == []
}

test_base_backups if {
	found({"env": [{"name": "BACKUP_SCHEDULE", "value": "0 1 * * *"}]}) == [{"method": "full", "path": ["spec", "env", 0, "value"], "text": "0 1 * * *", "needs_wal": true}]
}
