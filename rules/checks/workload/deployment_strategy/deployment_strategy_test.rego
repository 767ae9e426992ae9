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
		"message": "Deployment prod/orders replaces its pod by a rolling update: the new server starts on claim orders while the old one still runs there. The update hangs, or both write one data directory. Set spec.strategy.type to Recreate, or use a StatefulSet",
		"path": ["spec", "strategy"],
	}}
}

test_rolling_update_by_default if {
	{f.path | some f in findings("Deployment", {})} == {["spec"]}
}

test_replicas if {
	findings("StatefulSet", {"replicas": 2}) == {{
		"message": "StatefulSet prod/orders runs several replicas on the one claim orders: each is a server of its own on the same data directory, which they destroy. Run one, or use a StatefulSet with volumeClaimTemplates and replication",
		"path": ["spec", "replicas"],
	}}
}

test_recreate if findings("Deployment", {"strategy": {"type": "Recreate"}}) == set()

test_stateful_set if findings("StatefulSet", {"replicas": 1}) == set()
