# METADATA
# title: Memory overcommit is set against the kubelet
# description: |
#   The sources contradict one another. PostgreSQL's documentation advises vm.overcommit_memory=2 on a server of its own, so that malloc
#   fails before the OOM killer comes; S1 sets 0, and beside it vm.overcommit_ratio=90, which has a meaning with 2 only. On Kubernetes
#   neither lasts: the kubelet sets 1 when it starts – with protectKernelDefaults it refuses to start on anything else – and a pod
#   is bounded by its memory limit, which 2 knows nothing of. With 2 all containers of the node share one budget, and any of
#   them fails when it is used up.
# related_resources:
#   - https://www.postgresql.org/docs/current/kernel-resources.html#LINUX-MEMORY-OVERCOMMIT
#   - https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/cm/container_manager_linux.go
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Leave vm.overcommit_memory to the kubelet (1), and bound PostgreSQL by a memory limit that its settings fit into.
#   sources: [S1]
package walguard.checks.node.overcommit

import data.walguard.lib.finding
import data.walguard.model.kernel

findings contains f if {
	some setting in kernel.numbers_of("vm.overcommit_memory")
	setting.value != 1
	f := finding.at(setting, sprintf("vm.overcommit_memory=%d%s does not last: the kubelet sets it to 1 or, with protectKernelDefaults, refuses to start. %s; set a sufficient memory limit instead.", [
		setting.value,
		kernel.condition,
		remark[setting.value == 2],
	]))
}

remark := {
	true: "PostgreSQL recommends 2 for dedicated servers, not for pods with limits",
	false: "With 0 the OOM killer may kill the server",
}

# A ratio means nothing without 2.
findings contains f if {
	some setting in kernel.numbers_of("vm.overcommit_ratio")
	count([1 | some mode in kernel.numbers_of("vm.overcommit_memory"); mode.value == 2]) == 0
	f := finding.at(setting, sprintf("vm.overcommit_ratio%s has no effect unless vm.overcommit_memory is 2. Remove it.", [kernel.condition]))
}
