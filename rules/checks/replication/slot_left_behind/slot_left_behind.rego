# METADATA
# title: A connector's replication slot stays behind
# description: |
#   A logical replication slot is on the primary alone: another instance that takes over has none of the name, unless something copies it. Debezium then creates a new one, which begins where the
#   new primary is, and lacks the changes in between, or asks for a snapshot of everything; the slot of the former primary keeps its WAL until somebody drops it.
#   CloudNativePG copies logical slots with synchronizeLogicalDecoding: since PostgreSQL 17 those with failover, which Debezium's slot.failover asks for, with sync_replication_slots and hot_standby_feedback on; before
#   by the extension pg_failover_slots. Patroni copies those that it is told of, and drops others that nobody reads. Looked at are clusters of several instances, and connectors that name one of their hosts.
#   Between rows of the tables that it is told to read (table.include.list) Debezium confirms nothing without heartbeats, and the slot keeps what all others write: an info, and a warning where CloudNativePG's application has another database than the connector's.
# related_resources:
#   - https://cloudnative-pg.io/documentation/current/replication/#logical-decoding-slot-synchronization
#   - https://www.postgresql.org/docs/current/logical-replication-failover.html
#   - https://patroni.readthedocs.io/en/latest/dynamic_configuration.html
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-property-slot-failover
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-wal-disk-space
#   - https://github.com/cloudnative-pg/charts/pull/877
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/1962
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Let the operator or Patroni copy the slot to the standbys, and create it with failover since PostgreSQL 17.
#   sources: []
package walguard.checks.replication.slot_left_behind

import data.walguard.lib.finding
import data.walguard.lib.placeholder
import data.walguard.model
import data.walguard.model.decoders

findings contains f if {
	left := model.cluster.slots_left
	model.cluster.instances.value > 1
	not model.written.sync_replication_slots
	some one in decoders.debezium
	not one.slot in left.kept
	not placeholder.holds(one.slot)
	f := finding.at(
		{"path": one.slot_path, "resource": one.resource},
		sprintf("%s reads slot %s, which no other instance has when it takes over: changes are lost, and the old slot keeps WAL. %s.", [one.who, one.slot, left.cure]),
	)
}

findings contains f if {
	some one in decoders.quiet
	f := finding.with_severity(finding.at(one, sprintf("%s reads %s without heartbeats: while nothing is written there, its slot keeps %s. %s.", [one.who, one.read, one.kept, one.cure])), one.level)
}
