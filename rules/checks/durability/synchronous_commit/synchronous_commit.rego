# METADATA
# title: Commits are acknowledged before they are safe
# description: |
#   With synchronous_commit=off a transaction is acknowledged before its WAL is on disk; what was acknowledged within the last three
#   rounds of the WAL writer (3 × wal_writer_delay, 600 ms by default) is gone when the server or its node fails. The database
#   stays consistent, which makes it the right choice for data that may be lost, by session or by transaction. With "local"
#   commits wait for the own disk but not for the synchronous standbys that the cluster is configured to have, so that a failover
#   loses what these have not received.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-async-commit.html
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-SYNCHRONOUS-COMMIT
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave synchronous_commit on for the cluster and set it to off in those sessions or transactions whose loss is acceptable.
#   sources: [S0, S1]
#   cel:
#     - operators: [cnpg, crunchy, percona, zalando]
#       found: "variables.synchronous_commit in ['off', 'false', 'no', '0'] || (variables.synchronous_commit == 'local' && variables.synchronous)"
package walguard.checks.durability.synchronous_commit

import data.walguard.lib.budget
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	setting.value == "off"
	f := told(sprintf("acknowledges commits before they are on disk: up to %d ms of them are lost when the server or its node fails", [window_milliseconds]))
}

findings contains f if {
	setting.value == "local"
	model.cluster.synchronous.value == true
	f := told("does not wait for the synchronous standbys: a failover loses the commits they have not received")
}

setting := model.changed("synchronous_commit")

told(what) := finding.with_parameter(
	finding.with_default(
		finding.with_severity(
			finding.at(setting, sprintf("%s %s. Leave it on, and set it to off only in sessions whose loss is acceptable.", [
				budget.setting(setting),
				what,
			])),
			severities[setting.origin],
		),
		setting,
	),
	setting,
	"on",
)

# Nobody asked for the default of an operator, but it is no mistake of the manifest either.
severities := {"written": "warning", "operator": "info"}

# The WAL writer needs up to three rounds.
window_milliseconds := 3 * delay_milliseconds

delay_milliseconds := delay.milliseconds

delay_milliseconds := 200 if not delay.milliseconds

delay := model.changed("wal_writer_delay")
