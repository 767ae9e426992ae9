package walguard.checks.node.dirty_ratio_test

import data.walguard.checks.node.dirty_ratio as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_ratio if {
	findings("postgres-nodes", "sysctl -w vm.dirty_ratio=95") == {{
		"message": "vm.dirty_ratio=95 lets dirty pages fill most of the memory; at that point every process that writes waits for the disk. Leave it at 20 (the limit here is 80).",
		"path": manifests.script_path,
		"severity": "warning",
		"facts": {"ratio_percent": 95},
	}}
	findings("tune", "sysctl -w vm.dirty_ratio=80") == {{
		"message": "vm.dirty_ratio=80 (if PostgreSQL runs there) lets dirty pages fill most of the memory; at that point every process that writes waits for the disk. Leave it at 20 (the limit here is 80).",
		"path": manifests.script_path,
		"severity": "info",
		"facts": {"ratio_percent": 80},
	}}
}

test_less if findings("postgres-nodes", "sysctl -w vm.dirty_ratio=79") == set()

test_silent_when_unknown if {
	findings("postgres-nodes", "sysctl -w vm.dirty_ratio=$VALUE") == set()
	findings("postgres-nodes", "sleep infinity") == set()
	check.findings == set() with input as manifests.review({}, {})
}
