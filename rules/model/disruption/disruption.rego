# METADATA
# description: |
#   The PodDisruptionBudgets of a cluster's pods. They are found by "selection" of walguard.model; one that something else owns is an
#   operator's own, and one that selects by expressions is not judged.
# custom:
#   kinds:
#     - {group: policy, versions: [v1], kind: PodDisruptionBudget, plural: poddisruptionbudgets, namespaced: true, role: support}
package walguard.model.disruption

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.model

# METADATA
# description: The number of pods that the cluster has, where it is known.
instances := model.cluster.selection.count if is_number(model.cluster.selection.count)

# METADATA
# description: |
#   The budgets that never let a pod go, as facts with the name of the budget and "demand", what it asks for in words.
never := [object.union(found, {"name": name, "origin": "written", "resource": k8s.reference(o)}) |
	count(model.cluster.selection.labels) > 0
	some o in inventory.list(k8s.namespace, "policy/v1", "PodDisruptionBudget")
	count(get.list(o, ["metadata", "ownerReferences"])) == 0
	selects(o)
	name := get.string(o, ["metadata", "name"])
	some found in demands(o)
]

selects(o) if {
	wanted := get.map(o, ["spec", "selector", "matchLabels"])
	count(wanted) > 0
	count(get.list(o, ["spec", "selector", "matchExpressions"])) == 0
	count([1 | some label, value in wanted; model.cluster.selection.labels[label] == value]) == count(wanted)
}

# True when the budget is about pods of this cluster alone, so that their number is known.
alone(o) if {
	own := model.cluster.selection.own
	wanted := get.map(o, ["spec", "selector", "matchLabels"])
	count(own) > 0
	count([1 | some label, value in own; wanted[label] == value]) == count(own)
}

demands(o) := array.concat(
	[{"path": ["spec", "maxUnavailable"], "demand": sprintf("maxUnavailable %s", [text])} |
		text := get.text_at(o, ["spec", "maxUnavailable"])
		text in {"0", "0%"}
	],
	[{"path": ["spec", "minAvailable"], "demand": sprintf("minAvailable %s", [text])} |
		text := get.text_at(o, ["spec", "minAvailable"])
		all_of_them(o, text)
	],
)

all_of_them(_, "100%") := true

all_of_them(o, text) if {
	alone(o)
	cluster.whole(text) >= instances
}

# A part of one pod is one pod.
all_of_them(o, text) if {
	alone(o)
	instances == 1
	endswith(text, "%")
	cluster.whole(trim_suffix(text, "%")) > 0
}

# METADATA
# description: Likewise of the poolers before the cluster (poolers_beside), with {"pods", "count"} of theirs.
companions_never := [object.union(found, {"name": name, "origin": "written", "resource": k8s.reference(o), "pods": companion.name, "count": companion.count}) |
	some companion in get.list(model.cluster, "poolers_beside")
	is_number(companion.count)
	count(companion.own) > 0
	some o in inventory.list(k8s.namespace, "policy/v1", "PodDisruptionBudget")
	count(get.list(o, ["metadata", "ownerReferences"])) == 0
	wanted := get.map(o, ["spec", "selector", "matchLabels"])
	count(wanted) > 0
	count(get.list(o, ["spec", "selector", "matchExpressions"])) == 0
	count([1 | some label, value in wanted; companion.labels[label] == value]) == count(wanted)
	name := get.string(o, ["metadata", "name"])
	found := array.concat(
		[{"path": ["spec", "maxUnavailable"], "demand": sprintf("maxUnavailable %s", [text])} |
			text := get.text_at(o, ["spec", "maxUnavailable"])
			text in {"0", "0%"}
		],
		[{"path": ["spec", "minAvailable"], "demand": sprintf("minAvailable %s", [text])} |
			text := get.text_at(o, ["spec", "minAvailable"])
			wants_all(companion, wanted, text)
		],
	)[0]
]

wants_all(_, _, "100%") := true

wants_all(companion, wanted, text) if {
	cluster.whole(text) >= companion.count
	count([1 | some label, value in companion.own; wanted[label] == value]) == count(companion.own)
}

# METADATA
# description: What drains nodes without being told to, as "kured" (DaemonSet kube-system/kured).
drainers := sort({sprintf("%s (%s %s)", [program, kind, concat("/", [part | some part in [get.string(o, ["metadata", "namespace"]), get.string(o, ["metadata", "name"])]; part != ""])]) |
	some kind in ["DaemonSet", "Deployment"]
	some o in inventory.everywhere("apps/v1", kind)
	some container in get.list(o, ["spec", "template", "spec", "containers"])
	some program, image in draining
	regex.match(image, get.string(container, "image"))
})

draining := {
	"kured": `/kured[:@]`,
	"Karpenter": `/karpenter(/controller)?[:@]`,
	"the cluster autoscaler": `/cluster-autoscaler(-[a-z0-9]+)?[:@]`,
}
