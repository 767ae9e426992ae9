# METADATA
# title: Limits are lowered where standbys restart before the primary
# description: |
#   A standby needs at least the primary's max_connections, max_worker_processes, max_wal_senders, max_prepared_transactions and
#   max_locks_per_transaction. Where a change restarts the standbys first, a lower value stops them – "insufficient parameter settings"
#   – until the primary has restarted too and its WAL has been replayed. Patroni and CloudNativePG take care of the order; a rolling
#   update of a StatefulSet with repmgr, which ends with the pod 0, does not.
# related_resources:
#   - https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-ADMIN
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Lower the value on the primary first and let the standbys replay that, or keep it.
#   sources: []
package walguard.checks.change.max_connections_lowered

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	model.cluster.standbys_restart_first.value
	model.cluster.instances.value > 1
	some setting in [
		model.parameter("max_connections"),
		model.parameter("max_locks_per_transaction"),
		model.parameter("max_prepared_transactions"),
		model.parameter("max_wal_senders"),
		model.parameter("max_worker_processes"),
	]
	old := before.parameter(setting.name)
	setting.value < old.value
	f := finding.with_facts(
		finding.at(setting, sprintf("%s goes from %s to %s, and the standbys restart first: they stop until the primary has the lower value too. Restart the primary first, or keep %s.", [
			setting.name,
			old.text,
			setting.text,
			old.text,
		])),
		{"old": old.value, "new": setting.value},
	)
}
