# METADATA
# title: Too few replication connections or slots for the standbys
# description: |
#   Each standby takes one of max_wal_senders on the primary, and where the operator uses slots one of max_replication_slots; a
#   permanent slot takes one of both, and so does a connector of Debezium. A new copy of a standby takes two connections while it is made, the copy and the WAL beside it.
#   With fewer, a standby cannot stream, falls behind or is never built: "number of requested standby connections exceeds
#   max_wal_senders", as pg_basebackup does with max_wal_senders=0 (an error), "all replication slots are in use". The defaults of 10 are enough for most; Patroni replaces values below 3 and
#   4.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-replication.html#GUC-MAX-WAL-SENDERS
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Raise max_wal_senders to the number of instances plus permanent slots, with some to spare (10 is the default), and max_replication_slots likewise.
#   sources: []
package walguard.checks.replication.slots_exhausted

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.script
import data.walguard.lib.text
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.decoders

findings contains f if {
	setting := model.parameter("max_wal_senders")
	standbys + connectors > 0
	needed := streams + kept
	available := at_least(setting.value, 3)
	available < needed
	f := finding.with_parameter(
		finding.with_facts(
			finding.at(setting, sprintf("max_wal_senders=%s allows %d replication connections; %s need %d. Set it to %d.", [
				setting.text,
				available,
				users(copy),
				needed,
				max([10, needed]),
			])),
			{"available": available, "standbys": standbys, "permanent_slots": permanent, "needed": needed},
		),
		setting, sprintf("%d", [max([10, needed])]),
	)
}

# What copies the server is a client of replication like a standby.
findings contains f if {
	setting := model.written.max_wal_senders
	trim(setting.text, "' ") == "0"
	not model.cluster.patroni
	some one in workloads.containers
	not workloads.itself(one.made)
	some call in regex.find_n(`\b(pg_basebackup|pg_receivewal)\s[^\n;|&]*`, script.of(one.container), 1)
	some host in get.list(model.cluster, "hosts")
	host != ""
	regex.match(sprintf(`(-h\s*|--host[= ]|\bhost=|"name":"PGHOST","value":")["']?%s\b`, [text.literal(host)]), concat(" ", [call, json.marshal(get.list(one.container, "env"))]))
	f := finding.with_severity(finding.at(setting, sprintf("max_wal_senders=0, and %s runs %s: it is refused (\"number of requested standby connections exceeds max_wal_senders\"). Set max_wal_senders to 10 and wal_level to replica.", [one.made.words, split(call, " ")[0]])), "error")
}

findings contains f if {
	setting := model.parameter("max_replication_slots")
	held + connectors > 0
	needed := held + kept
	available := at_least(setting.value, 4)
	available < needed
	f := finding.with_parameter(
		finding.with_facts(
			finding.at(setting, sprintf("max_replication_slots=%s gives %d slots; %s need %d. Set it to %d.", [
				setting.text,
				available,
				users(""),
				needed,
				max([10, needed]),
			])),
			{"available": available, "standbys": standbys, "permanent_slots": permanent, "needed": needed},
		),
		setting, sprintf("%d", [max([10, needed])]),
	)
}

standbys := model.cluster.instances.value - 1

# Where their number is unknown, connectors alone count.
standbys := 0 if not model.cluster.instances

# One more than the standbys while a new one is made.
streams := standbys + 1 if standbys > 0

streams := 0 if standbys == 0

copy := "and one new copy" if standbys > 0

copy := "" if standbys == 0

# Of the standbys.
held := standbys if model.cluster.slots.value

held := 0 if not model.cluster.slots.value

kept := permanent + connectors

permanent := model.cluster.permanent_slots.value

permanent := 0 if not model.cluster.permanent_slots

# Each streams from a slot of its own.
connectors := count(decoders.streaming)

# Patroni's minima (patroni/postgresql/config.py).
at_least(value, minimum) := max([value, minimum]) if model.cluster.patroni

at_least(value, _) := value if not model.cluster.patroni

users(end) := trim_space(sprintf("%s %s", [
	text.list(
		array.concat(
			array.concat(
				[text.counted(standbys, "standby") | standbys > 0],
				[text.counted(permanent, "permanent slot") | permanent > 0],
			),
			[text.counted(connectors, "connector") | connectors > 0],
		),
		"and",
	),
	end,
]))
