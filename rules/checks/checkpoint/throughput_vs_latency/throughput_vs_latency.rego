# METADATA
# title: Rare checkpoints trade latency for throughput
# description: |
#   A cluster that says it serves latency (annotation walguard.dev/workload: latency) has checkpoints tuned for throughput, 32 GB of WAL
#   or 30 minutes apart. One measurement (S4: 64 GB and 30 minutes against the defaults of 1 GB and 5 minutes) found the average better and
#   the 99th percentile worse, and called the server unpredictable; another source (S2) recommends 32 GB and 30 minutes for throughput.
#   Both are right: measure the percentile that matters, and mind checkpoint_completion_target, which was 0.5 in the first.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-configuration.html
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Measure the 99th percentile with smaller values of max_wal_size and checkpoint_timeout too.
#   sources: [S2, S4]
package walguard.checks.checkpoint.throughput_vs_latency

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.wishes

findings contains f if {
	wishes.workload == "latency"
	count(rare) > 0
	f := finding.at(rare[0].setting, sprintf("%s for a latency workload (walguard.dev/workload): in a measurement checkpoints that rare raised average throughput and worsened the 99th percentile. Measure smaller values too.", [
		text.list([r.text | some r in rare], "and"),
	]))
}

rare := array.concat(
	[{"setting": setting, "text": sprintf("max_wal_size=%s", [setting.text])} |
		setting := model.parameter("max_wal_size")
		setting.bytes >= 34359738368
	],
	[{"setting": setting, "text": sprintf("checkpoint_timeout=%s", [setting.text])} |
		setting := model.parameter("checkpoint_timeout")
		setting.milliseconds >= 1800000
	],
)
