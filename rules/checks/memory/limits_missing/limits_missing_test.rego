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

test_operator_that_fills_in_its_own if {
	check.findings == set() with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"numberOfInstances": 2},
	}}}
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
