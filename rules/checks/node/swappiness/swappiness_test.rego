package walguard.checks.node.swappiness_test

import data.walguard.checks.node.swappiness as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_readily if {
	findings("postgres-nodes", "sysctl -w vm.swappiness=60") == {{
		"message": "vm.swappiness=60: on nodes with swap, server memory is swapped out to keep page cache, and queries wait for it. Set 1 (at most 10).",
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
