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

# Spilo takes one every night wherever it archives, be it that the cluster or that the operator says where.
test_base_backups_by_default if {
	nightly := [{"method": "full", "path": ["spec", "env"], "text": "0 1 * * *", "needs_wal": true}]
	found({"env": [{"name": "WAL_S3_BUCKET", "value": "wal"}]}) == nightly
	found({"env": []}) == []
	by_operator := plan.schedules with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {}}},
		"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "OperatorConfiguration",
			"metadata": {"name": "main", "namespace": "ops"},
			"configuration": {"aws_or_gcp": {"wal_s3_bucket": "wal"}},
		}}}}}},
	}
	by_operator == nightly
}

# What the operator gives all pods.
test_schedule_of_all_pods if {
	found_among({}, {"BACKUP_SCHEDULE": "0 25 * * *"}) == [{
		"method": "full",
		"path": ["data", "BACKUP_SCHEDULE"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "pods", "namespace": "ops"},
		"text": "0 25 * * *",
		"needs_wal": true,
	}]
	found_among({"env": [{"name": "BACKUP_SCHEDULE", "value": "0 1 * * *"}]}, {"BACKUP_SCHEDULE": "0 25 * * *"})[0].text == "0 1 * * *"
	found_among({}, {"WAL_S3_BUCKET": "wal"}) == [{"method": "full", "path": ["spec", "env"], "text": "0 1 * * *", "needs_wal": true}]
}

found_among(spec, variables) := all if {
	all := plan.schedules with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"ops": {
			"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {
				"apiVersion": "acid.zalan.do/v1",
				"kind": "OperatorConfiguration",
				"metadata": {"name": "main", "namespace": "ops"},
				"configuration": {"kubernetes": {"pod_environment_configmap": "ops/pods"}},
			}}},
			"v1": {"ConfigMap": {"pods": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "ops"}, "data": variables}}},
		}}},
	}
}
