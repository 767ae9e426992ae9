package walguard.checks.memory.limits_missing_test

import data.walguard.checks.memory.limits_missing as check
import data.walguard.lib.manifest_test as manifests

findings(resources) := found if found := check.findings with input as manifests.review({}, {"resources": resources})

test_nothing if {
	findings({}) == {{
		"message": "CloudNativePG prod/orders sets no memory limit for its pods, and no request: when the node runs out of memory the kernel chooses whom to kill, and nothing here can be sized by a limit. Set requests and limits to the same amount",
		"path": ["spec", "resources"],
	}}
}

test_request_alone if {
	{f.message | some f in findings({"requests": {"memory": "16Gi"}})} == {"CloudNativePG prod/orders sets no memory limit for its pods, only a request of 16Gi: when the node runs out of memory the kernel chooses whom to kill, and nothing here can be sized by a limit. Set requests and limits to the same amount"}
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
