package walguard.checks.node.overcommit_test

import data.walguard.checks.node.overcommit as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_against_the_kubelet if {
	findings("postgres-nodes", "sysctl -w vm.overcommit_memory=2 vm.overcommit_ratio=90") == {{
		"message": "DaemonSet kube-system/postgres-nodes sets vm.overcommit_memory to 2: the kubelet sets 1 when it starts, or refuses to start with protectKernelDefaults. PostgreSQL's documentation advises 2 for servers of its own, not for nodes whose pods have limits. Leave it, and give PostgreSQL a memory limit that its settings fit into",
		"path": manifests.script_path,
	}}
	findings("tune", "sysctl -w vm.overcommit_memory=0") == {{
		"message": "DaemonSet kube-system/tune sets vm.overcommit_memory to 0 (if PostgreSQL runs there: nothing in this manifest says so): the kubelet sets 1 when it starts, or refuses to start with protectKernelDefaults. PostgreSQL's documentation warns of 0 too, as the OOM killer may take the server. Leave it, and give PostgreSQL a memory limit that its settings fit into",
		"path": manifests.script_path,
	}}
}

test_ratio_alone if {
	findings("postgres-nodes", "sysctl -w vm.overcommit_memory=1 vm.overcommit_ratio=90") == {{
		"message": "DaemonSet kube-system/postgres-nodes sets vm.overcommit_ratio, which has a meaning with vm.overcommit_memory=2 only. Remove it",
		"path": manifests.script_path,
	}}
}

test_as_the_kubelet_does if findings("postgres-nodes", "sysctl -w vm.overcommit_memory=1") == set()

test_silent_when_unknown if {
	findings("postgres-nodes", "sysctl -w vm.overcommit_memory=$VALUE") == set()
	findings("postgres-nodes", "sleep infinity") == set()
	check.findings == set() with input as manifests.review({}, {})
}
