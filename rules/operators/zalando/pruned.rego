package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# What the operator makes has no owner unless it is told so (ownerReferences of pkg/cluster/k8sres.go), and Argo CD deletes what has neither an owner nor a place in Git where the label by which it tracks is its own
# (gitops-engine/pkg/cache/cluster.go, GetManagedLiveObjs). A copied annotation names another object, which it heeds (controller/state.go, isSelfReferencedObj).
facts contains {"pruned": pruned} if count(pruned) > 0

pruned := [object.union(configured_at(["kubernetes", "inherited_labels"], ["inherited_labels"]), {
	"reason": sprintf("inherited_labels gives the StatefulSet, Services and Secrets %s, by which Argo CD tracks what is its own: it prunes them, since they are not in Git", [label]),
	"cure": "Take it out, or set enable_owner_references: true",
	"level": level,
}) |
	recognised
	some own in inventory.in_all_files("v1", "ConfigMap")
	own.metadata.name == "argocd-cm"
	get.string(own, ["data", "application.resourceTrackingMethod"]) == "label"
	label := object.get(own.data, "application.instanceLabelKey", "app.kubernetes.io/instance")
	label in get.list(configuration, ["kubernetes", "inherited_labels"])
	object.get(configuration, ["kubernetes", "enable_owner_references"], false) == false
	count(get.list(k8s.object, ["metadata", "ownerReferences"])) == 0
	level := level_of_pruning(label)
]

# Argo CD writes the label itself into what it applies.
level_of_pruning(label) := "error" if {
	some one in applications_here
	get.boolean(one, ["spec", "syncPolicy", "automated", "prune"])
} else := "warning" if {
	count(applications_here) > 0
} else := "warning" if {
	get.present(k8s.object, ["metadata", "labels", label])
}

applications_here := [one |
	some one in inventory.in_all_files("argoproj.io/v1alpha1", "Application")
	get.string(one, ["spec", "destination", "namespace"]) == k8s.namespace
]
