# METADATA
# description: |
#   Memory, by the budget that memory/overcommit counts with (walguard.lib.budget.memory): three quarters of it hold shared_buffers, what
#   connections and autovacuum's workers take, and the work_mem of the third that works at once; a quarter stays for the page cache.
package walguard.tune.memory

import data.walguard.lib.budget
import data.walguard.lib.budget.connections as places
import data.walguard.lib.budget.memory as plan
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.tune.load
import data.walguard.tune.machine

# METADATA
# description: Below this a server has no room to be tuned.
least_bytes := 256 * budget.mebibyte

# METADATA
# description: The memory that is shared out; undefined where it is unknown or too small.
bytes := machine.memory_bytes if machine.memory_bytes >= least_bytes

# ---------------------------------------------------------------------------------------------------- connections

by_workload := {"oltp": 200, "web": 200, "mixed": 100, "dw": 50}

# METADATA
# description: |
#   How many connections are wanted: those that were asked for, else the present ones where somebody wrote them, else what is usual for
#   the workload; and no fewer than poolers open.
wanted := max(array.concat([asked], [n | n := model.cluster.pooler.connections + 20]))

asked := machine.connections

asked := plan.connections.value if {
	not machine.connections
	plan.connections.origin == "written"
}

asked := by_workload[machine.workload] if {
	not machine.connections
	not plan.connections.origin == "written"
}

# METADATA
# description: More than this is a matter for a pooler (connections/pooler_missing).
most := settings.number("connections/pooler_missing", "connections") - 1

# METADATA
# description: True where so many are wanted that a pooler has to serve them.
pooled if {
	wanted > most
	not model.cluster.pooler.value == true
}

bounded := 200 if pooled

bounded := max([floor_connections, wanted]) if not pooled

# Patroni takes its own default for less than 25, and some are reserved.
floor_connections := max([25, places.reserved + 20])

floor_connections := 25 if not places.reserved

# METADATA
# description: max_connections – what is wanted, or the most that leaves every busy connection 4 MB.
connections := bounded if fits(bounded)

connections := max(array.concat([floor_connections], [n | some n in places.amounts; n < bounded; fits(n)])) if not fits(bounded)

fits(n) if rest(n) >= plan.busy(n) * least_work

least_work := 4 * budget.mebibyte

# METADATA
# description: What is left for work_mem with so many connections.
rest(n) := ((share - buffers_counted) - (n * plan.backend_bytes)) - (load.autovacuum_workers * worker_bytes)

share := floor((bytes * 3) / 4)

# -------------------------------------------------------------------------------------------------------- buffers

# METADATA
# description: Huge pages hold more than shared_buffers (memory/huge_pages_resource) – 2.7 %, 40 MB and 0.08 MB for each connection.
in_huge_pages := floor((((machine.huge_bytes - (40 * budget.mebibyte)) - (bounded * 83887)) * 1000) / 1027)

huge if in_huge_pages >= 128 * budget.mebibyte

# What bounds them, smallest first.
bounds := sort(array.concat(
	[[in_huge_pages, "what the huge pages hold"] | huge],
	array.concat(
		array.concat(
			[[floor(bytes / 4), sprintf("25 %% of %s", [machine.memory_text])] | not huge],
			[[machine.requested_bytes, "the memory request"] | not huge],
		),
		[[floor((machine.data_bytes_per_second * 54) * 60), "what the disk writes in 54 of 60 minutes"] | machine.data_bytes_per_second],
	),
))

# METADATA
# description: shared_buffers in bytes, and why.
buffers := budget.near(bounds[0][0])

buffers_formula := bounds[0][1]

# Those in huge pages are not counted against the limit.
buffers_counted := buffers if not huge

buffers_counted := 0 if huge

# METADATA
# description: What the planner may count on – three quarters of all memory.
cache := budget.near(floor(((bytes + machine.huge_bytes) * 3) / 4))

# ----------------------------------------------------------------------------------------------------- maintenance

# METADATA
# description: What one of autovacuum's workers takes – a 64th of the memory, from 16 MB to 1 GB, which is all that it can use before PostgreSQL 17.
worker_bytes := max([16 * budget.mebibyte, min([budget.gibibyte, budget.near(floor(bytes / 64))])])

# METADATA
# description: What CREATE INDEX and VACUUM by hand take – a 16th, from 16 MB to 2 GB.
maintenance_bytes := max([16 * budget.mebibyte, min([2 * budget.gibibyte, budget.near(floor(bytes / 16))])])

# METADATA
# description: True where parallel maintenance would not fit into /dev/shm (memory/dev_shm).
serial_maintenance if maintenance_bytes > model.cluster.shared_memory.value

# ---------------------------------------------------------------------------------------------------------- work_mem

# A query sorts or hashes at two places, and each of its processes does.
hashes := model.parameter("hash_mem_multiplier")

multiplier := hashes.value

# PostgreSQL 12 has none.
multiplier := 1 if not hashes

processes := load.per_gather + 1 if machine.workload == "dw"

processes := 1 if machine.workload != "dw"

most_work := {"oltp": 64, "web": 64, "mixed": 256, "dw": 2048}[machine.workload] * budget.mebibyte

works := sort([
	[
		floor(rest(connections) / ((plan.busy(connections) * processes) * (2 * multiplier))),
		sprintf("%s ÷ (%d busy connections × %s2 sorts or hashes%s)", [budget.shown(max([0, rest(connections)])), plan.busy(connections), by_processes, by_multiplier]),
	],
	[most_work, sprintf("%s, the most for %s; sessions that need more may set it", [budget.shown(most_work), machine.workload])],
	in_shared_memory,
])

by_processes := sprintf("%d processes × ", [processes]) if processes > 1

by_processes := "" if processes <= 1

by_multiplier := sprintf(" × hash_mem_multiplier %s", [hashes.text]) if multiplier > 1

by_multiplier := "" if multiplier <= 1

# A parallel hash join lies in /dev/shm (memory/dev_shm).
in_shared_memory := [floor(n / ((load.per_gather + 1) * multiplier)), sprintf("what a parallel hash join may take of the %s of /dev/shm", [budget.shown(n)])] if {
	n := model.cluster.shared_memory.value
}

in_shared_memory := works_without_bound if not model.cluster.shared_memory

works_without_bound := [1099511627776, ""]

work := max([least_work, budget.near(works[0][0])]) if works[0][0] >= least_work

work := least_work if works[0][0] < least_work

work_formula := works[0][1]
