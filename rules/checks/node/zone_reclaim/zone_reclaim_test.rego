package walguard.checks.node.zone_reclaim_test

import data.walguard.checks.node.zone_reclaim as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_on if {
	findings("postgres-nodes", "sysctl -w vm.zone_reclaim_mode=1") == {{
		"message": "vm.zone_reclaim_mode=1 drops cached pages on one NUMA node while another has free memory, and they are read from disk again. Set 0.",
		"path": manifests.script_path,
	}}
}

test_off if findings("postgres-nodes", "sysctl -w vm.zone_reclaim_mode=0") == set()

test_silent_when_unknown if {
	findings("postgres-nodes", "sysctl -w vm.zone_reclaim_mode=$VALUE") == set()
	findings("postgres-nodes", "sleep infinity") == set()
	check.findings == set() with input as manifests.review({}, {})
}
