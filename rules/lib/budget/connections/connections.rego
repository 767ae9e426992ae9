# METADATA
# description: |
#   The budget of connections: what of max_connections is left for applications, what poolers may open of it, and which values go
#   together. A server serves thousands of clients with 100 to 200 connections behind a pooler.
package walguard.lib.budget.connections

import data.walguard.lib.budget.memory
import data.walguard.lib.memory as sets
import data.walguard.model

most := model.parameter("max_connections")

superusers := model.parameter("superuser_reserved_connections")

role := model.changed("reserved_connections")

others := role.value

# 0 by default, and unknown before PostgreSQL 16.
others := 0 if not role.value

# METADATA
# description: What others than superusers and members of pg_use_reserved_connections do not get.
reserved := superusers.value + others

# METADATA
# description: What applications get.
available := most.value - reserved

# METADATA
# description: Numbers of connections that people write.
amounts := [20, 50, 100, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500, 3000, 4000, 5000]

# METADATA
# description: The smallest such max_connections that leaves so many for applications and fits into the memory of all sets.
holding(wanted) := min([n |
	some n in amounts
	n - reserved >= wanted
	count([1 | some known in sets.sets; exceeds(known, n)]) == 0
	not outsorted(n)
])

# Where no limit is known effective_cache_size says how much memory there is, as memory/overcommit reads it.
outsorted(n) if {
	cache := model.parameter("effective_cache_size")
	cache.origin == "written"
	count(sets.sets) == 0
	memory.busy(n) * memory.work.bytes >= (cache.bytes * 4) / 3
}

exceeds(known, n) if (memory.counted_buffers(known) + memory.sessions(n, memory.work.bytes)) + memory.workers_bytes > known.limit_bytes
