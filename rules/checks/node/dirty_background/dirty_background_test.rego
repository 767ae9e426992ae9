package walguard.checks.node.dirty_background_test

import data.walguard.checks.node.dirty_background as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_ratio if {
	findings("postgres-nodes", "sysctl -w vm.dirty_background_ratio=10") == {{
		"message": "DaemonSet kube-system/postgres-nodes sets vm.dirty_background_ratio to 10: that much of the node's memory gathers before it is written, and then commits wait for it. 10 and more stalled a benchmark on 64 GB for seconds, 5 did not. Set 5, or vm.dirty_background_bytes",
		"path": manifests.script_path,
		"severity": "warning",
		"facts": {"ratio_percent": 10},
	}}
}

test_nodes_that_may_be_others if {
	findings("tune", "sysctl -w vm.dirty_background_ratio=20") == {{
		"message": "DaemonSet kube-system/tune sets vm.dirty_background_ratio to 20 (if PostgreSQL runs there: nothing in this manifest says so): that much of the node's memory gathers before it is written, and then commits wait for it. 10 and more stalled a benchmark on 64 GB for seconds, 5 did not. Set 5, or vm.dirty_background_bytes",
		"path": manifests.script_path,
		"severity": "info",
		"facts": {"ratio_percent": 20},
	}}
}

test_both if {
	findings("postgres-nodes", "sysctl -w vm.dirty_background_bytes=409600000 vm.dirty_background_ratio=5") == {{
		"message": "DaemonSet kube-system/postgres-nodes sets vm.dirty_background_bytes and then vm.dirty_background_ratio: the kernel has one of the two, and writing the second makes the first 0. Keep the one that is meant",
		"path": manifests.script_path,
		"severity": "warning",
	}}
	findings("postgres-nodes", "sysctl -w vm.dirty_ratio=20 vm.dirty_bytes=1000000000") == {{
		"message": "DaemonSet kube-system/postgres-nodes sets vm.dirty_ratio and then vm.dirty_bytes: the kernel has one of the two, and writing the second makes the first 0. Keep the one that is meant",
		"path": manifests.script_path,
		"severity": "warning",
	}}
}

test_one_of_the_two if {
	findings("postgres-nodes", "sysctl -w vm.dirty_background_ratio=5") == set()
	findings("postgres-nodes", "sysctl -w vm.dirty_background_ratio=0 vm.dirty_background_bytes=409600000") == set()
	findings("postgres-nodes", "sysctl -w vm.dirty_background_ratio=5 vm.dirty_bytes=1000000000") == set()
}

test_silent_when_unknown if {
	findings("postgres-nodes", "sysctl -w vm.dirty_background_ratio=$VALUE") == set()
	findings("postgres-nodes", "sleep infinity") == set()
	check.findings == set() with input as manifests.review({}, {})
}
