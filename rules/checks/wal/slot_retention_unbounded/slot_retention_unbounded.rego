# METADATA
# title: A standby that stays away fills the disk with WAL
# description: |
#   A replication slot keeps WAL for a standby that is down, lagging or gone, and max_slot_wal_keep_size=-1, the default, puts no bound to
#   that. The volume fills up at the rate of writing, the server stops with a PANIC, and it does not start again until there is room –
#   on the primary, because of a standby. With a bound the slot is given up instead: the standby is copied anew. Subscribers of logical
#   replication hold slots likewise. Told of clusters with more than one instance whose standbys use slots, and of those that set
#   wal_level=logical, on a volume of known size. A warning where somebody wrote -1. The default is advice only: nearly every manifest
#   has it, and what it costs is a standby's absence that monitoring sees first.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-replication.html#GUC-MAX-SLOT-WAL-KEEP-SIZE
#   - https://cloudnative-pg.io/docs/current/replication
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set max_slot_wal_keep_size to what the WAL volume can spare.
#   sources: [S2]
#   settings:
#     wal_volume_percent: {default: 50, description: What slots may keep of a WAL volume of its own. A heuristic.}
#     shared_volume_percent: {default: 20, description: What slots may keep of a volume that WAL shares with the data. A heuristic.}
package walguard.checks.wal.slot_retention_unbounded

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	setting.value == -1
	some id, volume in model.wal_volumes
	spare_gib := floor((volume.size_bytes * percents[volume.shared]) / 107374182400)
	f := finding.with_severity(
		finding.at(setting, sprintf("%s keeps WAL for %s without bound (max_slot_wal_keep_size=%s%s): %s that stays away fills the %s of %s and stops the primary. Set %s", [
			model.title,
			holders.all,
			setting.text,
			by_whom[setting.origin],
			holders.one,
			disk.label(model.volumes, id),
			disk.size_text(volume.size_bytes),
			cure(spare_gib),
		])),
		severities[setting.origin],
	)
}

setting := model.parameter("max_slot_wal_keep_size")

# Those who hold slots.
holders := {"all": "its standbys", "one": sprintf("one of its %d instances", [model.cluster.instances.value])} if standbys

holders := {"all": "logical subscribers", "one": sprintf("one of them (wal_level=%s)", [level.text])} if {
	level.value == "logical"
	level.origin == "written"
	not standbys
}

standbys if {
	model.cluster.slots.value == true
	model.cluster.instances.value > 1
}

level := model.changed("wal_level")

by_whom := {"written": "", "operator": ", the operator's default", "postgres": ", the default"}

severities := {"written": "warning", "operator": "info", "postgres": "info"}

percents := {
	true: settings.number("wal/slot_retention_unbounded", "shared_volume_percent"),
	false: settings.number("wal/slot_retention_unbounded", "wal_volume_percent"),
}

cure(gib) := sprintf("a bound, %s for example", [text_of(gib)]) if gib > 0

cure(0) := "a bound, and a larger volume"

text_of(gib) := concat("", [sprintf("%d", [gib]), "GB"])
