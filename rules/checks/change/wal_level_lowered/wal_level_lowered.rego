# METADATA
# title: wal_level is lowered under what uses it
# description: |
#   A server with a logical slot refuses to start below logical – "logical replication slot exists, but wal_level < logical" – until
#   somebody drops the slot, which takes a running server. Below replica there is no archiving and no standby, and base backups from
#   before cannot be rolled forward over the gap. PostgreSQL 19 raises the level by itself where a slot needs it.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-WAL-LEVEL
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Drop subscriptions and logical slots first (select slot_name from pg_replication_slots where slot_type = logical), or leave the level.
#   sources: []
package walguard.checks.change.wal_level_lowered

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

ranks := {"minimal": 0, "replica": 1, "archive": 1, "hot_standby": 1, "logical": 2}

findings contains f if {
	setting := model.parameter("wal_level")
	old := before.parameter("wal_level")
	ranks[setting.value] < ranks[old.value]
	f := finding.at(setting, sprintf("wal_level goes from %s to %s: %s. Set it to %s, or remove what uses it first.", [
		old.value,
		setting.value,
		consequences[ranks[setting.value]],
		old.value,
	]))
}

consequences := {
	0: "archiving and standbys need replica, and backups made before cannot be rolled forward past this change",
	1: "with a logical slot the server does not start",
}
