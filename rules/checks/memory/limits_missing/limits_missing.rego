# METADATA
# title: The pods have no memory limit
# description: |
#   Without a memory limit the server shares the node's memory with everybody: the kernel decides whom it kills when that runs out, and
#   PostgreSQL loses all connections when it is one of its processes. Nothing can be sized either – operators that compute
#   shared_buffers and max_connections from the limit take constants or the node's memory instead. Requests and limits of
#   the same size keep the pod from being evicted first (QoS class Guaranteed). Advice, though a database without a limit on a shared node
#   is asking for trouble: on a node of its own, which the manifest does not tell, it is a sound choice, and most samples have none.
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
#   - https://www.postgresql.org/docs/current/kernel-resources.html#LINUX-MEMORY-OVERCOMMIT
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Set requests and limits of memory, both to the same amount.
#   sources: [S0]
package walguard.checks.memory.limits_missing

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.model

findings contains f if {
	some set in get.list(model.cluster, "instance_sets")
	not set.resources.limits.memory
	not set.resources_filled
	is_object(set.resources)
	f := finding.at(
		object.union({"path": set.resources_path}, object.filter(set, ["resource"])),
		sprintf("%s sets no memory limit for its pods%s%s: when the node runs out of memory the kernel chooses whom to kill, and nothing here can be sized by a limit. Set requests and limits to the same amount", [
			model.title,
			memory.of(set),
			requested(set),
		]),
	)
}

requested(set) := ", and no request" if not set.resources.requests.memory

requested(set) := sprintf(", only a request of %s", [get.shown(set.resources.requests.memory)]) if set.resources.requests.memory
