# METADATA
# title: The kernel may fill memory with dirty pages
# description: |
#   vm.dirty_ratio is the share of the available memory from which on every process that writes must write back itself: a backend that only
#   wanted a page, and with it the commit. The higher, the later and the longer: at 80 and more the node is out of
#   memory for anything else by then. S1 sets 95, for hosts where cgroups limit the I/O of many instances, so that they do not wait for
#   one another, and together with a small vm.dirty_background_bytes; S0 shows the stall that large amounts of dirty memory cause.
#   In Kubernetes dirty pages count against the memory limit of the pod as well. The kernel's default, 20, is what PostgreSQL is run on.
# related_resources:
#   - https://www.kernel.org/doc/html/latest/admin-guide/sysctl/vm.html#dirty-ratio
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave vm.dirty_ratio at 20, or set vm.dirty_bytes to one or two gigabytes.
#   sources: [S0, S1]
#   settings:
#     ratio_percent: {default: 80, description: From this vm.dirty_ratio on.}
package walguard.checks.node.dirty_ratio

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model.kernel

findings contains f if {
	limit := settings.number("node/dirty_ratio", "ratio_percent")
	some setting in kernel.numbers_of("vm.dirty_ratio")
	setting.value >= limit
	f := finding.with_facts(
		finding.with_severity(
			finding.at(setting, sprintf("vm.dirty_ratio=%d%s lets dirty pages fill most of the memory; at that point every process that writes waits for the disk. Leave it at 20 (the limit here is %d).", [
				setting.value,
				kernel.condition,
				limit,
			])),
			kernel.severity("warning"),
		),
		{"ratio_percent": setting.value},
	)
}
