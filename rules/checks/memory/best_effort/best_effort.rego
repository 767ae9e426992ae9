# METADATA
# title: The pods ask for no CPU and no memory
# description: |
#   Pods without requests and limits are of the QoS class BestEffort: when their node runs short of memory the kubelet evicts them first, and
#   the kernel kills their processes first (oom_score_adj 1000), whatever they use. The scheduler puts them where there is no room. A warning
#   for a cluster of several instances with an archive of WAL and a schedule of base backups, which somebody means to keep; info for the rest,
#   samples most of them. The archive alone says nothing: some operators always have one. Info too of a Pooler of CloudNativePG without resources, before servers that ask for theirs: the connections of all
#   clients go with its pods.
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
#   - https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/
#   - https://github.com/Tanguille/cluster/pull/4040
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set requests of CPU and memory, and a memory limit of the same amount as its request.
#   sources: [S0]
package walguard.checks.memory.best_effort

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.model
import data.walguard.model.limits

findings contains f if {
	some set in get.list(model.cluster, "instance_sets")
	is_object(set.resources)
	not set.resources_filled
	not model.cluster.machine
	not model.partial
	count([1 | some kind in ["requests", "limits"]; some _ in set.resources[kind]]) == 0
	count([1 | some name in ["cpu", "memory"]; limits.given(name)]) == 0
	f := finding.with_severity(
		finding.at(
			object.union({"path": set.resources_path}, object.filter(set, ["resource"])),
			sprintf("No CPU or memory is requested%s: the pods are the first to be evicted and killed when their node runs short. Set requests of both, and a memory limit equal to its request.", [memory.of(set)]),
		),
		severity,
	)
}

# Servers that ask for theirs are meant to keep them.
findings contains f if {
	some one in model.cluster.bare_poolers
	not model.partial
	count([1 | some set in model.cluster.instance_sets; count(get.map(set, ["resources", "requests"])) + count(get.map(set, ["resources", "limits"])) > 0]) > 0
	count([1 | some name in ["cpu", "memory"]; limits.given(name)]) == 0
	f := finding.with_severity(
		finding.at(one, sprintf("Pooler %s asks for no CPU or memory: its pods are evicted before the servers when their node runs short, and the connections of all clients go with them. Set resources of container pgbouncer in its template.", [one.name])),
		"info",
	)
}

severity := "warning" if earnest

severity := "info" if not earnest

earnest if {
	model.cluster.archiving.value == "on"
	model.cluster.instances.value > 1
	count(model.running_schedules) > 0
}
