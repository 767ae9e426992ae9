# METADATA
# title: wal_level is too low for what reads the WAL
# description: |
#   At wal_level=minimal WAL holds what crash recovery needs and nothing more. PostgreSQL therefore does not start with it while archive_mode is
#   on or summarize_wal is, or max_wal_senders, 10 by default, is above 0 – "WAL streaming (max_wal_senders > 0) requires wal_level to be replica or
#   logical" –, and neither standbys nor base backups can be made from such a server.
#   Slots that a standby is to synchronize (sync_replication_slots) want logical too.
#   Patroni replaces this value, so that nothing is said of it there. At wal_level=replica, the default, nobody can decode the WAL either before PostgreSQL 19: Debezium, logical slots and subscriptions end with
#   "logical decoding requires wal_level >= logical". Whatever decodes it must be found, as a connector that names a host of the cluster, a slot of Patroni's, a publication,
#   or a program that does nothing else (PGSync, Electric, Zero).
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-WAL-LEVEL
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html
#   - https://postgr.es/m/CAH0PTU_pc3oHi__XESF9ZigCyzai1Mo3LsOdFyQA4aUDkm01RA@mail.gmail.com
#   - https://github.com/IndustryFusion/DigitalTwin/issues/115
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set wal_level to replica, or to logical where something decodes the WAL.
#   sources: []
package walguard.checks.wal.minimal_level

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.decoders

findings contains f if {
	setting := model.changed("wal_level")
	setting.value == "minimal"
	not model.cluster.patroni
	count(reasons) > 0
	f := finding.with_parameter(
		finding.at(setting, sprintf("wal_level=%s, but %s: %s. Set it to replica.", [
			setting.text,
			text.list(reasons, "and"),
			effect,
		])),
		setting,
		"replica",
	)
}

findings contains f if {
	setting := model.parameter("wal_level")
	setting.value in {"minimal", "replica"}
	model.major < 19
	certain(setting)
	some decoder in decoders.all
	f := finding.with_severity(
		finding.with_parameter(
			finding.at(decoder, sprintf("wal_level=%s, and %s: %s (\"logical decoding requires wal_level >= logical\"). Set it to logical and restart the server.", [setting.text, decoder.what, decoder.consequence])),
			setting,
			"logical",
		),
		object.get(decoder, "level", "error"),
	)
}

# Of a standby; up to 17 the worker is not started, and before 17.6 the server stops with it.
findings contains f if {
	setting := model.written.sync_replication_slots
	on(setting)
	model.major in {17, 18}
	level := model.parameter("wal_level")
	level.value in {"minimal", "replica"}
	certain(level)
	not model.cluster.patroni
	f := finding.with_parameter(
		finding.at(setting, sprintf("sync_replication_slots=%s with wal_level=%s: %s. Set wal_level to logical.", [setting.text, level.text, {17: "no slot is synchronized, and before 17.6 the server shuts down", 18: "the server does not start"}[model.major]])),
		level,
		"logical",
	)
}

on(setting) if get.lower_case(trim(setting.text, "' ")) in {"1", "on", "true", "yes"}

certain(setting) if setting.origin != "postgres"

certain(setting) if {
	setting.origin == "postgres"
	not model.cluster.unknown_sample
}

# By SQL or by a request, beside a server whose other parameters are not in sight.
findings contains f if {
	setting := model.changed("wal_level")
	setting.value == "minimal"
	not model.cluster.patroni
	model.partial
	by_hand_or_here
	not written_senders
	count(reasons) == 0
	f := finding.with_severity(
		finding.with_parameter(
			finding.at(setting, sprintf("wal_level=%s: the server does not start with it unless max_wal_senders is 0 (10 by default) and archive_mode is off. Set it to replica.", [setting.text])),
			setting,
			"replica",
		),
		"warning",
	)
}

by_hand_or_here if model.cluster.by_hand

by_hand_or_here if not model.cluster.change

reasons := array.concat(refusals, wishes)

# With these the server does not start.
refusals := array.concat(
	[sprintf("max_wal_senders is %d", [senders]) | senders > 0],
	array.concat(
		["WAL archiving is on" | model.cluster.archiving.value in {"on", "discards"}],
		["summarize_wal is on" | on(model.written.summarize_wal)],
	),
)

wishes := [sprintf("there are %d instances", [n]) |
	n := model.cluster.instances.value
	n > 1
]

effect := "the server does not start" if count(refusals) > 0

effect := "standbys cannot follow it" if count(refusals) == 0

written_senders := model.changed("max_wal_senders")

senders := written_senders.value

# PostgreSQL's default; in a change alone it is not known.
senders := 10 if {
	not written_senders
	not model.partial
}
