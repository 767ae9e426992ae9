# METADATA
# title: Parallel queries do not fit into /dev/shm
# description: |
#   The workers of a parallel query share their hash table through dynamic shared memory, which lies in /dev/shm
#   (dynamic_shared_memory_type=posix, the default, which S1 and S2 also set). A container gets 64 MiB there unless a volume is mounted over
#   it, whatever its memory limit is. A hash table may grow to work_mem × hash_mem_multiplier for each process; beyond what is there the query
#   ends with "could not resize shared memory segment: No space left on device". A warning where one query can come to that alone,
#   and where maintenance_work_mem is larger, which the workers of a parallel VACUUM share there (VACUUM by hand, since PostgreSQL 13). Where it takes several
#   queries at once it is a warning on a large server, which is there for such queries, and info on a small one; so it is where the configuration was not read.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-DYNAMIC-SHARED-MEMORY-TYPE
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#caveats
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: "Mount an emptyDir with medium Memory at /dev/shm; it counts against the memory limit of the pod."
#   sources: [S1, S2]
#   settings:
#     large_buffers_mb: {default: 1024, description: shared_buffers in MB from which a server counts as large.}
#     large_memory_gib: {default: 8, description: Memory limit in GiB from which a server counts as large.}
#   formulas:
#     - hash_bytes == floor((work_mem_bytes * processes) * hash_mem_multiplier)
package walguard.checks.memory.dev_shm

import data.walguard.lib.budget
import data.walguard.lib.finding
import data.walguard.lib.memory
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	processes > 1
	not elsewhere
	hash_bytes > shm.value
	f := finding.with_facts(
		finding.at(shm, sprintf("/dev/shm has %s, and a parallel hash join of %d processes may take %s there (%s each): it ends with \"No space left on device\". %s.", [
			budget.shown(shm.value),
			processes,
			budget.shown(hash_bytes),
			of_each,
			cure(shm.value),
		])),
		{
			"shared_memory_bytes": shm.value,
			"work_mem_bytes": model.bytes("work_mem"),
			"hash_mem_multiplier": multiplier,
			"hash_bytes": hash_bytes,
			"processes": processes,
		},
	)
}

findings contains f if {
	vacuum_exceeds
	f := finding.with_facts(
		finding.at(shm, sprintf("/dev/shm has %s, and a parallel VACUUM keeps up to maintenance_work_mem (%s) there: it ends with \"could not resize shared memory segment\". %s.", [
			budget.shown(shm.value),
			budget.shown(maintenance_bytes),
			cure(shm.value),
		])),
		{"shared_memory_bytes": shm.value, "maintenance_work_mem_bytes": maintenance_bytes},
	)
}

# Several queries at once.
findings contains f if {
	shared_by_queries
	not crowded
	f := finding.with_severity(
		finding.at(shm, sprintf("/dev/shm has %s, which parallel queries share: a hash join takes up to %s of it, and what comes on top ends with \"No space left on device\". %s.", [
			budget.shown(shm.value),
			budget.shown(hash_bytes),
			cure(shm.value),
		])),
		"info",
	)
}

findings contains f if {
	shared_by_queries
	crowded
	f := finding.with_facts(
		finding.at(shm, sprintf("/dev/shm has %s on a server of this size, and the %d parallel queries that max_parallel_workers %s allows at once may take %s there: one of them ends with \"No space left on device\". %s.", [
			budget.shown(shm.value),
			at_once,
			model.parameter("max_parallel_workers").text,
			budget.shown(hash_bytes * at_once),
			cure(shm.value),
		])),
		{"shared_memory_bytes": shm.value, "hash_bytes": hash_bytes, "queries": at_once},
	)
}

# What was not read may say how much a query takes, and that none is parallel.
findings contains f if {
	model.partial
	not hash_bytes
	not serial
	not elsewhere
	shm.value <= container_default
	not vacuum_exceeds
	f := finding.with_severity(
		finding.at(shm, sprintf("Nothing larger is mounted at /dev/shm, which has %s for all parallel queries: unless what was not read turns them off, they end with \"could not resize shared memory segment\". %s.", [budget.shown(shm.value), cure(shm.value)])),
		{true: "warning", false: "info"}[count([1 | large]) > 0],
	)
}

serial if {
	some name in ["max_parallel_workers", "max_parallel_workers_per_gather"]
	model.changed(name).value == 0
}

shared_by_queries if {
	processes > 1
	not elsewhere
	not vacuum_exceeds
	hash_bytes <= shm.value
	shm.value <= container_default
}

# A large server is there for queries that a planner runs in parallel.
crowded if {
	large
	hash_bytes * at_once > shm.value
}

at_once := floor(model.parameter("max_parallel_workers").value / (processes - 1))

large if model.bytes("shared_buffers") >= settings.number("memory/dev_shm", "large_buffers_mb") * 1048576

large if {
	some _, known in memory.sets
	known.limit_bytes >= settings.number("memory/dev_shm", "large_memory_gib") * 1073741824
}

shm := model.cluster.shared_memory

# One finding tells of /dev/shm: the query's, where there is one.
vacuum_exceeds if {
	not elsewhere
	maintenance_bytes > shm.value
	not query_exceeds
	not serial_maintenance
	not serial_vacuum
}

serial_vacuum if model.major < 13

query_exceeds if {
	processes > 1
	hash_bytes > shm.value
}

maintenance_bytes := model.bytes("maintenance_work_mem")

serial_maintenance if model.changed("max_parallel_maintenance_workers").value == 0

container_default := 67108864

cure(size) := "Mount an emptyDir with medium Memory at /dev/shm" if size <= container_default

cure(size) := "Give it more" if size > container_default

# The one that asks, and its workers.
processes := min([model.parameter("max_parallel_workers_per_gather").value, model.parameter("max_parallel_workers").value]) + 1

hash_bytes := floor((model.bytes("work_mem") * processes) * multiplier)

multiplier := model.parameter("hash_mem_multiplier").value

# Before 13 there is none; of an unknown version, or where it stands in what was not read, it is 1 at least.
multiplier := 1 if not model.parameter("hash_mem_multiplier")

of_each := sprintf("work_mem %s × hash_mem_multiplier %s", [budget.shown(model.bytes("work_mem")), model.parameter("hash_mem_multiplier").text])

of_each := sprintf("work_mem %s", [budget.shown(model.bytes("work_mem"))]) if not model.parameter("hash_mem_multiplier")

elsewhere if model.changed("dynamic_shared_memory_type").text != "posix"
