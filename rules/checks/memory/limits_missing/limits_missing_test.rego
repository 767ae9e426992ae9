package walguard.checks.memory.limits_missing_test

import data.walguard.checks.memory.limits_missing as check
import data.walguard.lib.manifest_test as manifests

findings(resources) := found if found := check.findings with input as manifests.review({}, {"resources": resources})

test_nothing if {
	findings({}) == set()
}

test_request_alone if {
	{f.message | some f in findings({"requests": {"memory": "16Gi"}})} == {"No memory limit, only a request of 16Gi: when the node runs out of memory the kernel chooses what to kill. Set memory requests and limits to the same amount."}
}

test_limit if findings({"limits": {"memory": "16Gi"}}) == set()

of_zalando(spec, inventory) := {[f.message, f.severity] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "postgresql",
			"metadata": {"name": "acid-orders", "namespace": "prod"},
			"spec": object.union({"numberOfInstances": 2, "postgresql": {"version": "17"}}, spec),
		}},
		"inventory": inventory,
	}
}

archiving := {"env": [{"name": "WAL_S3_BUCKET", "value": "wal"}]}

test_operator_that_fills_in_its_own if {
	of_zalando({}, {}) == {["No memory limit: the operator sets its default, 500Mi unless its configuration says otherwise, for all of PostgreSQL. Set memory requests and limits to the same amount.", "info"]}
	of_zalando(archiving, {}) == {[
		"No memory limit: the operator sets its default, 500Mi unless its configuration says otherwise, for PostgreSQL and wal-g, and the kernel kills what goes beyond. Set memory requests and limits to the same amount.",
		"warning",
	]}
	of_zalando(object.union(archiving, {"resources": {"limits": {"memory": "2Gi"}}}), {}) == set()
	of_zalando(object.union(archiving, {"resources": {"requests": {"memory": "2Gi"}}}), {}) == set()
	of_zalando(object.union(archiving, {"resources": "${RESOURCES}"}), {}) == set()
	of_zalando(object.union(archiving, {"resources": {"limits": "${LIMITS}"}}), {}) == set()
	of_zalando(object.union(archiving, {"resources": {"${LIMITS}": {}}}), {}) == set()
	of_zalando(archiving, {"namespace": {"prod": {"acid.zalan.do/v1": {"OperatorConfiguration": {"c": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "OperatorConfiguration",
		"metadata": {"name": "c", "namespace": "prod"},
		"configuration": {},
	}}}}}}) == set()
}

test_silent_for_a_change_alone if {
	check.findings == set() with input as manifests.change({"fsync": "on"})
}

test_neither_limit_nor_request if {
	findings({"requests": {"cpu": "2"}}) == {{
		"message": "No memory limit and no request: when the node runs out of memory the kernel chooses what to kill. Set memory requests and limits to the same amount.",
		"severity": "warning",
		"path": ["spec", "resources"],
	}}
}

# What the API server fills in.
test_limit_range_of_the_namespace if {
	every item in [{"default": {"memory": "1Gi"}}, {"default": {"memory": "${LIMIT}"}}, {"max": {"memory": "64Gi"}}] {
		with_range(object.union({"type": "Container"}, item)) == set()
	}
	every item in [{"type": "Container", "default": {"ephemeral-storage": "1Gi"}}, {"type": "Pod", "max": {"memory": "64Gi"}}] {
		count(with_range(item)) == 1
	}
}

with_range(item) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1, "resources": {"requests": {"memory": "16Gi"}}}}},
		"inventory": {"namespace": {"prod": {"v1": {"LimitRange": {"all": {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "all", "namespace": "prod"}, "spec": {"limits": [item]}}}}}}},
	}
}
