package walguard.checks.workload.deployment_strategy_test

import data.walguard.checks.workload.deployment_strategy as check

findings(kind, spec) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": kind,
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": object.union(
			{"template": {"spec": {
				"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
				"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "orders"}}],
			}}},
			spec,
		),
	}}}
}

test_rolling_update if {
	findings("Deployment", {"strategy": {"type": "RollingUpdate"}}) == {{
		"message": "A rolling update starts the new server on claim orders while the old one still runs: the update hangs, or both write one data directory. Set spec.strategy.type to Recreate, or use a StatefulSet.",
		"path": ["spec", "strategy"],
		"fix": [{"op": "replace", "path": "/spec/strategy", "value": {"type": "Recreate"}}],
	}}
}

test_rolling_update_by_default if {
	{[f.path, f.fix] | some f in findings("Deployment", {})} == {[["spec"], [{"op": "add", "path": "/spec/strategy", "value": {"type": "Recreate"}}]]}
}

test_replicas if {
	findings("StatefulSet", {"replicas": 2}) == {{
		"message": "Several replicas share claim orders: each is a server of its own, and together they destroy the data directory. Run one replica, or use a StatefulSet with volumeClaimTemplates and replication.",
		"path": ["spec", "replicas"],
	}}
}

test_recreate if findings("Deployment", {"strategy": {"type": "Recreate"}}) == set()

test_stateful_set if findings("StatefulSet", {"replicas": 1}) == set()
