# METADATA
# title: The kernel swaps readily
# description: |
#   vm.swappiness says how readily the kernel swaps memory of processes out to keep more of the page cache; 60 is its default. What
#   is swapped of a server comes back at the price of a read from the disk, in the middle of a query. S1 sets 0, which since Linux 3.5
#   keeps from swapping until there is nothing else left; 1 swaps as little as can be without that. Most Kubernetes nodes have no swap at
#   all, as the kubelet refuses to start with it unless failSwapOn is off; there the setting does nothing.
# related_resources:
#   - https://www.kernel.org/doc/html/latest/admin-guide/sysctl/vm.html#swappiness
#   - https://kubernetes.io/docs/concepts/cluster-administration/swap-memory-management/
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Set vm.swappiness to 1 where nodes have swap, and leave it where they have none.
#   sources: [S1]
#   settings:
#     max: {default: 10, description: Above this vm.swappiness.}
package walguard.checks.node.swappiness

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model.kernel

findings contains f if {
	limit := settings.number("node/swappiness", "max")
	some setting in kernel.numbers_of("vm.swappiness")
	setting.value > limit
	f := finding.at(setting, sprintf("vm.swappiness=%d%s: on nodes with swap, server memory is swapped out to keep page cache, and queries wait for it. Set 1 (at most %d).", [
		setting.value,
		kernel.condition,
		limit,
	]))
}
