# METADATA
# title: The planner counts on more cache than the pod can have
# description: |
#   effective_cache_size tells the planner how much of a table is likely in memory, in shared_buffers and page cache together; the larger
#   it is the more it favours index scans. Page cache counts against the memory limit of the pod, so nothing beyond it can be
#   cached, whatever the node has. 75 % of the limit is the usual value. Nothing is allocated.
#   S1 sets it to all of the memory of its host, S2 and pgtune to 75 %.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-query.html#GUC-EFFECTIVE-CACHE-SIZE
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Set effective_cache_size to about 75 % of the memory limit.
#   sources: [S1, S2]
#   formulas:
#     - effective_cache_size_bytes > memory_limit_bytes
package walguard.checks.memory.effective_cache_size

import data.walguard.lib.budget
import data.walguard.lib.finding
import data.walguard.lib.memory
import data.walguard.model

findings contains f if {
	setting := model.changed("effective_cache_size")
	some known in memory.sets
	setting.bytes > known.total_bytes
	f := finding.with_parameter(
		finding.with_facts(
			finding.at(setting, sprintf("%s is more than %s: the planner counts on cache that cannot be there. Set it to about %s, 75 %%.", [
				budget.setting(setting),
				memory.label(known),
				budget.text(best),
			])),
			{"effective_cache_size_bytes": setting.bytes, "memory_limit_bytes": known.limit_bytes},
		),
		setting, budget.text(best),
	)
}

# The parameter is one for all sets: the smallest memory decides.
best := min([n | some known in memory.sets; n := budget.down(floor((known.total_bytes * 3) / 4))])
