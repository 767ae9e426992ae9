# METADATA
# description: Workers, the planner's idea of the disk, and how fast autovacuum goes – by the cores and the disk that there are.
package walguard.tune.load

import data.walguard.tune.machine

# ------------------------------------------------------------------------------------------------------- processes

# METADATA
# description: Processes besides sessions – as many parallel workers as cores, and 8 for replication and extensions.
worker_processes := machine.cores + 8

# METADATA
# description: Workers of one query. Short queries gain nothing by them.
per_gather := shares[machine.workload]

# Undefined cores leave PostgreSQL's default.
per_gather := 2 if not machine.cores

shares := {
	"oltp": min([2, floor(machine.cores / 4)]),
	"web": min([2, floor(machine.cores / 4)]),
	"mixed": min([4, floor(machine.cores / 2)]),
	"dw": min([16, floor(machine.cores / 2)]),
}

# METADATA
# description: Workers of one CREATE INDEX or VACUUM.
maintenance_workers := max([1, min([4, floor(machine.cores / 2)])])

# METADATA
# description: Workers of autovacuum – the default of 3, and more from 16 cores on.
autovacuum_workers := max([3, min([8, floor(machine.cores / 4)])])

autovacuum_workers := 3 if not machine.cores

# -------------------------------------------------------------------------------------------------------- the disk

# METADATA
# description: |
#   vacuum_cost_limit for a quarter of what the disk writes. A dirtied page costs 20, and 2 ms of sleep follow every limit: 8 KiB ÷ 20 ÷ 2 ms
#   are 204,800 bytes a second for each unit of the limit. Undefined where that is no more than the default of 200, 41 MB/s.
cost_limit := max([n | some n in [400, 600, 800, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 10000]; n <= units])

units := floor(floor(machine.data_bytes_per_second / 4) / 204800)

# METADATA
# description: Requests that keep the disk busy when each takes a millisecond (Little's law).
concurrency := min(array.concat([256], [n | some n in [16, 32, 64, 128]; n * 1000 >= machine.data_iops])) if machine.quick
