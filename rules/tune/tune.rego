# METADATA
# description: |
#   A proposal for the parameters of a cluster: one consistent set for the memory, the cores, the disks, the WAL volume and the connections
#   that it has, from the budgets that the checks count with. What is unknown is not proposed, and what the operator sets itself is left
#   to it. The input is a review, with input.tune beside it (walguard.tune.machine).
package walguard.tune

import data.walguard.lib.budget
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.model
import data.walguard.postgres
import data.walguard.tune.load
import data.walguard.tune.machine
import data.walguard.tune.memory
import data.walguard.tune.skeletons
import data.walguard.tune.wal

# METADATA
# description: |
#   {"parameters": [{"name", "value" as it is written, "formula": where the value comes from, "source": address, "now"?: the text of today, "origin"?:
#   "written" | "operator" | "postgres", "same"?: true where that is the value already, "operations"?: JSON Patch of the object under review, or
#   of "resource"?, that writes it}], "remarks": sentences, "workload", "title"}. Undefined for what is no cluster.
proposal := {
	"parameters": parameters,
	"remarks": remarks,
	"workload": machine.workload,
	"title": model.title,
} if {
	model.cluster
}

parameters := [object.union_n([
	row,
	{"source": source(row.name)},
	present(row),
	{"same": true | same(row)},
	place(row),
]) |
	some row in array.concat(array.concat(of_memory, of_wal), of_load)
	settable(row.name)
]

# ------------------------------------------------------------------------------------------------------ the values

of_memory := array.concat(
	[
		{"name": "max_connections", "value": sprintf("%d", [memory.connections]), "formula": connections_formula},
		{"name": "shared_buffers", "value": budget.text(memory.buffers), "formula": memory.buffers_formula},
		{"name": "effective_cache_size", "value": budget.text(memory.cache), "formula": sprintf("75 %% of %s%s", [machine.memory_text, with_huge_pages])},
		{"name": "work_mem", "value": budget.text(memory.work), "formula": memory.work_formula},
		{"name": "maintenance_work_mem", "value": budget.text(memory.maintenance_bytes), "formula": sprintf("1/16 of %s, 2GB at most", [machine.memory_text])},
		{"name": "autovacuum_work_mem", "value": budget.text(memory.worker_bytes), "formula": sprintf("1/64 of %s for each worker, 1GB at most", [machine.memory_text])},
	],
	[{"name": "huge_pages", "value": "try", "formula": "the pods may use huge pages"} | memory.huge; model.changed("huge_pages").value == "off"],
) if {
	memory.bytes
}

of_memory := [] if not memory.bytes

with_huge_pages := " and the huge pages" if machine.huge_bytes > 0

with_huge_pages := "" if machine.huge_bytes == 0

connections_formula := sprintf("%d wanted; as many as leave each busy one 4MB", [memory.wanted]) if memory.connections < memory.bounded

connections_formula := "the rest waits in a pooler" if {
	memory.connections == memory.bounded
	memory.pooled
}

connections_formula := "as asked for" if {
	memory.connections == memory.bounded
	not memory.pooled
	machine.connections == memory.connections
}

connections_formula := sprintf("usual for %s", [machine.workload]) if {
	memory.connections == memory.bounded
	not memory.pooled
	not machine.connections == memory.connections
}

of_wal := array.concat(array.concat(sized, kept), array.concat(checkpoints, array.concat(compression, zeros)))

sized := [
	{"name": "max_wal_size", "value": budget.text(wal.limit), "formula": wal.limit_formula},
	{"name": "min_wal_size", "value": budget.text(wal.least_kept), "formula": "1/4 of max_wal_size stays for the next burst"},
] if {
	wal.limit
}

sized := [] if not wal.limit

kept := array.concat(
	[{"name": "max_slot_wal_keep_size", "value": budget.text(wal.slots), "formula": "what the volume spares beside a checkpoint distance"} | wal.slots],
	[{"name": "wal_keep_size", "value": budget.text(wal.keep_lowered), "formula": "an eighth of the room for WAL; the present one takes more than half"} | wal.keep_lowered],
)

checkpoints := array.concat(
	[{"name": "checkpoint_timeout", "value": sprintf("%dmin", [wal.minutes]), "formula": timeout_formula} | wal.limit],
	[{"name": "checkpoint_completion_target", "value": "0.9", "formula": "the default from PostgreSQL 14 on"}],
)

timeout_formula := sprintf("the disk writes all of shared_buffers in 90 %% of it (%d min)", [wal.flush]) if wal.flush > wal.rare

timeout_formula := "fewer full page images than at 5min" if not wal.flush > wal.rare

# A server that is built without lz4 does not start with it; the images of operators have it. pglz costs more CPU time than it saves where the
# disk keeps up.
compression := [{"name": "wal_compression", "value": "lz4", "formula": "full page images take a third of the room"}] if {
	model.major >= 15
	model.edition == "postgresql"
	not model.cluster.machine
} else := []

# As wal/init_zero_filesystem has it.
zeros := [{"name": "wal_init_zero", "value": "on", "formula": sprintf("%s reserves no room for a segment that is not written", [filesystem])} |
	model.changed("wal_init_zero").value == false
	filesystem := [name | some volume in model.wal_volumes; name := volume.filesystem.name; startswith(name, "ext")][0]
]

of_load := array.concat(workers, array.concat(planner, vacuum))

workers := array.concat(
	[
		{"name": "max_worker_processes", "value": sprintf("%d", [load.worker_processes]), "formula": sprintf("%s + 8 for replication and extensions", [cores])},
		{"name": "max_parallel_workers", "value": sprintf("%d", [machine.cores]), "formula": "one for each core"},
		{"name": "max_parallel_workers_per_gather", "value": sprintf("%d", [load.per_gather]), "formula": sprintf("%s on %s", [machine.workload, cores])},
		{"name": "max_parallel_maintenance_workers", "value": sprintf("%d", [maintenance_workers]), "formula": maintenance_formula},
	],
	[{"name": "autovacuum_max_workers", "value": sprintf("%d", [load.autovacuum_workers]), "formula": "1/4 of the cores, 3 to 8"} | memory.bytes],
) if {
	machine.cores
}

workers := [] if not machine.cores

cores := "1 core" if machine.cores == 1

cores := sprintf("%d cores", [machine.cores]) if machine.cores > 1

maintenance_workers := 0 if memory.serial_maintenance

maintenance_workers := load.maintenance_workers if not memory.serial_maintenance

maintenance_formula := "parallel maintenance does not fit into /dev/shm" if memory.serial_maintenance

maintenance_formula := "half of the cores, 4 at most" if not memory.serial_maintenance

planner := array.concat(
	array.concat(
		[{"name": "random_page_cost", "value": "1.1", "formula": "this disk has no seek time"} | machine.quick; machine.workload != "dw"],
		[{"name": "effective_io_concurrency", "value": sprintf("%d", [load.concurrency]), "formula": io_formula} | load.concurrency],
	),
	[{"name": "default_statistics_target", "value": "500", "formula": "long queries are worth better plans"} | machine.workload == "dw"],
)

io_formula := sprintf("%d IOPS × 1 ms, at least 16", [machine.data_iops]) if machine.data_iops

io_formula := "a quick disk whose IOPS are not known" if not machine.data_iops

vacuum := [{"name": "autovacuum_vacuum_cost_limit", "value": sprintf("%d", [load.cost_limit]), "formula": sprintf("a quarter of %s ÷ 204,800 bytes a second for each unit", [disk.megabytes(machine.data_bytes_per_second)])} |
	load.cost_limit
]

# ------------------------------------------------------------------------------------------- what may be written

# This major has it, and neither the operator sets it nor does its schema refuse it.
settable(name) if {
	postgres.settable(model.catalogue_entry(name))
	not model.cluster.managed[name]
	not is_string(object.get(model.cluster, ["managed", name], null))
	not is_string(object.get(model.cluster, ["forbidden", name], null))
}

# What holds today. A value that a later step fills in, or that the operator computes, is unknown.
present(row) := {"now": setting.text, "origin": "written"} if setting := model.written[row.name]

present(row) := {"now": text, "origin": "operator"} if {
	not model.written[row.name]
	text := model.cluster.defaults[row.name]
	text != ""
}

present(row) := {"now": text, "origin": "postgres"} if {
	undecided(row.name)
	text := postgres.default_text(row.name, model.default_major)
}

present(row) := {} if {
	undecided(row.name)
	not postgres.default_text(row.name, model.default_major)
}

present(row) := {} if model.unfilled[row.name] == ""

present(row) := {} if {
	not model.written[row.name]
	not model.unfilled[row.name] == ""
	model.cluster.defaults[row.name] == ""
}

undecided(name) if {
	not model.written[name]
	not model.unfilled[name] == ""
	not is_string(object.get(model.cluster, ["defaults", name], null))
}

same(row) if {
	entry := model.catalogue_entry(row.name)
	now := present(row).now
	postgres.parse(entry, now).value == postgres.parse(entry, row.value).value
}

# More processes than are needed cost nothing, and checkpoints may be spread further.
same(row) if {
	row.name in {"checkpoint_completion_target", "max_worker_processes"}
	to_number(present(row).now) > to_number(row.value)
}

# Where it is written: in its own place, or in the map that holds the parameters.
place(row) := object.union({"operations": [{"op": "replace", "path": finding.pointer(setting.path), "value": row.value}]}, object.filter(setting, ["resource"])) if {
	setting := model.written[row.name]
	get.lower_case(setting.path[count(setting.path) - 1]) == row.name
}

place(row) := {"operations": [{"op": "add", "path": finding.pointer(array.concat(model.cluster.parameters_path, [row.name])), "value": row.value}]} if {
	not model.written[row.name]
	mapped
} else := {} if {
	not model.written[row.name]
}

place(row) := {} if {
	setting := model.written[row.name]
	get.lower_case(setting.path[count(setting.path) - 1]) != row.name
}

mapped if {
	path := model.cluster.parameters_path
	path[count(path) - 1] in {"parameters", "postgresql.conf"}
	is_object(object.get(k8s.object, path, {}))
}

source(name) := sprintf("https://www.postgresql.org/docs/current/runtime-config-%s.html#GUC-%s", [
	pages[name],
	replace(upper(name), "_", "-"),
])

pages := object.union_n([{name: page} | some page, names in by_page; some name in names])

by_page := {
	"connection": ["max_connections"],
	"query": ["effective_cache_size", "random_page_cost", "default_statistics_target"],
	"resource": [
		"shared_buffers", "work_mem", "maintenance_work_mem", "autovacuum_work_mem", "huge_pages", "max_worker_processes", "max_parallel_workers",
		"max_parallel_workers_per_gather", "max_parallel_maintenance_workers", "effective_io_concurrency",
	],
	"replication": ["max_slot_wal_keep_size", "wal_keep_size"],
	"vacuum": ["autovacuum_max_workers", "autovacuum_vacuum_cost_limit"],
	"wal": ["max_wal_size", "min_wal_size", "checkpoint_timeout", "checkpoint_completion_target", "wal_compression", "wal_init_zero"],
}

# -------------------------------------------------------------------------------------------------------- remarks

remarks := array.concat(array.concat(of_disks, of_room), unknowns)

of_disks := array.concat(refused, limited)

refused := [sprintf("The %s cannot be provisioned: %s", [disk.label(model.volumes, id), reason]) |
	some id, volume in model.volumes
	some reason in volume.disk.rejections
]

limited := [sprintf("The %s is the limit: %s, and %s. %s", [
	disk.label(model.volumes, id),
	disk.gives_per_core(volume),
	wants(volume),
	way_out(volume),
]) |
	some id, volume in model.volumes
	disk.short(volume)
	count(volume.disk.rejections) == 0
]

wants(volume) := sprintf("a write load needs %s", [disk.demand_text(volume)])

way_out(volume) := sprintf("Smallest change: %s%s", [disk.advice(volume.disk), costs(volume)]) if disk.advice(volume.disk)

way_out(volume) := "No disk known here gives enough" if not disk.advice(volume.disk)

# What the first cure costs in size.
costs(volume) := sprintf(" (the first costs +%s of size)", [disk.size_text(volume.disk.cures[0].size_bytes - volume.size_bytes)]) if {
	volume.disk.cures[0].size_bytes > volume.size_bytes
} else := ""

of_room := array.concat(
	[wal.remark | wal.remark],
	array.concat(
		[sprintf("%d connections need a pooler such as PgBouncer; behind it, 200 connections to the server are enough", [memory.wanted]) | memory.pooled; memory.bytes],
		[sprintf("%s of memory is enough for %d connections, not for %d", [machine.memory_text, memory.connections, memory.bounded]) | memory.connections < memory.bounded],
	),
)

unknowns := array.concat(
	array.concat(
		[sprintf("%s of memory is too little to divide; give it 256Mi or more", [machine.memory_text]) | machine.memory_bytes < memory.least_bytes],
		["The memory is not known: no proposal for shared_buffers, work_mem and max_connections" | not machine.memory_bytes],
	),
	array.concat(
		["The CPU cores are not known: no proposal for workers" | not machine.cores],
		[sentence | not machine.quick; not slow_disks; sentence := "The disk is not known: no proposal for random_page_cost and vacuum"],
	),
)

slow_disks if {
	some volume in model.data_volumes
	volume.disk.title
}

# --------------------------------------------------------------------------------------------------- new manifests

# METADATA
# description: What a manifest can be written for, by the name that a user gives (`-o`).
targets := skeletons.targets

# METADATA
# description: |
#   The objects of a new cluster, the cluster first, and their text where it is not YAML: {"objects", "text"?}. From input.tune: "target", "version",
#   "cpu", "memory", "data" and "wal"? (volumes as in spec.volumes of a PostgresServer), "parameters" ({} at first, then what was proposed).
manifest := skeletons.manifests[machine.asked.target]
