# METADATA
# title: Transparent huge pages are always on
# description: |
#   With "always" the kernel makes huge pages of any memory, and searches and compacts memory for them while backends wait: latencies jump,
#   and processes take more memory than they asked for. PostgreSQL's documentation calls their use "currently discouraged", S1 turns
#   them off (never). They are not the huge pages of the parameter huge_pages, which are reserved beforehand, and which S0 and S1 recommend.
#   "madvise" leaves PostgreSQL alone, as it does not ask.
# related_resources:
#   - https://www.postgresql.org/docs/current/kernel-resources.html#LINUX-HUGE-PAGES
#   - https://www.kernel.org/doc/html/latest/admin-guide/mm/transhuge.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set transparent huge pages to madvise or never; reserve huge pages (vm.nr_hugepages, hugepages-2Mi) for large shared_buffers instead.
#   sources: [S0, S1]
package walguard.checks.node.transparent_huge_pages

import data.walguard.lib.finding
import data.walguard.model.kernel

findings contains f if {
	some setting in kernel.settings
	setting.name == "transparent_hugepage"
	setting.text == "always"
	f := finding.with_severity(
		finding.at(setting, sprintf("Transparent huge pages are set to always%s: backends wait while the kernel compacts memory. Set madvise or never.", [kernel.condition])),
		kernel.severity("warning"),
	)
}
