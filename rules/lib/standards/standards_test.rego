package walguard.lib.standards_test

import data.walguard.lib.standards

test_capabilities_that_baseline_allows if {
	standards.harmless_capabilities == {
		"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
	}
}

reasons(spec) := [[one.level, one.reason, one.path] | some one in standards.violations({"spec": spec}, ["spec"])]

test_what_is_refused if {
	reasons({"hostPID": true, "securityContext": {"runAsNonRoot": true, "seccompProfile": {}}, "containers": [{"name": "a", "securityContext": {"privileged": true, "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"], "add": ["chown", "SYS_ADMIN", 3]}}}]}) == [
		["baseline", "hostPID is true", ["spec", "hostPID"]],
		["baseline", "container a is privileged", ["spec", "containers", 0, "securityContext", "privileged"]],
		["baseline", "container a adds capability SYS_ADMIN", ["spec", "containers", 0, "securityContext", "capabilities", "add"]],
	]
	reasons({"securityContext": {"runAsUser": 0}, "volumes": [{"name": "h", "hostPath": {"path": "/"}}], "initContainers": ["junk"]}) == [
		["baseline", "volume h is a hostPath", ["spec", "volumes", 0]],
		["restricted", "runAsUser is 0", ["spec", "securityContext", "runAsUser"]],
	]
	[one[1] | some one in reasons({"containers": [{"name": "a"}]})] == [
		"container a does not set runAsNonRoot", "container a does not set allowPrivilegeEscalation: false", "container a does not drop all capabilities", "container a has no seccompProfile",
	]
}
