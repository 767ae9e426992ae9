# METADATA
# description: |
#   The budget of WAL: what pg_wal reaches, what a volume can spare for it, and which values of max_wal_size, max_slot_wal_keep_size and
#   the volume's size go together. pg_wal reaches max_wal_size, or what is kept behind the checkpoint – the larger of wal_keep_size and
#   what slots may hold – plus the WAL of one checkpoint distance, max_wal_size ÷ (1 + checkpoint_completion_target), whichever is more.
#   It is no sum: a server with 64MB and 128MB was seen at 162 MB (tests/postgres, what_is_kept_does_not_add_to_max_wal_size).
package walguard.lib.budget.wal

import data.walguard.lib.budget
import data.walguard.lib.disk
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.model.decoders

limit := model.parameter("max_wal_size")

# METADATA
# description: The setting that keeps most behind the checkpoint; undefined where nothing is kept.
keeper := [setting | some setting in keepers; setting.bytes == kept_bytes][0] if kept_bytes > 0

keepers := [setting |
	some setting in [
		model.parameter("max_slot_wal_keep_size"),
		model.parameter("wal_keep_size"),
	]
	setting.bytes > 0
]

# METADATA
# description: What is kept behind the checkpoint, in bytes.
kept_bytes := max(array.concat([0], [setting.bytes | some setting in keepers]))

# METADATA
# description: What pg_wal reaches, in bytes. Undefined when max_wal_size is unknown.
bytes := reach(limit.bytes, kept_bytes)

# METADATA
# description: What it reaches with these two, in bytes.
reach(limit_bytes, kept) := reach_at(limit_bytes, kept, target_thousandths)

# METADATA
# description: The same with another checkpoint_completion_target, in thousandths.
reach_at(limit_bytes, 0, _) := limit_bytes

reach_at(limit_bytes, kept, thousandths) := max([limit_bytes, kept + distance_at(limit_bytes, thousandths)]) if kept > 0

# METADATA
# description: The WAL from the start of one checkpoint to that of the next.
distance(limit_bytes) := distance_at(limit_bytes, target_thousandths)

distance_at(limit_bytes, thousandths) := floor((limit_bytes * 1000) / (1000 + thousandths))

# METADATA
# description: checkpoint_completion_target in thousandths.
target_thousandths := round(target.value * 1000)

target_thousandths := 900 if not target.value

target := model.parameter("checkpoint_completion_target")

# METADATA
# description: What somebody wrote alone amounts to.
written_bytes := reach(
	max(array.concat([0], [limit.bytes | limit.origin == "written"])),
	max(array.concat([0], [setting.bytes | some setting in keepers; setting.origin == "written"])),
)

# METADATA
# description: The share of a volume that WAL may fill before walguard remarks upon it, in percent.
advised_percent(volume) := settings.number("wal/max_wal_vs_volume", "shared_volume_percent") if volume.shared

advised_percent(volume) := settings.number("wal/max_wal_vs_volume", "wal_volume_percent") if not volume.shared

# METADATA
# description: What a volume can spare for WAL, in bytes.
allowance(volume) := floor((volume.size_bytes * advised_percent(volume)) / 100)

# METADATA
# description: What the smallest volume can spare; undefined where no size is known.
spare := min([n | some volume in model.wal_volumes; n := allowance(volume)])

# METADATA
# description: The size of the volume that WAL of so many bytes wants, in bytes.
size_for(volume, wal_bytes) := budget.volume_up(ceil((wal_bytes * 100) / advised_percent(volume)))

# METADATA
# description: The largest max_wal_size below an allowance, beside what is kept. Undefined where none is of use.
limit_within(allowed) := max([n | some n in budget.amounts; n >= least_limit; reach(n, kept_bytes) <= allowed])

# METADATA
# description: The largest bound for slots below an allowance, beside the present max_wal_size. Undefined where it would be less than 1 GB.
slots_within(allowed) := budget.down(spare) if {
	limit.bytes <= allowed
	spare := allowed - distance(limit.bytes)
	spare >= budget.gibibyte
}

# METADATA
# description: |
#   Below this a max_wal_size costs more in checkpoints than it saves – 1 GB, more than min_wal_size, two segments, and, of a cluster
#   that states its demand, what that writes in a minute.
least_limit := max(array.concat([budget.gibibyte, smallest], load_limits))

smallest := max(array.concat(
	[0],
	[n |
		some n in [
			model.bytes("min_wal_size") + 1,
			2 * model.segment_bytes,
		]
	],
))

# METADATA
# description: 'What the stated demand asks of max_wal_size: more than 1 GB, and as much as it writes in a minute.'
load_limits := [max([budget.gibibyte + 1, demand_bytes * fill_seconds]) |
	some volume in model.wal_volumes
	volume.demand.origin == "stated"
	demand_bytes := volume.demand.bytes_per_second * disk.shares(volume)
]

fill_seconds := settings.number("wal/removed_not_recycled", "fill_seconds")

# METADATA
# description: |
#   A max_wal_size of at least so many bytes, as a person would write it, that every volume can spare. Undefined where none does; where
#   the size of the volumes is not known the amount alone.
raised(wanted) := n if {
	n := budget.up(max([wanted, least_limit]))
	n > limit.bytes
	fits(n)
}

# METADATA
# description: True of a max_wal_size that every volume can spare, beside what is kept, and where slots that nothing bounds find room, too.
fits(limit_bytes) if {
	affordable(reach(limit_bytes, kept_bytes))
	roomy(limit_bytes)
}

affordable(wal_bytes) if wal_bytes <= spare

affordable(_) if not spare

roomy(limit_bytes) if count([1 | some volume in model.wal_volumes; volume.size_bytes < slots_want(limit_bytes)]) == 0

# METADATA
# description: The size of a volume on which wal/slot_retention_unbounded takes slots without a bound for advice, with this max_wal_size.
slots_want(limit_bytes) := limit_bytes * settings.number("wal/slot_retention_unbounded", "small_times") if {
	limit_bytes > budget.gibibyte
	unbounded
} else := 0

# Whoever wrote -1 is warned anyway.
unbounded if {
	slots.value == -1
	slots.origin != "written"
	held
}

slots := model.parameter("max_slot_wal_keep_size")

held if standbys

held if subscribers

# METADATA
# description: True where standbys hold slots.
standbys if {
	model.cluster.slots.value == true
	model.cluster.instances.value > 1
}

# METADATA
# description: True where logical subscribers are wanted, or in sight. A standby has the level of its primary, whose subscribers they are.
subscribers if {
	not model.cluster.follows
	level := model.changed("wal_level")
	level.value == "logical"
	level.origin == "written"
}

subscribers if {
	not model.cluster.follows
	some one in decoders.all
	one.who
}

# METADATA
# description: What to do for a max_wal_size of at least so many bytes – a sentence with the value that fits, or with the volume it wants first.
raise_text(wanted) := sprintf("Raise max_wal_size to %s", [budget.text(raised(wanted))])

raise_text(wanted) := sprintf("Raise max_wal_size to %s, once the %s is %s", [
	budget.text(n),
	disk.label(model.volumes, id),
	disk.size_text(max([size_for(volume, reach(n, kept_bytes)), budget.volume_up(max([1, slots_want(n)]))])),
]) if {
	not raised(wanted)
	n := budget.up(max([wanted, least_limit]))
	[id, volume] := tightest
}

# The volume that spares least.
tightest := [[id, volume] | some id, volume in model.wal_volumes; allowance(volume) == spare][0]

# METADATA
# description: Bytes a second at which a server replays WAL after a crash, not more than the volume of its WAL reads.
replay_rate := min(array.concat(
	[settings.number("checkpoint/recovery_time", "replay_mbps") * 1000000],
	[volume.disk.throughput_bytes_per_second | some volume in model.wal_volumes; volume.disk.throughput_bytes_per_second],
))
