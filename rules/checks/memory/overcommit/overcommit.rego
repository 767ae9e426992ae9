# METADATA
# title: The server may use more memory than its limit
# description: |
#   The estimate is shared_buffers, 2 MiB for each of max_connections, work_mem for the third of them that works at once (no more than the
#   pooler opens, where one is known), and for each autovacuum worker autovacuum_work_mem (maintenance_work_mem where that is -1). A single query may
#   take work_mem several times, and many connections are idle, so it is neither an upper nor a lower bound, but a plausible busy hour. When
#   the limit is exceeded the kernel kills a process, PostgreSQL drops all connections and recovers from WAL; with CloudNativePG, which
#   sets restart_after_crash=off, the instance ends. A warning from 1.75 times the limit on, advice below: a widespread
#   template with 400 connections and 256 MB of shared_buffers in 1Gi runs for years at 1.73 times; and where the work_mem of the busy connections alone exceeds it. Where no limit is known, effective_cache_size is taken
#   for three quarters of the memory, and only the latter is told of. shared_buffers in huge pages are not
#   counted. Reported only where the manifest itself writes another value than the default into one of these parameters beside shared_buffers, and not where these
#   alone exceed the limit. Leaving the limit out cures nothing: from 500 connections on the estimate is held against the request. That is advice
#   where nothing is requested, since the node may be large enough.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#RUNTIME-CONFIG-RESOURCE-MEMORY
#   - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
#   - https://www.citusdata.com/blog/2020/10/25/measuring-the-memory-overhead-of-postgres-connections/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Put a connection pooler before the server and allow 100 to 200 connections; or lower work_mem and raise it in the sessions that need it; or raise the memory limit.
#   sources: [S0, S2]
#   settings:
#     backend_mib: {default: 2, description: MiB that a connection takes besides work_mem. A heuristic.}
#     busy_percent: {default: 33, description: Connections in percent that work at once in a busy hour. A heuristic.}
#     warning_percent: {default: 175, description: Percent of the memory limit from which it is a warning. A heuristic.}
#     unlimited_connections: {default: 500, description: max_connections from which the estimate is made without a memory limit too. A heuristic.}
#   formulas:
#     - connections_bytes == (max_connections * backend_bytes) + (busy_connections * work_mem_bytes)
#     - autovacuum_bytes == autovacuum_workers * autovacuum_worker_bytes
#     - total_bytes == (shared_buffers_bytes + connections_bytes) + autovacuum_bytes
package walguard.checks.memory.overcommit

import data.walguard.lib.budget
import data.walguard.lib.budget.memory as plan
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model
import data.walguard.postgres

findings contains f if {
	count(written) > 0
	some known in memory.sets
	total_bytes := plan.total(known)
	total_bytes > known.limit_bytes
	f := finding.with_related(
		cured(
			finding.with_severity(
				finding.with_facts(
					finding.at(largest, sprintf("Memory may reach %s in a busy hour; %s is %s (%s). %s.", [
						budget.shown(total_bytes),
						limit(known),
						budget.shown(known.limit_bytes),
						parts(known),
						cure(known),
					])),
					object.union(facts(known), {"memory_limit_bytes": known.limit_bytes}),
				),
				severity(total_bytes, known.limit_bytes),
			),
			known,
		),
		array.concat(
			[[memory.limit(known), "the memory limit"]],
			[[setting, setting.name] | some setting in [plan.connections, plan.work, plan.workers]],
		),
	)
}

# Without a limit the node runs out of memory instead.
findings contains f if {
	plan.connections.origin == "written"
	plan.connections.value >= settings.number("memory/overcommit", "unlimited_connections")
	not model.cluster.machine
	some set in get.list(model.cluster, "instance_sets")
	is_object(set.resources)
	not set.resources_filled
	not set.resources.limits.memory
	total_bytes := plan.total(nothing)
	total_bytes > 2 * requested(set)
	told := finding.with_facts(
		finding.at(plan.connections, sprintf("Memory may reach %s in a busy hour (%s), and the pods%s have no memory limit%s: the node runs out instead. %s.", [
			budget.shown(total_bytes),
			parts(nothing),
			memory.of(set),
			only(set),
			without_limit,
		])),
		facts(nothing),
	)
	f := finding.with_severity(told, promised[requested(set) > 0])
}

# Where nobody says how much memory there is, effective_cache_size does: three quarters of it, as a rule.
findings contains f if {
	cache := model.parameter("effective_cache_size")
	cache.origin == "written"
	plan.work.origin == "written"
	count([1 | some set in get.list(model.cluster, "instance_sets"); object.get(set, ["resources", "limits", "memory"], null) != null]) == 0
	implied := {"huge_bytes": 0, "limit_bytes": floor((cache.bytes * 4) / 3)}
	outsorted(implied.limit_bytes)
	fitting := budget.down(floor(implied.limit_bytes / (2 * plan.busy(plan.connections.value))))
	told := finding.with_related(
		finding.with_parameter(
			finding.at(plan.work, sprintf("%d busy of %d connections × work_mem %s are %s, and %s speaks of a machine with %s: the kernel kills the server in a busy hour. Lower work_mem to %s.", [
				plan.busy(plan.connections.value),
				plan.connections.value,
				budget.shown(plan.work.bytes),
				budget.shown(in_sorts),
				budget.setting(cache),
				budget.shown(implied.limit_bytes),
				budget.text(fitting),
			])),
			plan.work,
			budget.text(fitting),
		),
		[[cache, "effective_cache_size"]],
	)

	f := finding.with_severity(told, by_cache[in_sorts > (2 * implied.limit_bytes)])
}

# Three quarters are what people are told; the machine may be larger.
by_cache := {true: "warning", false: "info"}

in_sorts := plan.busy(plan.connections.value) * plan.work.bytes

# One sort in each busy connection is too much already.
outsorted(limit_bytes) if in_sorts >= limit_bytes

without_limit := "Use a pooler with 100 to 200 connections, and set a memory limit" if not model.cluster.follows

without_limit := "Set a memory limit" if model.cluster.follows

# Who asks for less than he takes is placed where there is no room. Who asks for nothing may have a large node to himself.
promised := {true: "warning", false: "info"}

# What plan.counted_buffers reads of a set.
nothing := {"huge_bytes": 0, "limit_bytes": 0}

requested(set) := quantity.bytes(asked) if asked := set.resources.requests.memory

requested(set) := 0 if not set.resources.requests.memory

only(set) := sprintf(" and request %s", [get.shown(set.resources.requests.memory)]) if set.resources.requests.memory

only(set) := "" if not set.resources.requests.memory

limit(known) := sprintf("the limit%s", [known.of]) if not model.cluster.machine

limit(_) := "the machine" if model.cluster.machine

parts(known) := text.list(
	array.concat(
		[sprintf("shared_buffers%s %s", [lowered(known), budget.shown(n)]) | n := plan.counted_buffers(known); n > 0],
		[
			sprintf("%d connections × %s", [plan.connections.value, budget.shown(plan.backend_bytes)]),
			sprintf("%d busy × work_mem %s", [plan.busy(plan.connections.value), budget.shown(plan.work.bytes)]),
			sprintf("%d autovacuum workers × %s", [plan.workers.value, budget.shown(plan.worker_bytes)]),
		],
	),
	"and",
)

lowered(known) := " lowered to" if plan.lowered(known)

lowered(known) := "" if not plan.lowered(known)

facts(known) := {
	"max_connections": plan.connections.value,
	"busy_connections": plan.busy(plan.connections.value),
	"work_mem_bytes": plan.work.bytes,
	"backend_bytes": plan.backend_bytes,
	"autovacuum_workers": plan.workers.value,
	"autovacuum_worker_bytes": plan.worker_bytes,
	"shared_buffers_bytes": plan.counted_buffers(known),
	"connections_bytes": plan.sessions(plan.connections.value, plan.work.bytes),
	"autovacuum_bytes": plan.workers_bytes,
	"total_bytes": plan.total(known),
}

severity(total_bytes, limit_bytes) := "warning" if too_much(total_bytes, limit_bytes)

severity(total_bytes, limit_bytes) := "info" if not too_much(total_bytes, limit_bytes)

too_much(_, limit_bytes) if outsorted(limit_bytes)

too_much(total_bytes, limit_bytes) if total_bytes * 100 >= limit_bytes * settings.number("memory/overcommit", "warning_percent")

written := [setting |
	some setting in [plan.connections, plan.work, plan.maintenance, plan.workers, plan.own]
	setting.origin == "written"
	setting.value != postgres.default_value(setting.name, model.default_major)
]

# The written part that takes most of the memory, else the first written one.
largest := ranked[count(ranked) - 1][2] if {
	idle_bytes := plan.connections.value * plan.backend_bytes
	busy_bytes := plan.busy(plan.connections.value) * plan.work.bytes
	ranked := sort([[bytes, -1 * i, setting] |
		some i, part in [
			[plan.connections, max([idle_bytes, busy_bytes])],
			[plan.work, busy_bytes],
			[plan.maintenance, plan.workers_bytes],
			[plan.workers, plan.workers_bytes],
			[plan.own, plan.workers_bytes],
		]
		setting := part[0]
		bytes := part[1]
		setting.origin == "written"
	])
}

# --------------------------------------------------------------------------------------------------------- cures

# What the parts may be instead, each by itself; a larger limit helps always.
options(known) := array.concat(
	[sprintf("lower autovacuum_work_mem to %s", [budget.text(n)]) | n := plan.worker_within(known)],
	array.concat(
		[sprintf("use a pooler and max_connections=%d", [n]) | n := plan.connections_within(known)],
		array.concat(
			[sprintf("lower work_mem to %s", [budget.text(n)]) | n := plan.work_within(known)],
			[sprintf("set a memory limit of %s", [disk.size_text(n)]) | n := plan.limit_for(known); not model.cluster.machine],
		),
	),
)

cure(known) := sentence(array.slice(found, 0, 2)) if {
	found := options(known)
	count(found) > 0
} else := smaller

# Of a machine alone, since a container has a limit to raise; nothing says of a machine that it follows another, which would keep its connections.
smaller := "Lower work_mem and max_connections together"

sentence(clauses) := concat("", [get.upper_case(substring(joined, 0, 1)), substring(joined, 1, -1)]) if joined := concat(", or ", clauses)

# A smaller work_mem breaks nothing; fewer connections refuse applications that come without a pooler.
cured(f, known) := finding.with_parameter(f, worker_setting, budget.text(n)) if {
	n := plan.worker_within(known)
} else := finding.with_parameter(f, plan.work, budget.text(n)) if {
	n := plan.work_within(known)
} else := finding.with_suggested_parameter(f, plan.connections, sprintf("%d", [n])) if {
	n := plan.connections_within(known)
} else := f

worker_setting := plan.own
