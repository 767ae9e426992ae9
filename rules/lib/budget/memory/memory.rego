# METADATA
# description: |
#   The budget of memory: what the server may use in a busy hour, and which values of shared_buffers, work_mem, autovacuum_work_mem and
#   max_connections go together under a limit. Used are shared_buffers (unless they lie in huge pages, which are counted apart), 2 MiB
#   for each connection that may be open, work_mem for the third of them that works at once, and what autovacuum's workers take. The
#   work_mem of idle connections is no use of memory.
# related_resources:
#   - https://www.citusdata.com/blog/2020/10/25/measuring-the-memory-overhead-of-postgres-connections/
package walguard.lib.budget.memory

import data.walguard.lib.budget
import data.walguard.lib.budget.checkpoints
import data.walguard.lib.memory
import data.walguard.lib.settings
import data.walguard.model

buffers := model.parameter("shared_buffers")

connections := model.parameter("max_connections")

work := model.parameter("work_mem")

maintenance := model.parameter("maintenance_work_mem")

workers := model.parameter("autovacuum_max_workers")

own := model.parameter("autovacuum_work_mem")

# METADATA
# description: What a connection takes of its own.
backend_bytes := settings.number("memory/overcommit", "backend_mib") * budget.mebibyte

busy_percent := settings.number("memory/overcommit", "busy_percent")

# METADATA
# description: What one of autovacuum's workers may take.
worker_bytes := own.bytes if own.bytes > 0

worker_bytes := maintenance.bytes if own.bytes < 0

# METADATA
# description: What autovacuum's workers take together.
workers_bytes := workers.value * worker_bytes

# METADATA
# description: Of so many connections those that work at once. A pooler bounds them.
busy(open) := max([1, min(array.concat([ceil((open * busy_percent) / 100)], pooled))])

pooled := [n | n := model.cluster.pooler.connections; n > 0]

# METADATA
# description: What so many connections take with this work_mem.
sessions(open, work_bytes) := (open * backend_bytes) + (busy(open) * work_bytes)

# METADATA
# description: |
#   What shared_buffers take of the memory limit of a set (walguard.lib.memory): those that fill it have to be lowered first, so that the
#   other parts are reckoned beside what they are lowered to.
counted_buffers(known) := buffers.bytes if {
	not memory.buffers_in_huge_pages(known)
	not lowered(known)
}

counted_buffers(known) := buffers_within(known) if lowered(known)

counted_buffers(known) := 0 if memory.buffers_in_huge_pages(known)

# METADATA
# description: True where shared_buffers alone fill the memory limit of a set.
lowered(known) if {
	not memory.buffers_in_huge_pages(known)
	known.limit_bytes > 0
	buffers.bytes >= known.limit_bytes
}

# METADATA
# description: What the server may use of the memory limit of a set in a busy hour. Undefined when one of the parameters is unknown.
total(known) := (counted_buffers(known) + sessions(connections.value, work.bytes)) + workers_bytes

# METADATA
# description: |
#   The most connections that people allow behind a pooler and that fit into a set; undefined where none do, and of a server that must allow as many as its primary.
connections_within(known) := max([n |
	some n in [200, 150, 100, 50]
	n < connections.value
	n >= least_connections
	sessions(n, work.bytes) <= room
]) if {
	not model.cluster.follows
	room := known.limit_bytes - (counted_buffers(known) + workers_bytes)
}

# What is reserved has to fit too, and beside it what the poolers open, or twenty for applications.
least_connections := reserved_connections + max(array.concat([20], pooled))

reserved_connections := sum([number |
	some name in ["superuser_reserved_connections", "reserved_connections"]
	number := model.parameter(name).value
])

# METADATA
# description: The largest work_mem that fits into a set with the present connections; undefined where it would be less than 4 MB.
work_within(known) := max([n | some n in budget.amounts; n >= 4 * budget.mebibyte; n < present; at_once * n <= room]) if {
	present := work.bytes
	at_once := busy(connections.value)
	room := known.limit_bytes - ((counted_buffers(known) + (connections.value * backend_bytes)) + workers_bytes)
}

# METADATA
# description: The largest autovacuum_work_mem that fits into a set; undefined where it would be less than 32 MB.
worker_within(known) := max([n | some n in budget.amounts; n >= 32 * budget.mebibyte; n < present; at_once * n <= room]) if {
	present := worker_bytes
	at_once := workers.value
	room := known.limit_bytes - (counted_buffers(known) + sessions(connections.value, work.bytes))
}

# METADATA
# description: The memory limit that holds what the server may use – an amount that people write.
limit_for(known) := budget.up(total(known))

# METADATA
# description: |
#   shared_buffers of about a quarter of the memory of a set, less where the other parts leave no room for that. Undefined where there is
#   none for 64 MB.
buffers_within(known) := max([n |
	some n in budget.amounts
	n >= 64 * budget.mebibyte
	n <= quarter
	fits_beside(known, n)
	flushed(n)
]) if {
	quarter := floor(known.limit_bytes / 4)
}

# Larger ones only where a checkpoint can write them.
flushed(n) if n <= buffers.bytes

flushed(n) if checkpoints.flushed_in_time(n)

fits_beside(known, n) if n + beside_buffers <= known.limit_bytes

beside_buffers := sessions(connections.value, work.bytes) + workers_bytes

# What exceeds the limit anyway is no reason for yet smaller buffers.
fits_beside(known, n) if {
	n <= buffers.bytes
	not fits_beside_least(known)
}

fits_beside_least(known) if (64 * budget.mebibyte) + beside_buffers <= known.limit_bytes

fits_beside(_, _) if not beside_buffers
