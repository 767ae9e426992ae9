# METADATA
# title: shared_buffers do not suit the memory limit
# description: |
#   shared_buffers count against the memory limit of the pod as soon as they are used; when it is exceeded the kernel kills a
#   process of PostgreSQL, and all connections are gone. PostgreSQL's documentation advises 25 % of the memory and sees little use in more
#   than 40 %, since the page cache holds the same pages again. shared_buffers in huge pages do not count against the limit and are
#   no matter of this check. A limit that leaves less than 96 MB beside them is a warning, PostgreSQL's default of 128 MB included; one of which somebody gave them three quarters
#   or more, with less than 122 MB beside them, is an error. timescaledb-tune
#   writes a quarter of the limit into postgresql.conf when the database is made and never again, so that a limit which is lowered later meets the old buffers. Far too small buffers, a default of 128 MB in gigabytes of memory, are info.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-SHARED-BUFFERS
#   - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-limits-are-run
#   - https://github.com/timescale/timescaledb-docker/issues/87
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
#     - share_percent == floor((shared_buffers_bytes * 100) / memory_limit_bytes)
package walguard.checks.memory.shared_buffers_exceeds

import data.walguard.lib.budget
import data.walguard.lib.budget.memory as plan
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	some known in memory.sets
	not memory.buffers_in_huge_pages(known)
	percent := floor((setting.bytes * 100) / known.limit_bytes)
	verdict := verdict_on(percent, known)
	f := finding.with_related(
		cured(
			finding.with_default(
				finding.with_facts(
					finding.with_severity(
						finding.at(setting, sprintf("%s is %s of %s: %s. %s.", [
							budget.setting(setting),
							share(percent),
							memory.label(known),
							verdict.text,
							cure,
						])),
						verdict.severity,
					),
					{"shared_buffers_bytes": setting.bytes, "memory_limit_bytes": known.limit_bytes, "share_percent": percent},
				),
				setting,
			),
			percent,
		),
		[[memory.limit(known), "the memory limit"]],
	)
}

# What the image wrote by the limit of its first start stays in the data directory. The old limit may not be that of the first start, but it was not below what the server has run with.
findings contains f if {
	model.cluster.buffers_of_first_start
	not setting
	share_of := before.cluster.buffers_of_first_start.value
	some known in memory.sets
	old := quantity.bytes(get.list(before.cluster, "instance_sets")[0].resources.limits.memory)
	kept := floor((old * share_of) / 100)
	percent := floor((kept * 100) / known.limit_bytes)
	percent > high_percent
	f := finding.with_severity(
		finding.at(memory.limit(known), sprintf("%s sets shared_buffers at the first start alone: the %s that it took of a limit of %s are %d %% of %s, and once they are used the kernel kills the server. Write -c shared_buffers=%s into args.", [
			model.cluster.buffers_of_first_start.by,
			text.bytes(kept),
			text.bytes(old),
			percent,
			text.bytes(known.limit_bytes),
			budget.text(floor(known.limit_bytes / 4)),
		])),
		{true: "error", false: "warning"}[percent >= 100],
	)
}

setting := model.parameter("shared_buffers")

share(0) := "less than 1 %"

share(percent) := sprintf("%d %%", [percent]) if percent > 0

# One after the other: an administrator may set the upper bound below the lower one.
verdict_on(percent, known) := {
	# Buffers are charged as they are used, and a small database never uses all of the default.
	"severity": {true: "warning", false: "error"}[setting.origin == "postgres"],
	"text": "once they are used the kernel kills the server, again after every restart",
} if {
	percent >= 100
} else := {
	"severity": "error",
	"text": sprintf("the %s that are left are too little for a server: once the buffers are used the kernel kills it, again in each recovery", [budget.shown(known.limit_bytes - setting.bytes)]),
} if {
	# Three per cent more lie in shared memory beside the buffers.
	percent >= 75
	setting.origin == "written"
	known.limit_bytes - ((setting.bytes * 103) / 100) < seen_mib * 1048576
} else := {
	# The default too: smaller buffers were left to it, and the limit holds no server.
	"severity": "warning",
	"text": sprintf("the %s that are left are too little for a server: once the buffers are used the kernel kills it, again in each recovery", [budget.shown(known.limit_bytes - setting.bytes)]),
} if {
	known.limit_bytes - setting.bytes < own_mib * 1048576
} else := {
	"severity": "warning",
	"text": sprintf("above %d %% connections and the page cache lack memory", [high_percent]),
} if {
	# A small default in a small pod is nobody's choice.
	percent > high_percent
	setting.origin == "written"
} else := {
	"severity": "info",
	"text": "pages that would fit are read and written again and again",
} if {
	percent < low_percent
	known.limit_bytes >= low_from_gib * 1073741824
	best > setting.bytes
}

# What the processes of an idle server take beside shared_buffers, with little to spare: 250Mi were seen with 128MB.
own_mib := 96

seen_mib := 122

# The parameter is one for all sets: the smallest memory decides.
best := min([n | some known in memory.sets; n := plan.buffers_within(known)])

cure := sprintf("Set it to about %s, 25 %% or less", [budget.text(best)])

cure := "Raise the memory limit" if not best

cured(f, percent) := finding.with_parameter(f, setting, budget.text(best)) if suits(percent)

cured(f, percent) := f if not suits(percent)

# Smaller ones where they are too large, larger ones where they are small.
suits(percent) if {
	percent > high_percent
	best < setting.bytes
}

suits(percent) if {
	percent <= high_percent
	best > setting.bytes
}

high_percent := settings.number("memory/shared_buffers_exceeds", "high_percent")

low_percent := settings.number("memory/shared_buffers_exceeds", "low_percent")

low_from_gib := settings.number("memory/shared_buffers_exceeds", "low_from_gib")
