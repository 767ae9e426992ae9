# METADATA
# title: shared_buffers do not suit the memory limit
# description: |
#   shared_buffers count against the memory limit of the pod as soon as they are used; when it is exceeded the kernel kills a
#   process of PostgreSQL, and all connections are gone. PostgreSQL's documentation advises 25 % of the memory and sees little use in more
#   than 40 %, since the page cache holds the same pages again. Huge pages are counted apart: what of them the pod may use is
#   added to its limit here. Far too small buffers, a default of 128 MB in gigabytes of memory, are remarked upon as advice.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-SHARED-BUFFERS
#   - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-limits-are-run
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set shared_buffers to about 25 % of the memory limit.
#   sources: [S0, S1, S2]
#   settings:
#     high_percent: {default: 40, description: Share of the memory limit above which shared_buffers are too large.}
#     low_percent: {default: 10, description: Share below which they are called small. A heuristic.}
#     low_from_gib: {default: 4, description: Memory limit in GiB from which small ones are remarked upon. A heuristic.}
#   formulas:
#     - share_percent == floor((shared_buffers_bytes * 100) / (memory_limit_bytes + huge_pages_bytes))
package walguard.checks.memory.shared_buffers_exceeds

import data.walguard.lib.finding
import data.walguard.lib.memory
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some known in memory.sets
	percent := floor((setting.bytes * 100) / known.total_bytes)
	verdict := verdict_on(percent, known)
	f := finding.with_facts(
		finding.with_severity(
			finding.at(setting, sprintf("%s runs with shared_buffers=%s%s, %s of %s: %s. Set it to about %s, 25 %%", [
				model.title,
				setting.text,
				by_whom[setting.origin],
				share(percent),
				memory.label(known),
				verdict.text,
				text.bytes(floor(known.total_bytes / 4194304) * 1048576),
			])),
			verdict.severity,
		),
		{"shared_buffers_bytes": setting.bytes, "memory_limit_bytes": known.limit_bytes, "huge_pages_bytes": known.huge_bytes, "share_percent": percent},
	)
}

setting := model.parameter("shared_buffers")

share(0) := "less than 1 %"

share(percent) := sprintf("%d %%", [percent]) if percent > 0

by_whom := {"written": "", "operator": ", the operator's default", "postgres": ", the default"}

# One after the other: an administrator may set the upper bound below the lower one.
verdict_on(percent, known) := {
	"severity": "error",
	"text": "once they are used the kernel kills the server for lack of memory, and again after every restart",
} if {
	percent >= 100
} else := {
	"severity": "warning",
	"text": sprintf("above %d %% they take the memory that connections and the page cache need", [high_percent]),
} if {
	# A small default in a small pod is nobody's choice.
	percent > high_percent
	setting.origin == "written"
} else := {
	"severity": "info",
	"text": "most of the memory is left to the page cache, and every checkpoint and eviction writes pages that more buffers would keep",
} if {
	percent < low_percent
	known.limit_bytes >= low_from_gib * 1073741824
}

high_percent := settings.number("memory/shared_buffers_exceeds", "high_percent")

low_percent := settings.number("memory/shared_buffers_exceeds", "low_percent")

low_from_gib := settings.number("memory/shared_buffers_exceeds", "low_from_gib")
