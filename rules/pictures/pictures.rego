# METADATA
# description: |
#   What pictures of a cluster are drawn from: what each volume gives at other sizes and what is asked of it, and the budgets of WAL and of
#   memory. The numbers are those that the checks count with.
package walguard.pictures

import data.walguard.lib.budget
import data.walguard.lib.budget.memory as plan
import data.walguard.lib.budget.wal
import data.walguard.lib.disk
import data.walguard.lib.memory
import data.walguard.model

# METADATA
# description: |
#   {"title", "volumes", "wal", "memory"}; undefined for what is no cluster, and where there is nothing to draw.
#     volumes        list of {"id", "label", "gives": clause, "size_bytes", "size_text", "bytes_per_second", "text", "demand"? {"bytes_per_second", "text"},
#                    "short": true where the disk gives less, "advice"?: sentence, "size_path"?, "sizes_bytes": what a curve is drawn through (see rates)}
#     wal, memory    lists of budgets: {"label", "limit_bytes", "limit_text", "advised_bytes"? and "advised_text"?: what may be filled, "bytes" and "text":
#                    the parts together, "parts": list of {"name", "bytes", "text"}, "note"?: sentence}
sheet := {"title": model.title, "volumes": volumes, "wal": wal_budgets, "memory": memory_budgets} if {
	not model.partial
	count(volumes) + (count(wal_budgets) + count(memory_budgets)) > 0
}

# METADATA
# description: What each volume gives, in bytes a second, by its id. A host asks it again with other sizes at the paths of the sheet.
rates := {id: n | some id, volume in model.volumes; n := volume.disk.throughput_bytes_per_second}

# ---------------------------------------------------------------------------------------------------------- volumes

volumes := [object.union_n([
	{
		"id": id,
		"label": disk.titled(model.volumes, id),
		"gives": disk.gives(volume),
		"size_bytes": volume.size_bytes,
		"size_text": disk.size_text(volume.size_bytes),
		"bytes_per_second": volume.disk.throughput_bytes_per_second,
		"text": disk.megabytes(volume.disk.throughput_bytes_per_second),
		"sizes_bytes": sizes(volume),
		"short": short(volume),
	},
	# The size that stands in another object is not changed here.
	{"size_path": path | path := volume.size_path; not volume.resource},
	{"demand": {"bytes_per_second": n, "text": disk.demand_text(volume)} | n := volume.demand.bytes_per_second},
	{"advice": sprintf("Smallest change: %s", [sentence]) | sentence := disk.advice(volume.disk)},
]) |
	some id, volume in model.volumes
	volume.size_bytes
	volume.disk.throughput_text
]

short(volume) if disk.short(volume)

short(volume) := false if not disk.short(volume)

# The ends, the present size, where the curve bends, and, where size decides, enough between them.
sizes(volume) := sort({n |
	some n in array.concat(array.concat(between(volume.disk.scaling), bends(volume)), [least(volume), volume.size_bytes, most(volume)])
	n >= least(volume)
	n <= most(volume)
})

between("size") := [n |
	some exponent in numbers.range(30, 44)
	some quarters in [4, 5, 6, 7]
	n := (bits.lsh(1, exponent) * quarters) / 4
]

# A tier ends at a power of two.
between("tiers") := [n |
	some exponent in numbers.range(30, 45)
	some more in [0, budget.gibibyte]
	n := bits.lsh(1, exponent) + more
]

between(scaling) := [] if not scaling in {"size", "tiers"}

bends(volume) := array.concat(
	[n | n := volume.disk.knee_bytes],
	[n | some cure in volume.disk.cures; n := cure.size_bytes],
)

least(volume) := max([budget.gibibyte, object.get(volume.disk, "minimum_bytes", 0), floor(volume.size_bytes / 8)]) if not rejected(volume)

least(volume) := volume.size_bytes if rejected(volume)

# A size that nobody can have.
rejected(volume) if volume.size_bytes < max([budget.gibibyte, object.get(volume.disk, "minimum_bytes", 0)])

most(volume) := min([object.get(volume.disk, "maximum_bytes", wanted), wanted]) if {
	wanted := 2 * max(array.concat([volume.size_bytes], [n | some n in bends(volume); n <= 16 * volume.size_bytes]))
}

# -------------------------------------------------------------------------------------------------------------- WAL

wal_budgets := [object.union_n([
	{
		"label": disk.titled(model.volumes, id),
		"limit_bytes": volume.size_bytes,
		"limit_text": disk.size_text(volume.size_bytes),
		"advised_bytes": wal.allowance(volume),
		"advised_text": sprintf("%d %%", [wal.advised_percent(volume)]),
		"bytes": wal.bytes,
		"text": budget.shown(wal.bytes),
		"parts": wal_parts,
	},
	{"note": "Replication slots keep WAL without a bound beside this: max_slot_wal_keep_size is -1." | unbounded},
]) |
	some id, volume in model.wal_volumes
	volume.size_bytes
	wal.bytes
]

wal_parts := [part("max_wal_size", wal.limit.bytes)] if wal.bytes == wal.limit.bytes

wal_parts := [
	part(sprintf("kept behind the checkpoint (%s)", [wal.keeper.name]), wal.kept_bytes),
	part(sprintf("one checkpoint distance (of max_wal_size %s)", [budget.shown(wal.limit.bytes)]), wal.bytes - wal.kept_bytes),
] if {
	wal.bytes > wal.limit.bytes
}

unbounded if {
	wal.slots.value == -1
	wal.held
}

# ----------------------------------------------------------------------------------------------------------- memory

memory_budgets := [{
	"label": sprintf("Memory%s", [known.of]),
	"limit_bytes": known.limit_bytes,
	"limit_text": memory.size(known.limit_bytes),
	"bytes": bytes,
	"text": budget.shown(bytes),
	"parts": [piece |
		some piece in [
			part(shared_name(known), plan.counted_buffers(known)),
			part(sprintf("%d connections × %s", [plan.connections.value, budget.shown(plan.backend_bytes)]), plan.connections.value * plan.backend_bytes),
			part(
				sprintf("%d busy × work_mem %s", [plan.busy(plan.connections.value), budget.shown(plan.work.bytes)]),
				plan.busy(plan.connections.value) * plan.work.bytes,
			),
			part(sprintf("%d autovacuum workers × %s", [plan.workers.value, budget.shown(plan.worker_bytes)]), plan.workers_bytes),
		]
		piece.bytes > 0
	],
} |
	some known in memory.sets
	bytes := plan.total(known)
]

shared_name(known) := "shared_buffers" if not plan.lowered(known)

shared_name(known) := sprintf("shared_buffers, lowered from %s", [budget.shown(plan.buffers.bytes)]) if plan.lowered(known)

part(name, bytes) := {"name": name, "bytes": bytes, "text": budget.shown(bytes)}
