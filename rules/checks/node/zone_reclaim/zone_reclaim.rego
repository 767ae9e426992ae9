# METADATA
# title: The kernel reclaims memory of one NUMA node while another has some
# description: |
#   With vm.zone_reclaim_mode other than 0 the kernel drops pages of the page cache on the NUMA node that a process runs on before it takes
#   free memory from the next one. A database lives off the page cache: reads go to the disk although memory is free. The kernel's
#   documentation advises 0, its default, for what benefits from cached data; S1 sets 0.
# related_resources:
#   - https://www.kernel.org/doc/html/latest/admin-guide/sysctl/vm.html#zone-reclaim-mode
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Set vm.zone_reclaim_mode to 0.
#   sources: [S1]
package walguard.checks.node.zone_reclaim

import data.walguard.lib.finding
import data.walguard.model.kernel

findings contains f if {
	some setting in kernel.numbers_of("vm.zone_reclaim_mode")
	setting.value != 0
	f := finding.at(setting, sprintf("vm.zone_reclaim_mode=%d%s drops cached pages on one NUMA node while another has free memory, and they are read from disk again. Set 0.", [
		setting.value,
		kernel.condition,
	]))
}
