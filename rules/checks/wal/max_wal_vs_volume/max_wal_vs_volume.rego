# METADATA
# title: WAL may outgrow its volume
# description: |
#   Between checkpoints pg_wal grows to max_wal_size, a soft limit that a burst of writes passes. Where more is kept behind the checkpoint –
#   wal_keep_size, or what a slot may hold up to max_slot_wal_keep_size, whichever is larger – it is that plus the WAL of one checkpoint
#   distance, max_wal_size ÷ (1 + checkpoint_completion_target): 64MB and 128MB were seen at 162 MB on real servers. When the volume is full
#   the server stops with a PANIC and does not start again until there is room; where data share the volume, they had the room
#   before. Clusters had to be restored for that, one of them twice; another one held 492 GB of WAL on 500Gi. The limits leave
#   room for a burst, for archiving that stalls, and for the data. An error where what somebody wrote fills the volume alone; a warning where that is
#   max_slot_wal_keep_size, which only a standby that stays away reaches, as it is where somebody wrote -1. Defaults on a
#   volume as small as that of a sample are info, unless the data have a large one, WAL alone may reach twice its size, or it nearly fills the volume of a server that requests as much memory. So is everything on a
#   directory of an NFS server or of the node, which may hold more than its claim asks for (csi-driver-nfs, local-path and hostpath provisioners set no quota),
#   where the StorageClass in sight says so, or its name is the one that such a provisioner comes with.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-MAX-WAL-SIZE
#   - https://www.postgresql.org/docs/current/wal-configuration.html
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/8791
#   - https://github.com/developmentseed/eoapi-k8s/issues/181
#   - https://github.com/rancher/local-path-provisioner#cons
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Lower what is kept (max_slot_wal_keep_size, wal_keep_size) or max_wal_size, grow the volume, or give WAL a volume of its own.
#   sources: [S0, S1]
#   settings:
#     wal_volume_percent: {default: 60, description: Share of a volume of its own that WAL may reach before walguard remarks upon it. A heuristic.}
#     shared_volume_percent: {default: 25, description: Share of a volume that it shares with the data. A heuristic.}
#     wal_volume_warning_percent: {default: 80, description: Share of a volume of its own from which it is a warning. A heuristic.}
#     capped_volume_warning_percent: {default: 95, description: The same where slots are capped, which somebody did to bound it. A heuristic.}
#     shared_volume_warning_percent: {default: 50, description: Share of a shared volume from which it is a warning. A heuristic.}
#     sample_gib: {default: 5, description: Size in GiB below which a volume under defaults is taken for a sample. A heuristic.}
#   formulas:
#     - wal_bytes == max([max_wal_size_bytes, kept_bytes + distance_bytes])
#     - wal_bytes * 100 > size_bytes * advised_percent
package walguard.checks.wal.max_wal_vs_volume

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some id, volume in model.wal_volumes
	percent := wal.advised_percent(volume)
	wal.bytes * 100 > volume.size_bytes * percent
	told := finding.with_default(
		finding.at(place(volume), sprintf("WAL may reach %s, %d %% of the %s of %s%s (%s). A full volume stops the server; %s.", [
			budget.shown(wal.bytes),
			floor((wal.bytes * 100) / volume.size_bytes),
			disk.label(model.volumes, id),
			disk.size_text(volume.size_bytes),
			shared_with[volume.shared],
			text.list([part | some part in parts], "and"),
			cure(volume),
		])),
		place(volume),
	)
	f := finding.with_related(
		cured(
			object.union(told, {
				"severity": severity(volume),
				"facts": {
					"max_wal_size_bytes": wal.limit.bytes,
					"kept_bytes": wal.kept_bytes,
					"distance_bytes": distance_bytes,
					"wal_bytes": wal.bytes,
					"size_bytes": volume.size_bytes,
					"advised_percent": percent,
				},
			}),
			volume,
		),
		array.concat(
			[[disk.place(volume, "size_path"), "the volume"]],
			[[setting, setting.name] | some setting in array.concat([wal.limit], [wal.keeper | binding])],
		),
	)
}

shared_with := {true: ", which also holds the data", false: ""}

# Nothing that is kept adds nothing.
distance_bytes := wal.distance(wal.limit.bytes) if wal.kept_bytes > 0

distance_bytes := 0 if wal.kept_bytes == 0

parts := array.concat([shown(wal.limit)], [shown(wal.keeper) | binding])

# What is kept counts for more than max_wal_size.
binding if wal.bytes > wal.limit.bytes

shown(setting) := sprintf("%s %s%s", [setting.name, budget.shown(setting.bytes), by[setting.origin]])

by := {"written": "", "operator": " by the operator's default", "postgres": " by default"}

severity(volume) := "info" if {
	disk.without_quota(volume)
} else := "error" if {
	wal.written_bytes >= volume.size_bytes
	not capped
} else := "error" if {
	wal.limit.origin == "written"
	wal.limit.bytes >= volume.size_bytes
} else := "info" if {
	# No standby has a slot.
	capped
	model.cluster.instances.value == 1
	not wal.held
} else := "warning" if {
	wal.bytes * 100 > volume.size_bytes * warning_percent(volume)
	not sample(volume)
} else := "info"

warning_percent(volume) := settings.number("wal/max_wal_vs_volume", "shared_volume_warning_percent") if {
	volume.shared
	not capped
} else := settings.number("wal/max_wal_vs_volume", "capped_volume_warning_percent") if {
	not volume.shared
	capped
} else := settings.number("wal/max_wal_vs_volume", "wal_volume_warning_percent")

# max_wal_size is reached at every load; the cap of slots only while a standby stays away, and somebody set it to bound that.
capped if {
	binding
	wal.keeper.name == "max_slot_wal_keep_size"
}

# Defaults on a volume that holds no data to speak of: nobody sized anything. A small one for the WAL of a large one for data was sized.
sample(volume) if {
	count([1 | some other in model.volumes; other.size_bytes >= sample_bytes]) == 0
	volume.size_bytes < sample_bytes
	wal.bytes < 2 * volume.size_bytes
	wal.written_bytes * 100 < volume.size_bytes * warning_percent(volume)
	not outgrown(volume)
}

# A server with as much memory as disk is meant for more than a sample, and WAL alone nearly fills it.
outgrown(volume) if {
	wal.bytes * 100 > volume.size_bytes * settings.number("wal/max_wal_vs_volume", "wal_volume_warning_percent")
	some set in get.list(model.cluster, "instance_sets")
	quantity.bytes(requested(get.map(set, "resources"))) >= volume.size_bytes
}

# Kubernetes takes a limit for the request that is not written.
requested(resources) := object.get(resources, ["requests", "memory"], object.get(resources, ["limits", "memory"], ""))

sample_bytes := settings.number("wal/max_wal_vs_volume", "sample_gib") * budget.gibibyte

# The largest part that somebody wrote, else a default of the operator, else the size of the volume.
place(volume) := chosen[0] if {
	chosen := [setting | some origin in ["written", "operator"]; some setting in ordered; setting.origin == origin]
	count(chosen) > 0
} else := disk.place(volume, "size_path")

# By the default of checkpoint_completion_target: raising it to that moves no finding from one setting to the other.
ordered := [wal.keeper, wal.limit] if dominant

ordered := [wal.limit] if not dominant

dominant if wal.reach_at(wal.limit.bytes, wal.kept_bytes, 900) > wal.limit.bytes

# -------------------------------------------------------------------------------------------------------- cures

# What is kept costs nothing to lower, a smaller max_wal_size costs checkpoints, and a larger volume costs money.
cure(volume) := sprintf("lower %s to %s, or grow the volume to %s", [
	lowered.setting.name,
	budget.text(lowered.bytes),
	disk.size_text(wal.size_for(volume, wal.bytes)),
])

cure(volume) := sprintf("grow the volume to %s%s", [disk.size_text(wal.size_for(volume, wal.bytes)), bought(volume)]) if not lowered

bought(volume) := sprintf(" and set its %s", [volume.disk.throughput_parameter]) if slowed(volume)

bought(volume) := "" if not slowed(volume)

# Grown, it would take hours to restore (storage/size_does_not_help).
slowed(volume) if {
	disk.slow_tenths(volume, wal.size_for(volume, wal.bytes))
	not disk.slow_tenths(volume, volume.size_bytes)
}

lowered := {"setting": wal.keeper, "bytes": n} if {
	n := kept_within
} else := {"setting": wal.limit, "bytes": n} if {
	n := wal.limit_within(wal.spare)
	n < wal.limit.bytes
}

# Lowering the larger of the two is of use down to the other one.
kept_within := n if {
	binding
	n := wal.slots_within(wal.spare)
	n < wal.kept_bytes
	n >= max(array.concat([0], [setting.bytes | some setting in wal.keepers; setting.name != wal.keeper.name]))
}

cured(f, _) := finding.with_parameter(f, lowered.setting, budget.text(lowered.bytes))

cured(f, volume) := finding.with_suggested_size(f, volume, disk.size_text(wal.size_for(volume, wal.bytes))) if {
	not lowered
	not slowed(volume)
}

cured(f, volume) := f if {
	not lowered
	slowed(volume)
}
