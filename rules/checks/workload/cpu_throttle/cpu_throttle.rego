# METADATA
# title: The CPU limit throttles single queries
# description: |
#   A limit is a share of every tenth of a second: with half a core, a process that has run for 50 ms waits for the other 50, holding its
#   locks – a checkpoint, a commit, autovacuum alike. One backend alone can use a whole core, so below one core each of them is
#   throttled; at one core, asked for as well, there is no room for the server's own processes beside it. S3 took the limits away for
#   its tests; S0, its translation, kept 14 of 16 cores. A request without a limit keeps what the server needs without throttling it.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
#   - https://docs.kernel.org/scheduler/sched-bwc.html
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Leave the CPU limit out, or set it well above one core; keep the request.
#   sources: [S0, S3]
#   settings:
#     cores_thousandths: {default: 1000, description: "Below this limit, in thousandths of a core, and at it where the request is the same."}
package walguard.checks.workload.cpu_throttle

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	some set in get.list(model.cluster, "instance_sets")
	cores := quantity.thousandths(set.resources.limits.cpu)
	cores > 0
	tight(cores, set)
	f := finding.with_facts(
		finding.at(
			object.union({"path": set.resources_path}, object.filter(set, ["resource"])),
			sprintf("A CPU limit of %dm%s stops a busy backend for part of every 100 ms, while it holds its locks. Remove the limit and keep the request, or set more than %dm.", [
				cores,
				memory.of(set),
				threshold,
			]),
		),
		{"cores_thousandths": cores},
	)
}

threshold := settings.number("workload/cpu_throttle", "cores_thousandths")

tight(cores, _) if cores < threshold

tight(cores, set) if {
	cores == threshold
	quantity.thousandths(set.resources.requests.cpu) == cores
}
