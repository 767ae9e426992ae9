# METADATA
# title: WAL may outgrow its volume
# description: |
#   Between checkpoints pg_wal grows to max_wal_size – a soft limit that a burst of writes passes – and behind the checkpoint
#   PostgreSQL keeps wal_keep_size, or what a slot pins up to max_slot_wal_keep_size, whichever is more. When the volume is full
#   the server stops with a PANIC and does not start again until there is room; where data share the volume, they had the room
#   before. Clusters had to be restored for that, one of them twice; another one held 492 GB of WAL on 500Gi. The limits leave
#   room for a burst, for archiving that stalls, and for the data. An error where what somebody wrote alone fills the volume; defaults that do
#   are a warning, and defaults that merely take more than is advised are advice.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-MAX-WAL-SIZE
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/8791
#   - https://github.com/developmentseed/eoapi-k8s/issues/181
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Enlarge the volume, give WAL a volume of its own, or lower max_wal_size, wal_keep_size or max_slot_wal_keep_size.
#   sources: [S0, S1]
#   settings:
#     wal_volume_percent: {default: 60, description: What WAL may fill of a volume of its own. A heuristic.}
#     shared_volume_percent: {default: 25, description: What WAL may fill of a volume that it shares with the data. A heuristic.}
#   formulas:
#     - wal_bytes == max_wal_size_bytes + kept_bytes
#     - wal_bytes * 100 > size_bytes * advised_percent
package walguard.checks.wal.max_wal_vs_volume

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some id, volume in model.wal_volumes
	percent := advised[volume.shared]
	total_bytes * 100 > volume.size_bytes * percent
	share := floor((total_bytes * 100) / volume.size_bytes)
	f := object.union_n([
		finding.at(place(volume), sprintf("%s may hold %s of WAL (%s) on its %s of %s, %d %%%s; at most %d %% is advised, and a full volume stops the server with a PANIC. %s", [
			model.title,
			text.bytes(total_bytes),
			text.list([part.text | some part in parts], "and"),
			disk.label(model.volumes, id),
			disk.size_text(volume.size_bytes),
			share,
			shared_with[volume.shared],
			percent,
			cure(volume, percent),
		])),
		{"severity": severity(volume)},
		{"facts": {
			"max_wal_size_bytes": limit.bytes,
			"kept_bytes": total_bytes - limit.bytes,
			"wal_bytes": total_bytes,
			"size_bytes": volume.size_bytes,
			"advised_percent": percent,
		}},
	])
}

advised := {
	true: settings.number("wal/max_wal_vs_volume", "shared_volume_percent"),
	false: settings.number("wal/max_wal_vs_volume", "wal_volume_percent"),
}

shared_with := {true: ", beside the data", false: ""}

# What adds up: the limit, and the larger one of what is kept behind it.
parts := array.concat([limit], kept)

limit := part_of(model.parameter("max_wal_size"))

kept := [largest] if largest.bytes > 0

kept := [] if not something_kept

something_kept if largest.bytes > 0

largest := [part | some part in retained; part.bytes == max({p.bytes | some p in retained})][0]

retained contains part if part := part_of(model.parameter("wal_keep_size"))

retained contains part if part := part_of(model.parameter("max_slot_wal_keep_size"))

part_of(setting) := {
	"setting": setting,
	"bytes": setting.bytes,
	"text": sprintf("%s %s%s", [setting.name, text.bytes(setting.bytes), by[setting.origin]]),
}

by := {"written": "", "operator": " by the operator's default", "postgres": " by default"}

total_bytes := sum([part.bytes | some part in parts])

written := [part | some part in parts; part.setting.origin == "written"]

written_bytes := sum([part.bytes | some part in written])

# Defaults alone make no error: a sample on a small volume does no harm before somebody loads it.
severity(volume) := "error" if written_bytes >= volume.size_bytes

severity(volume) := "warning" if {
	written_bytes < volume.size_bytes
	count(written) > 0
}

severity(volume) := "warning" if {
	count(written) == 0
	total_bytes >= volume.size_bytes
}

severity(volume) := "info" if {
	count(written) == 0
	total_bytes < volume.size_bytes
}

# The largest written part, else the size of the volume.
place(_) := largest_written[0].setting

largest_written := [part | some part in written; part.bytes == max([p.bytes | some p in written])]

place(volume) := disk.place(volume, "size_path") if count(written) == 0

cure(volume, percent) := sprintf("Enlarge the volume to %s, or lower max_wal_size to %s", [disk.size_text(needed(percent)), text.bytes(allowed)]) if {
	allowed := allowed_limit(volume, percent)
	allowed >= smallest
}

cure(volume, percent) := sprintf("Enlarge the volume to %s", [disk.size_text(needed(percent))]) if allowed_limit(volume, percent) < smallest

# Below this max_wal_size costs more in checkpoints than it saves.
smallest := 1073741824

gibibyte := 1073741824

needed(percent) := ceil((total_bytes * 100) / (percent * gibibyte)) * gibibyte

allowed_limit(volume, percent) := floor((((volume.size_bytes * percent) / 100) - (total_bytes - limit.bytes)) / gibibyte) * gibibyte
