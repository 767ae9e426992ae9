# METADATA
# title: The pods have no memory limit
# description: |
#   Without a memory limit the server shares the node's memory with everybody: the kernel decides whom it kills when that runs out, and
#   PostgreSQL loses all connections when it is one of its processes. Nothing can be sized either – operators that compute
#   shared_buffers and max_connections from the limit take constants or the node's memory instead. Requests and limits of
#   the same size keep the pod from being evicted first (QoS class Guaranteed). Info where memory is
#   requested: on a node of its own a database without a limit is a sound choice. A warning where CPU is asked for and memory is not; pods
#   that ask for nothing at all are those of memory/best_effort. Zalando's operator gives pods without a word about memory its own default, 500Mi in its chart: too little for a server
#   and for wal-g, which compresses in the same container, so that backups end when the kernel kills it (a warning where the manifest archives WAL).
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
#   - https://www.postgresql.org/docs/current/kernel-resources.html#LINUX-MEMORY-OVERCOMMIT
#   - https://github.com/zalando/postgres-operator/issues/1038
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Set requests and limits of memory, both to the same amount.
#   sources: [S0]
#   cel:
#     - operators: [cnpg]
#       severity: warning
#       found: "object.?spec.?resources.?limits.orValue({}).size() + object.?spec.?resources.?requests.orValue({}).size() > 0
#         && !object.?spec.?resources.?limits.?memory.hasValue() && !object.?spec.?resources.?requests.?memory.hasValue()"
package walguard.checks.memory.limits_missing

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.model
import data.walguard.model.limits

findings contains f if {
	some set in get.list(model.cluster, "instance_sets")
	not set.resources.limits.memory
	not set.resources_filled
	is_object(set.resources)
	some_resource(set)
	not limits.limited("memory")
	f := finding.with_severity(
		finding.at(
			object.union({"path": set.resources_path}, object.filter(set, ["resource"])),
			sprintf("No memory limit%s%s: when the node runs out of memory the kernel chooses what to kill. Set memory requests and limits to the same amount.", [
				memory.of(set),
				requested(set),
			]),
		),
		severity(set),
	)
}

findings contains f if {
	some set in get.list(model.cluster, "instance_sets")
	not set.resources.limits.memory
	not limits.limited("memory")
	f := finding.with_severity(
		finding.at(
			{"path": set.resources_path},
			sprintf("No memory limit%s: the operator sets its default, %s unless its configuration says otherwise, for %s. Set memory requests and limits to the same amount.", [
				memory.of(set),
				set.default_limit.memory,
				users(set),
			]),
		),
		given(set),
	)
}

users(set) := "PostgreSQL and wal-g, and the kernel kills what goes beyond" if set.default_limit.archives

users(set) := "all of PostgreSQL" if not set.default_limit.archives

given(set) := "warning" if set.default_limit.archives

given(set) := "info" if not set.default_limit.archives

some_resource(set) if {
	some kind in ["requests", "limits"]
	count(set.resources[kind]) > 0
}

requested(set) := " and no request" if not set.resources.requests.memory

requested(set) := sprintf(", only a request of %s", [get.shown(set.resources.requests.memory)]) if set.resources.requests.memory

severity(set) := "info" if set.resources.requests.memory

severity(set) := "warning" if not set.resources.requests.memory
