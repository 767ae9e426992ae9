package walguard.model.limits

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.lib.quantity
import data.walguard.lib.text
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: |
#   Where the servers' containers, or they and the Deployments and StatefulSets of the namespace, add up to more than a ResourceQuota has: [{"what": "limits.cpu", "quota": its name, "reason": one
#   clause, "level": severity}]. All are the least that is asked for: init containers, sidecars and what else has pods in the namespace come on top.
exceeded := [object.union({"what": sprintf("%s.%s", [ask.field, ask.name]), "quota": ask.quota}, excess) |
	not model.partial
	not model.cluster.machine
	some ask in asked
	hard := quantity.thousandths(ask.hard)
	sets := get.list(model.cluster, "instance_sets")
	each := [n | some set in sets; not set.resources_filled; n := of_container(get.map(set, "resources"), ask)]
	count(each) == count(sets)
	pods := [n | some set in sets; n := pods_of(set)]
	count(pods) == count(sets)
	own := sum([n | some i, size in each; n := size * pods[i]])
	excess := excess_of(ask, {"hard": hard, "each": max(each), "own": own, "number": sum(pods), "all": own + others(ask)})
]

excess_of(ask, sums) := {
	"level": "error",
	"reason": sprintf("One server asks for %s%s, and %s: the API server refuses every pod", [amount(ask, sums.each), by(ask), has(ask)]),
} if {
	sums.each > sums.hard
} else := {
	"level": "warning",
	"reason": sprintf("%d servers ask for %s together%s, and %s: the API server refuses the last of them", [sums.number, amount(ask, sums.own), by(ask), has(ask)]),
} if {
	sums.own > sums.hard
} else := {
	"level": "warning",
	"reason": sprintf("%s and the workloads beside them ask for %s together%s, and %s: the API server refuses the next pod, after a drain or a failover too", [text.counted(sums.number, "server"), amount(ask, sums.all), by(ask), has(ask)]),
} if {
	sums.all > sums.hard
}

has(ask) := sprintf("ResourceQuota %s has %s", [ask.quota, get.shown(ask.hard)])

amount(ask, n) := sprintf("%s of %s.cpu", [cores(n), ask.field]) if ask.name == "cpu"

amount(ask, n) := sprintf("%s of %s.memory", [disk.size_text(ceil(n / 1000)), ask.field]) if ask.name == "memory"

cores(n) := text.thousandths(n) if n % 100 == 0

cores(n) := sprintf("%dm", [n]) if n % 100 != 0

# Of servers that do not say it themselves.
by(ask) := sprintf(" (by LimitRange %s)", [given_to(ask).range]) if {
	some set in model.cluster.instance_sets
	not said(get.map(set, "resources"), ask)
} else := ""

of_container(resources, ask) := quantity.thousandths(written(resources, ask)) if {
	said(resources, ask)
} else := quantity.thousandths(given_to(ask).value)

said(resources, ask) if written(resources, ask) != null

# The API server takes a limit for the request that is not written, before any LimitRange.
written(resources, ask) := object.get(resources, [ask.field, ask.name], null) if {
	ask.field == "limits"
} else := object.get(resources, ["requests", ask.name], object.get(resources, ["limits", ask.name], null))

# Of two LimitRanges it is not determined which one's is taken.
given_to(ask) := default_of(ask.name) if {
	ask.field == "limits"
	count(ranges_of(ask.name)) == 1
} else := {"value": object.get(item.content, ["defaultRequest", ask.name], default_of(ask.name).value), "range": item.range} if {
	ask.field == "requests"
	count(ranges_of(ask.name)) == 1
	item := ranges_of(ask.name)[0]
}

ranges_of(name) := [item |
	some item in items
	count([1 | some field in ["default", "defaultRequest", "max"]; get.present(item.content, [field, name])]) > 0
]

pods_of(set) := set.replicas.value if is_number(set.replicas.value)

pods_of(set) := model.cluster.instances.value if {
	not is_number(set.replicas.value)
	count(model.cluster.instance_sets) == 1
}

# Those whose every container is known.
others(ask) := sum([n |
	some made in workloads.lasting
	not workloads.itself(made)
	count(workloads.scalers(made.kind, made.name)) == 0
	replicas := object.get(made.object, ["spec", "replicas"], 1)
	is_number(replicas)
	containers := get.list(made.pod, "containers")
	sizes := [size | some one in containers; size := of_container(get.map(one, "resources"), ask)]
	count(sizes) == count(containers)
	n := replicas * sum(sizes)
])
