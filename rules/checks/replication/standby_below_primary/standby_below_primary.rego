# METADATA
# title: A standby has lower limits than its primary
# description: |
#   Some parameters size the memory that replay needs – max_connections, max_worker_processes, max_wal_senders,
#   max_prepared_transactions and max_locks_per_transaction. A standby whose value is below the primary's does not start ("insufficient
#   parameter settings"), or pauses replay and can then not be promoted. CloudNativePG and Patroni keep the values of standbys in step
#   by themselves; a chart that configures primary and read replicas apart does not.
# related_resources:
#   - https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-ADMIN
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Give the standby the values of the primary, or higher ones. Raise them on standbys first, lower them on the primary first.
#   sources: []
package walguard.checks.replication.standby_below_primary

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.primary

# max_worker_processes and the others are asked for by name, since the model works out what some check names.
own := {
	"max_connections": model.parameter("max_connections"),
	"max_locks_per_transaction": model.parameter("max_locks_per_transaction"),
	"max_prepared_transactions": model.parameter("max_prepared_transactions"),
	"max_wal_senders": model.parameter("max_wal_senders"),
	"max_worker_processes": model.parameter("max_worker_processes"),
}

findings contains f if {
	some name, setting in own
	wanted := primary.parameters[name]
	setting.value < wanted.value
	f := finding.with_related(
		finding.with_parameter(
			finding.with_facts(
				finding.at(setting, sprintf("%s=%s, and the primary %s has %s: the standby does not start or stops replaying. Set it to %s here too.", [
					name,
					setting.text,
					primary.reference.name,
					wanted.text,
					wanted.text,
				])),
				{"standby": setting.value, "primary": wanted.value},
			),
			setting, wanted.text,
		),
		[[object.union({"resource": primary.reference}, wanted), "the primary's"]],
	)
}
