package walguard.checks.node.removed_sysctl_test

import data.walguard.checks.node.removed_sysctl as check
import data.walguard.lib.manifest_test as manifests

findings(name, script) := found if found := check.findings with input as manifests.daemon_set(name, script)

test_command if {
	findings("postgres-nodes", "sysctl -w net.ipv4.tcp_tw_recycle=0") == {{
		"message": "net.ipv4.tcp_tw_recycle was removed in Linux 4.12: the command fails, usually with its container, and later settings are not applied. Remove it.",
		"path": manifests.script_path,
		"severity": "error",
	}}
	findings("tune", "sysctl -w net.ipv4.tcp_tw_recycle=0") == {{
		"message": "net.ipv4.tcp_tw_recycle was removed in Linux 4.12 (if PostgreSQL runs there): the command fails, usually with its container, and later settings are not applied. Remove it.",
		"path": manifests.script_path,
		"severity": "info",
	}}
}

test_pod if {
	check.findings == {{
		"message": "net.ipv4.tcp_tw_recycle was removed in Linux 4.12: the pods do not start. Remove it.",
		"path": ["spec", "podSecurityContext", "sysctls", 0],
		"severity": "error",
	}} with input as manifests.review({}, {"podSecurityContext": {"sysctls": [{"name": "net.ipv4.tcp_tw_recycle", "value": "0"}]}})
}

test_tuned if {
	check.findings == {{
		"message": "net.ipv4.tcp_tw_recycle was removed in Linux 4.12: it is only logged as an error. Remove it.",
		"path": ["spec", "profile", 0, "data"],
		"severity": "warning",
	}} with input as {"review": {"object": {
		"apiVersion": "tuned.openshift.io/v1",
		"kind": "Tuned",
		"metadata": {"name": "postgresql", "namespace": "openshift-cluster-node-tuning-operator"},
		"spec": {"profile": [{"name": "postgresql", "data": "[sysctl]\nnet.ipv4.tcp_tw_recycle=0\n"}]},
	}}}
}

test_reuse_is_there if findings("postgres-nodes", "sysctl -w net.ipv4.tcp_tw_reuse=1") == set()

test_silent_when_unknown if {
	findings("postgres-nodes", "sysctl -w $NAME=0") == set()
	check.findings == set() with input as manifests.review({}, {})
}
