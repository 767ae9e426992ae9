# METADATA
# title: Huge pages are asked for and not there
# description: |
#   A pod may use huge pages only up to the hugepages-2Mi or hugepages-1Gi of its resources. With huge_pages=on PostgreSQL does not start
#   without enough of them ("could not map anonymous shared memory"). With try it depends on the container runtime: since runc 1.1.10 the limit of the pod holds for
#   reservations, the mapping fails, and PostgreSQL falls back to small pages without a word, while the node keeps those of the pod aside for nobody; with an older one the mapping succeeds as long as
#   the node has pages left, and the first access beyond the limit ends the server with SIGBUS ("Bus error"), initdb too: 11 public cases. With
#   off the pages are idle. Shared memory is more than shared_buffers: at least 1.9 % and 8 MB, below which this check speaks;
#   at most 2.7 %, 40 MB and 0.08 MB per connection, which it advises (measured on PostgreSQL 15–18).
#   shared_memory_size_in_huge_pages (since 15) gives the exact number.
#   The sources differ on when to use them: S1 from 64 GB of shared_buffers on, pgtune from 2 GB (as try), S2 sets on for
#   252 GB. S0 says that their effects are similar to those of pgBouncer; they only make page tables smaller, and backends
#   and their locks remain.
# related_resources:
#   - https://www.postgresql.org/docs/current/kernel-resources.html#LINUX-HUGE-PAGES
#   - https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/
#   - https://github.com/kubernetes/kubernetes/issues/71233
#   - https://github.com/docker-library/postgres/issues/451
#   - https://github.com/opencontainers/runc/blob/main/CHANGELOG.md
#   - https://github.com/Tanguille/cluster/pull/4150
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Give the pods hugepages-2Mi of 1.027 times shared_buffers, 40 MB and 0.08 MB per connection, in requests and limits; or set huge_pages to off.
#   sources: [S0, S1, S2]
#   formulas:
#     - least_bytes == ceil(((shared_buffers_bytes * 1.019) + (8 * 1048576)) / 2097152) * 2097152
#     - advised_bytes == ceil(((shared_buffers_bytes * 1.027) + ((40 + (0.08 * max_connections)) * 1048576)) / 2097152) * 2097152
package walguard.checks.memory.huge_pages_resource

import data.walguard.lib.budget
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.model

findings contains f if {
	not model.cluster.machine
	some set in get.list(model.cluster, "instance_sets")
	huge_bytes := memory.huge(set.resources)
	verdict := verdict_on(huge_bytes, setting.value)
	f := finding.with_facts(
		finding.with_severity(
			finding.at(setting, sprintf("%s, and the pods%s may use %s: %s.", [
				budget.setting(setting),
				memory.of(set),
				amount(huge_bytes),
				verdict.text,
			])),
			verdict.severity,
		),
		{
			"shared_buffers_bytes": buffers_bytes,
			"max_connections": connections,
			"huge_pages_bytes": huge_bytes,
			"least_bytes": least_bytes,
			"advised_bytes": advised_bytes,
		},
	)
}

setting := model.parameter("huge_pages")

amount(0) := "none"

amount(n) := sprintf("%s of them", [disk.size_text(n)]) if n > 0

# With fewer the server does not start; in whole pages of 2 MiB, as the next.
least_bytes := ceil(((buffers_bytes * 1019) + (8000 * 1048576)) / (1000 * 2097152)) * 2097152

# Enough for every major.
advised_bytes := ceil(((buffers_bytes * 1027) + ((40000 + (80 * connections)) * 1048576)) / (1000 * 2097152)) * 2097152

connections := model.parameter("max_connections").value

buffers_bytes := model.bytes("shared_buffers")

verdict_on(huge_bytes, "on") := {
	"severity": "error",
	"text": sprintf("the server does not start. %s", [cure]),
} if {
	huge_bytes < least_bytes
}

verdict_on(huge_bytes, "try") := {
	"severity": "warning",
	"text": sprintf("too few for shared_buffers of %s, so that the server takes none of them, or ends with SIGBUS (runc before 1.1.10). %s, or set huge_pages to off", [budget.shown(buffers_bytes), cure]),
} if {
	huge_bytes > 0
	huge_bytes < least_bytes
}

verdict_on(huge_bytes, "off") := {
	"severity": "warning",
	"text": "the node sets them aside, and they stay unused. Set huge_pages to try, or remove them from the resources",
} if {
	huge_bytes > 0
}

cure := sprintf("Set hugepages-2Mi to %dMi in requests and limits", [advised_bytes / 1048576])
