# METADATA
# title: A pod asks for a sysctl that belongs to the whole node
# description: |
#   The kernel keeps kernel.shm*, kernel.msg*, kernel.sem, fs.mqueue.* and net.* for each pod; everything else – vm.*, the rest of fs.* and
#   of kernel.* – exists once a node. The kubelet refuses a pod that asks for one of those in securityContext.sysctls (status
#   SysctlForbidden), and a kubelet whose allowedUnsafeSysctls names one does not start. Of those that are kept for each pod a dozen
#   are safe; others need allowedUnsafeSysctls on every node that may run the pod, which is info here, as the kubelet's list is not part of any manifest.
# related_resources:
#   - https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/
#   - https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/sysctl/allowlist.go
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set what belongs to the node on the node – a DaemonSet with a privileged init container, Tuned, or the image of the node – and keep it out of the pod.
#   sources: [S0, S1]
package walguard.checks.node.sysctl_not_namespaced

import data.walguard.lib.finding
import data.walguard.lib.kernel
import data.walguard.model.kernel as below

findings contains f if {
	some setting in asked
	not kernel.namespaced(setting.name)
	f := finding.at(setting, sprintf("The sysctl %s applies to the whole node, so the kubelet refuses the pods (SysctlForbidden). Set it on the node.", [setting.name]))
}

findings contains f if {
	some entry in below.allowed
	not kernel.namespaced(entry.name)
	f := finding.with_severity(
		finding.at(entry, sprintf("%s applies to the whole node: a kubelet with it in allowedUnsafeSysctls does not start%s. Remove it.", [
			entry.name,
			below.condition,
		])),
		below.severity("error"),
	)
}

findings contains f if {
	some setting in asked
	kernel.namespaced(setting.name)
	not setting.name in kernel.safe
	not below.allows(setting.name)
	f := finding.with_severity(
		finding.at(setting, sprintf("The sysctl %s is not on the safe list: kubelets refuse the pods (SysctlForbidden) unless allowedUnsafeSysctls lists it.", [setting.name])),
		"info",
	)
}

asked := [setting | some setting in below.settings; setting.by == "pod"]
