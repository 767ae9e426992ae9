package walguard.checks.node.swappiness_test

import data.walguard.checks.node.swappiness as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_readily if {
	findings("postgres-nodes", "sysctl -w vm.swappiness=60") == {{
		"message": "DaemonSet kube-system/postgres-nodes sets vm.swappiness to 60: where nodes have swap, memory of the server goes there to make room for the page cache, and queries wait for it. Set at most 10; 1 is usual",
		"path": manifests.script_path,
	}}
}

test_hardly if {
	findings("postgres-nodes", "sysctl -w vm.swappiness=10") == set()
	findings("postgres-nodes", "sysctl -w vm.swappiness=0") == set()
}

test_silent_when_unknown if {
	findings("postgres-nodes", "sysctl -w vm.swappiness=$VALUE") == set()
	findings("postgres-nodes", "sleep infinity") == set()
	check.findings == set() with input as manifests.review({}, {})
}
