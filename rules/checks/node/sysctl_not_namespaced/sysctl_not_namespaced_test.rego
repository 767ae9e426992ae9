package walguard.checks.node.sysctl_not_namespaced_test

import data.walguard.checks.node.sysctl_not_namespaced as check
import data.walguard.lib.manifest_test as manifests

review(name) := manifests.review({}, {"podSecurityContext": {"sysctls": [{"name": name, "value": "1"}]}})

kubelet(name, patterns) := {
	"apiVersion": "machineconfiguration.openshift.io/v1",
	"kind": "KubeletConfig",
	"metadata": {"name": name},
	"spec": {"kubeletConfig": {"allowedUnsafeSysctls": patterns}},
}

findings(name) := found if found := check.findings with input as review(name)

test_of_the_node if {
	findings("vm.overcommit_memory") == {{
		"message": "The sysctl vm.overcommit_memory applies to the whole node, so the kubelet refuses the pods (SysctlForbidden). Set it on the node.",
		"path": ["spec", "podSecurityContext", "sysctls", 0],
	}}
	count(findings("fs/file-max")) == 1
	count(findings("kernel.pid_max")) == 1
}

test_of_the_pod_and_unsafe if {
	findings("kernel.shmmax") == {{
		"message": "The sysctl kernel.shmmax is not on the safe list: kubelets refuse the pods (SysctlForbidden) unless allowedUnsafeSysctls lists it.",
		"path": ["spec", "podSecurityContext", "sysctls", 0],
		"severity": "info",
	}}
}

test_of_the_pod_and_allowed if {
	findings("net.ipv4.tcp_keepalive_time") == set()
	inventory := {"inventory": {"cluster": {"machineconfiguration.openshift.io/v1": {"KubeletConfig": {"db": kubelet("db", ["kernel.shm*"])}}}}}
	reviewed := object.union(review("kernel.shmmax"), inventory)
	check.findings == set() with input as reviewed
	other := object.union(review("kernel.sem"), inventory)
	{f.severity | some f in check.findings} == {"info"} with input as other
}

test_kubelet if {
	check.findings == {{
		"message": "vm.* applies to the whole node: a kubelet with it in allowedUnsafeSysctls does not start. Remove it.",
		"path": ["spec", "kubeletConfig", "allowedUnsafeSysctls", 1],
		"severity": "error",
	}} with input as {"review": {"object": kubelet("postgres", ["net.*", "vm.*"])}}
	check.findings == {{
		"message": "vm.* applies to the whole node: a kubelet with it in allowedUnsafeSysctls does not start (if PostgreSQL runs there). Remove it.",
		"path": ["spec", "kubeletConfig", "allowedUnsafeSysctls", 0],
		"severity": "info",
	}} with input as {"review": {"object": kubelet("nodes", ["vm.*"])}}
}

test_on_the_node_it_is_fine if {
	check.findings == set() with input as manifests.daemon_set("postgres-nodes", "sysctl -w vm.overcommit_memory=1")
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({}, {})
	check.findings == set() with input as manifests.change({"fsync": "on"})
}
