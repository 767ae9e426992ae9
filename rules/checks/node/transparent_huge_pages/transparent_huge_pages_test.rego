package walguard.checks.node.transparent_huge_pages_test

import data.walguard.checks.node.transparent_huge_pages as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_always if {
	findings("postgres-nodes", "echo always > /sys/kernel/mm/transparent_hugepage/enabled") == {{
		"message": "Transparent huge pages are set to always: backends wait while the kernel compacts memory. Set madvise or never.",
		"path": manifests.script_path,
		"severity": "warning",
	}}
	findings("tune", "echo always > /sys/kernel/mm/transparent_hugepage/enabled") == {{
		"message": "Transparent huge pages are set to always (if PostgreSQL runs there): backends wait while the kernel compacts memory. Set madvise or never.",
		"path": manifests.script_path,
		"severity": "info",
	}}
}

test_others if {
	findings("postgres-nodes", "echo never > /sys/kernel/mm/transparent_hugepage/enabled") == set()
	findings("postgres-nodes", "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled") == set()
	findings("postgres-nodes", "echo always > /sys/kernel/mm/transparent_hugepage/shmem_enabled") == set()
}

test_silent_when_unknown if {
	findings("postgres-nodes", "echo $MODE > /sys/kernel/mm/transparent_hugepage/enabled") == set()
	check.findings == set() with input as manifests.review({}, {})
}
