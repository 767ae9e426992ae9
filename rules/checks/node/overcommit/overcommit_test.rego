package walguard.checks.node.overcommit_test

import data.walguard.checks.node.overcommit as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_against_the_kubelet if {
	findings("postgres-nodes", "sysctl -w vm.overcommit_memory=2 vm.overcommit_ratio=90") == {{
		"message": "vm.overcommit_memory=2 does not last: the kubelet sets it to 1 or, with protectKernelDefaults, refuses to start. PostgreSQL recommends 2 for dedicated servers, not for pods with limits; set a sufficient memory limit instead.",
		"path": manifests.script_path,
	}}
	findings("tune", "sysctl -w vm.overcommit_memory=0") == {{
		"message": "vm.overcommit_memory=0 (if PostgreSQL runs there) does not last: the kubelet sets it to 1 or, with protectKernelDefaults, refuses to start. With 0 the OOM killer may kill the server; set a sufficient memory limit instead.",
		"path": manifests.script_path,
	}}
}

test_ratio_alone if {
	findings("postgres-nodes", "sysctl -w vm.overcommit_memory=1 vm.overcommit_ratio=90") == {{
		"message": "vm.overcommit_ratio has no effect unless vm.overcommit_memory is 2. Remove it.",
		"path": manifests.script_path,
	}}
}

test_as_the_kubelet_does if findings("postgres-nodes", "sysctl -w vm.overcommit_memory=1") == set()

test_silent_when_unknown if {
	findings("postgres-nodes", "sysctl -w vm.overcommit_memory=$VALUE") == set()
	findings("postgres-nodes", "sleep infinity") == set()
	check.findings == set() with input as manifests.review({}, {})
}
