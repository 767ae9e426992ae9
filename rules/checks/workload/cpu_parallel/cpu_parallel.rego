# METADATA
# title: Parallel workers share a core
# description: |
#   A CPU limit of one core is shared by all processes of the server. Parallel workers then take turns instead of working at once: a query with
#   several of them pays for their start and for the exchange of rows and is no faster, and they take memory and CPU time from the others.
#   Reported where max_parallel_workers_per_gather or max_parallel_maintenance_workers is written as four or more under a limit of a core or less.
# related_resources:
#   - https://www.postgresql.org/docs/current/how-parallel-query-works.html
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-MAX-PARALLEL-WORKERS-PER-GATHER
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Set max_parallel_workers_per_gather to 0 on one core, or raise the CPU limit.
#   sources: []
package walguard.checks.workload.cpu_parallel

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.lib.quantity
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some setting in settings
	setting.origin == "written"
	setting.value >= 4
	some set in get.list(model.cluster, "instance_sets")
	cores_thousandths := quantity.thousandths(set.resources.limits.cpu)
	cores_thousandths <= 1000
	f := finding.with_parameter(
		finding.with_facts(
			finding.at(setting, sprintf("%s=%s under a CPU limit%s of %s: the workers take turns on it and make a query no faster. Set it to %s, or raise the limit.", [
				setting.name,
				setting.text,
				memory.of(set),
				cores(cores_thousandths),
				least[setting.name],
			])),
			{"workers": setting.value, "cores_thousandths": cores_thousandths},
		),
		setting,
		least[setting.name],
	)
}

settings contains model.changed("max_parallel_workers_per_gather")

settings contains model.changed("max_parallel_maintenance_workers")

# An index is built by one more, which sorts for itself.
least := {"max_parallel_workers_per_gather": "0", "max_parallel_maintenance_workers": "1"}

cores(1000) := "one core"

cores(n) := sprintf("%s cores", [text.thousandths(n)]) if n != 1000
