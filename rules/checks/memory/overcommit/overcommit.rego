# METADATA
# title: The server may use more memory than its limit
# description: |
#   The estimate is shared_buffers, plus for each of max_connections one work_mem and 5 MiB of its own, plus for each autovacuum worker
#   autovacuum_work_mem (maintenance_work_mem where that is -1). A single query may take work_mem several times, and most connections
#   are idle, so it is neither an upper nor a lower bound, but a plausible busy hour. When the limit is exceeded the kernel kills a
#   process, PostgreSQL drops all connections and recovers from WAL. shared_buffers in huge pages are not counted. Told only
#   where the manifest itself writes one of these parameters other than shared_buffers, and not where these alone exceed the limit.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#RUNTIME-CONFIG-RESOURCE-MEMORY
#   - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Put a connection pooler before the server and lower max_connections; or lower work_mem and raise it in the sessions that need it; or raise the memory limit.
#   sources: [S0, S2]
#   settings:
#     backend_mib: {default: 5, description: MiB that a connection takes besides work_mem. A heuristic.}
#   formulas:
#     - connections_bytes == max_connections * (work_mem_bytes + backend_bytes)
#     - autovacuum_bytes == autovacuum_workers * autovacuum_worker_bytes
#     - memory_limit_bytes < (shared_buffers_bytes + connections_bytes) + autovacuum_bytes
package walguard.checks.memory.overcommit

import data.walguard.lib.finding
import data.walguard.lib.memory
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some known in memory.sets
	buffers_bytes := counted_buffers(known)
	buffers_bytes < known.limit_bytes
	total_bytes := (buffers_bytes + connections_bytes) + workers_bytes
	total_bytes > known.limit_bytes
	count(written) > 0
	f := finding.with_facts(
		finding.at(largest, sprintf("%s may use %s of memory in a busy hour (shared_buffers %s, %d connections × (work_mem %s and %s of their own), %d autovacuum workers × %s), more than %s: the kernel then kills a process and all connections are dropped. %s", [
			model.title,
			text.bytes(total_bytes),
			buffers_text(buffers_bytes),
			connections.value,
			text.bytes(work.bytes),
			text.bytes(backend_bytes),
			workers.value,
			text.bytes(worker_bytes),
			memory.label(known),
			cure(known.limit_bytes - (buffers_bytes + workers_bytes), total_bytes),
		])),
		{
			"max_connections": connections.value,
			"work_mem_bytes": work.bytes,
			"backend_bytes": backend_bytes,
			"autovacuum_workers": workers.value,
			"autovacuum_worker_bytes": worker_bytes,
			"shared_buffers_bytes": buffers_bytes,
			"connections_bytes": connections_bytes,
			"autovacuum_bytes": workers_bytes,
			"memory_limit_bytes": known.limit_bytes,
		},
	)
}

buffers := model.parameter("shared_buffers")

connections := model.parameter("max_connections")

work := model.parameter("work_mem")

maintenance := model.parameter("maintenance_work_mem")

workers := model.parameter("autovacuum_max_workers")

own := model.parameter("autovacuum_work_mem")

backend_bytes := settings.number("memory/overcommit", "backend_mib") * 1048576

counted_buffers(known) := buffers.bytes if not memory.buffers_in_huge_pages(known)

counted_buffers(known) := 0 if memory.buffers_in_huge_pages(known)

buffers_text(0) := "in huge pages"

buffers_text(n) := text.bytes(n) if n > 0

connections_bytes := connections.value * (work.bytes + backend_bytes)

workers_bytes := workers.value * worker_bytes

worker_bytes := own.bytes if own.bytes > 0

worker_bytes := maintenance.bytes if own.bytes < 0

written := [setting |
	some setting in [connections, work, maintenance, workers, own]
	setting.origin == "written"
]

# The written part that takes most of the memory, else the first written one.
largest := ranked[count(ranked) - 1][2] if {
	ranked := sort([[bytes, -1 * i, setting] |
		some i, part in [[connections, connections_bytes], [work, connections_bytes], [maintenance, workers_bytes], [workers, workers_bytes], [own, workers_bytes]]
		setting := part[0]
		bytes := part[1]
		setting.origin == "written"
	])
}

# What the connections may have in all: fewer of them behind a pooler, as long as enough are left to be of use.
cure(left_bytes, _) := sprintf("Cheapest: a pooler and max_connections=%d", [fitting(left_bytes)]) if fitting(left_bytes) >= 20

cure(left_bytes, total_bytes) := sprintf("Cheapest: a memory limit of %s", [text.bytes(ceil(total_bytes / 1073741824) * 1073741824)]) if fitting(left_bytes) < 20

fitting(left_bytes) := floor(left_bytes / (work.bytes + backend_bytes))
