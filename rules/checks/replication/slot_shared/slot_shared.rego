# METADATA
# title: Two connectors share a replication slot
# description: |
#   A replication slot serves one connection at a time, and its name is one for the whole server, whatever the database. Debezium calls its slot
#   "debezium" unless it is told otherwise, so the second connector of a server ends with "replication slot "debezium" is active" or "already exists". Both read, in turn after each
#   restart, what the other one has acknowledged, and each of them lacks changes. Connectors that are paused or stopped do not count.
# related_resources:
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-deploying-multiple-connectors
#   - https://github.com/apache/flink-cdc/issues/65
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Give each connector a slot.name of its own (DEBEZIUM_SOURCE_SLOT_NAME of Debezium Server), and a publication.name where they read other tables.
#   sources: []
package walguard.checks.replication.slot_shared

import data.walguard.lib.finding
import data.walguard.model.decoders

findings contains f if {
	some slot, sharing in by_slot
	count(sharing) > 1
	some n, one in sharing
	n > 0
	f := finding.at(
		{"path": one.slot_path, "resource": one.resource},
		sprintf("%s uses the replication slot %s%s of %s: a slot serves one of them, and the other one fails (\"replication slot is active\"). Set another slot.name.", [
			one.who,
			slot,
			said[one.default],
			sharing[0].who,
		]),
	)
}

said := {true: " (the default)", false: ""}

# Those of one name are one, in the files of two environments.
by_slot[slot] := sharing if {
	some slot in {one.slot | some one in decoders.debezium}
	whose := {one.who: one | some one in decoders.debezium; one.slot == slot; not one.who in twice}
	sharing := [whose[who] | some who in sort(object.keys(whose))]
}

twice := {one.who | some n, one in decoders.debezium; some m, other in decoders.debezium; m < n; one.who == other.who}
