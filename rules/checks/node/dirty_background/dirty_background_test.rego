package walguard.checks.node.dirty_background_test

import data.walguard.checks.node.dirty_background as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_ratio if {
	findings("postgres-nodes", "sysctl -w vm.dirty_background_ratio=10") == {{
		"message": "vm.dirty_background_ratio=10 lets that percentage of memory fill with dirty pages before the kernel writes, and then commits wait. Set 5 or less: 10 stalled a benchmark with 64 GB for seconds.",
		"path": manifests.script_path,
		"severity": "warning",
		"facts": {"ratio_percent": 10},
	}}
}

test_nodes_that_may_be_others if {
	findings("tune", "sysctl -w vm.dirty_background_ratio=20") == {{
		"message": "vm.dirty_background_ratio=20 (if PostgreSQL runs there) lets that percentage of memory fill with dirty pages before the kernel writes, and then commits wait. Set 5 or less: 10 stalled a benchmark with 64 GB for seconds.",
		"path": manifests.script_path,
		"severity": "info",
		"facts": {"ratio_percent": 20},
	}}
}

test_both if {
	findings("postgres-nodes", "sysctl -w vm.dirty_background_bytes=409600000 vm.dirty_background_ratio=5") == {{
		"message": "vm.dirty_background_bytes is set and then vm.dirty_background_ratio: setting the second resets the first to 0. Keep one of the two.",
		"path": manifests.script_path,
		"severity": "warning",
	}}
	findings("postgres-nodes", "sysctl -w vm.dirty_ratio=20 vm.dirty_bytes=1000000000") == {{
		"message": "vm.dirty_ratio is set and then vm.dirty_bytes: setting the second resets the first to 0. Keep one of the two.",
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
