# METADATA
# title: A query on a standby can stop vacuum on the primary for good
# description: |
#   With hot_standby_feedback=on a standby tells the primary the oldest row version that its queries still see, and vacuum keeps
#   everything newer. max_standby_streaming_delay=-1 never cancels such a query, so that one forgotten transaction on a standby makes
#   every table of the primary bloat until it ends, and in the end threatens transaction wraparound. Either is sound by itself.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-replication.html#GUC-HOT-STANDBY-FEEDBACK
#   - https://www.postgresql.org/docs/current/runtime-config-replication.html#GUC-MAX-STANDBY-STREAMING-DELAY
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Bound max_standby_streaming_delay (15min for example), or the transactions of standbys by transaction_timeout or idle_in_transaction_session_timeout.
#   sources: []
package walguard.checks.vacuum.xmin_pinned

import data.walguard.lib.budget
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	model.changed("hot_standby_feedback").value == true
	delay.value == -1
	not bounded
	not alone
	f := finding.with_parameter(
		finding.at(delay, sprintf("%s with hot_standby_feedback=on: one forgotten query on a standby stops vacuum on the primary for as long as it lasts. Set max_standby_streaming_delay to 15min.", [budget.setting(delay)])),
		delay,
		"15min",
	)
}

delay := model.changed("max_standby_streaming_delay")

# Without standbys nobody gives feedback.
alone if model.cluster.instances.value == 1

bounded if model.changed("transaction_timeout").value > 0

bounded if model.changed("statement_timeout").value > 0
