# METADATA
# title: The kernel lets much dirty memory gather before it writes
# description: |
#   Dirty pages stay in memory until vm.dirty_background_ratio percent of the available memory are dirty; then they go to the
#   disk at once, and commits wait behind them. With 10, the kernel's default, on 64 GB a benchmark stood still for seconds
#   while 10 GB were reclaimed at one go; with 5 that was gone (S0, S3). The two sources advise by different means: S0 sets the
#   ratio to 5, S1 says that a ratio is too coarse on large nodes and sets vm.dirty_background_bytes to 409600000. Both lead the same way;
#   the kernel takes one of the two only, and writing one sets the other to 0, so that a manifest with both has a setting that does nothing.
#   PostgreSQL's own checkpoint_flush_after and bgwriter_flush_after, which S2 partly turns off, do the same for what it writes itself.
# related_resources:
#   - https://www.kernel.org/doc/html/latest/admin-guide/sysctl/vm.html#dirty-background-bytes
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set vm.dirty_background_ratio to 5, or on nodes with much memory vm.dirty_background_bytes to some hundred megabytes – one of the two.
#   sources: [S0, S1, S3]
#   settings:
#     ratio_percent: {default: 10, description: From this vm.dirty_background_ratio on.}
package walguard.checks.node.dirty_background

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model.kernel

findings contains f if {
	limit := settings.number("node/dirty_background", "ratio_percent")
	some setting in kernel.numbers_of("vm.dirty_background_ratio")
	setting.value >= limit
	f := finding.with_facts(
		finding.with_severity(
			finding.at(setting, sprintf("vm.dirty_background_ratio=%d%s lets that percentage of memory fill with dirty pages before the kernel writes, and then commits wait. Set 5 or less: %d stalled a benchmark with 64 GB for seconds.", [
				setting.value,
				kernel.condition,
				limit,
			])),
			kernel.severity("warning"),
		),
		{"ratio_percent": setting.value},
	)
}

# The one that is written first is 0 after the other; a 0 that is followed by the other does no harm.
findings contains f if {
	some [first, second] in pairs
	f := finding.with_severity(
		finding.at(first, sprintf("%s is set and then %s%s: setting the second resets the first to 0. Keep one of the two.", [
			first.name,
			second.name,
			kernel.condition,
		])),
		kernel.severity("warning"),
	)
}

pairs := [[first, second] |
	some names in [
		["vm.dirty_background_ratio", "vm.dirty_background_bytes"],
		["vm.dirty_ratio", "vm.dirty_bytes"],
	]
	found := [setting | some setting in kernel.on_nodes; setting.name in names]
	some i in numbers.range(1, count(found) - 1)
	first := found[i - 1]
	second := found[i]
	first.name != second.name
	first.text != "0"
]
