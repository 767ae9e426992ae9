# METADATA
# description: |
#   WAL and checkpoints, by the budget that wal/max_wal_vs_volume counts with (walguard.lib.budget.wal): as much as a checkpoint interval
#   writes, as far as the volume spares it beside what replication slots may keep.
package walguard.tune.wal

import data.walguard.lib.budget
import data.walguard.lib.budget.wal as plan
import data.walguard.lib.disk
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.wishes
import data.walguard.tune.machine
import data.walguard.tune.memory

# ---------------------------------------------------------------------------------------------------- checkpoints

# METADATA
# description: Minutes between checkpoints – the first of what people write in which the disk can write all of shared_buffers (checkpoint/flush_exceeds_interval).
minutes := min(array.concat([60], [n | some n in [15, 20, 30, 45, 60]; n >= least_minutes])) if not machine.latency

minutes := 15 if machine.latency

least_minutes := max([rare, flush])

rare := {"dw": 30}[machine.workload]

rare := 15 if machine.workload != "dw"

flush := ceil((memory.buffers * 10) / ((machine.data_bytes_per_second * 9) * 60))

flush := 0 if not memory.buffers

flush := 0 if not machine.data_bytes_per_second

# -------------------------------------------------------------------------------------------------------- the load

# Measured on 16 cores under a write load: 66 MB/s of WAL (S0).
bytes_per_core := 4125000

parts := {"oltp": 100, "dw": 100, "mixed": 50, "web": 25}

# What is stated, else what the cores write, and never more than half of what the disk does.
rate := stated[0] if count(stated) > 0

rate := min(array.concat(
	[floor(((machine.cores * bytes_per_core) * parts[machine.workload]) / 100)],
	[n | n := floor(machine.wal_bytes_per_second / 2)],
)) if {
	count(stated) == 0
}

stated := [n |
	some volume in model.wal_volumes
	volume.demand.origin == "stated"
	n := volume.demand.bytes_per_second * disk.shares(volume)
]

# METADATA
# description: The max_wal_size that is wanted, before anyone asks for the room – an amount that people write.
wish := budget.down(min(array.concat([64 * budget.gibibyte, wanted], ceilings)))

# As the checks have it, but for the present min_wal_size, which changes too.
smallest := max(array.concat([budget.gibibyte, least], plan.load_limits))

wanted := budget.up(max(array.concat([rate * (minutes * 60), smallest], [floor(memory.buffers / times) | memory.buffers])))

times := settings.number("wal/removed_not_recycled", "buffers_times")

ceilings := array.concat(
	[n | machine.latency; n := 24 * budget.gibibyte],
	[n | n := max([smallest, wishes.rto.seconds * replay])],
)

# As checkpoint/recovery_time counts.
replay := min(array.concat([settings.number("checkpoint/recovery_time", "replay_mbps") * 1000000], [n | n := machine.wal_bytes_per_second]))

wish_formula := sprintf("%s of WAL × %d min between checkpoints", [disk.megabytes(rate), minutes])

# -------------------------------------------------------------------------------------------------------- the room

# METADATA
# description: What wal_keep_size keeps, where that leaves room for anything else.
keep := present_keep if not keep_lowered

keep := keep_lowered

# METADATA
# description: A wal_keep_size that does – no less than Patroni's own 128 MB; undefined where the present one does.
keep_lowered := max([128 * budget.mebibyte, budget.down(plan.spare / 8)]) if {
	present_keep > 0
	present_keep * 2 > plan.spare
}

# PostgreSQL 12 counts segments.
present_keep := n if n := model.bytes("wal_keep_size")

present_keep := 0 if not model.bytes("wal_keep_size")

# A lower checkpoint_completion_target is raised to 0.9.
reach(limit_bytes, kept) := plan.reach_at(limit_bytes, kept, max([900, plan.target_thousandths]))

# Of a segment size that is not known: 16 MB.
least := max(array.concat([32 * budget.mebibyte], [n | n := 2 * model.segment_bytes]))

candidates := [n | some n in budget.amounts; n <= wish; n >= least]

# METADATA
# description: max_wal_size in bytes; undefined where the size of the volume is not known, or holds none.
limit := max(beside_slots) if count(beside_slots) > 0

limit := max(alone) if {
	count(beside_slots) == 0
	count(alone) > 0
}

# Slots keep as much again: less, and a standby loses its place before the next checkpoint.
beside_slots := [n |
	some n in candidates
	n >= min([budget.gibibyte, wish])
	reach(n, max([n, keep])) <= plan.spare
]

alone := [n |
	some n in candidates
	reach(n, keep) <= plan.spare
]

limit_formula := wish_formula if limit == wish

limit_formula := sprintf("%d %% of the %s of %s hold it beside what slots keep; %s would be %s", [
	plan.advised_percent(volume),
	disk.label(model.volumes, id),
	disk.size_text(volume.size_bytes),
	wish_formula,
	budget.text(wish),
]) if {
	limit < wish
	[id, volume] := plan.tightest
}

# METADATA
# description: max_slot_wal_keep_size in bytes; undefined where nothing is left for slots.
slots := max([n |
	some n in budget.amounts
	n >= min([limit, budget.gibibyte])
	reach(limit, n) <= plan.spare
])

# METADATA
# description: min_wal_size – a quarter, so that segments are kept for the next burst; more than initdb's five segments.
least_kept := max([n | some n in budget.amounts; n <= max([limit / 4, least])]) if limit

# METADATA
# description: A sentence where the volume is too small for what the load asks for, with the size that holds it.
remark := sprintf("max_wal_size is %s where the load asks for %s: the %s of %s holds no more. %s would hold it (+%s)", [
	budget.text(limit),
	budget.text(wish),
	disk.label(model.volumes, id),
	disk.size_text(volume.size_bytes),
	disk.size_text(grown),
	disk.size_text(grown - volume.size_bytes),
]) if {
	limit < wish
	[id, volume] := plan.tightest
	grown := plan.size_for(volume, reach(wish, max([wish, keep])))
}

remark := sprintf("The %s of %s holds no max_wal_size of two segments (%s)", [
	disk.label(model.volumes, id),
	disk.size_text(volume.size_bytes),
	text.bytes(least),
]) if {
	not limit
	wish
	[id, volume] := plan.tightest
}
