# METADATA
# description: |
#   What LimitRanges in sight make of containers in the namespace of the cluster, and what ResourceQuotas ask of them. The API server reads a max without a default as the default as well. Of several
#   LimitRanges each one's max counts, and which one's default is taken is not determined, so that the largest is given here.
# related_resources:
#   - https://kubernetes.io/docs/concepts/policy/limit-range/
#   - https://github.com/kubernetes/kubernetes/blob/master/plugin/pkg/admission/limitranger/admission.go
#   - https://github.com/kubernetes/kubernetes/blob/master/pkg/quota/v1/evaluator/core/pods.go
# custom:
#   kinds:
#     - {group: autoscaling.k8s.io, versions: [v1, v1beta2], kind: VerticalPodAutoscaler, plural: verticalpodautoscalers, namespaced: true, role: support, served: false}
#     - {group: "", versions: [v1], kind: LimitRange, plural: limitranges, namespaced: true, role: support, served: false}
#     - {group: "", versions: [v1], kind: ResourceQuota, plural: resourcequotas, namespaced: true, role: support, served: false}
package walguard.model.limits

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.quantity

# METADATA
# description: |
#   The limit of a container that sets none, by the name of what is limited: {"value", "range": name of the LimitRange}.
default_of(name) := largest(found) if {
	found := [object.union(item, {"value": value}) |
		some item in items
		value := object.get(item.content, ["default", name], object.get(item.content, ["max", name], null))
		value != null
	]
	count(found) > 0
}

# METADATA
# description: What no request may exceed, likewise.
most_of(name) := [one | some one in found; quantity.thousandths(one.value) == least][0] if {
	found := [object.union(item, {"value": value}) |
		some item in items
		value := get.map(item.content, "max")[name]
	]
	least := min([quantity.thousandths(one.value) | some one in found])
}

# METADATA
# description: True where a container that says nothing of it gets a limit or a request of this.
given(name) if {
	some item in items
	some field in ["default", "defaultRequest", "max", "min"]
	get.present(item.content, [field, name])
}

# METADATA
# description: True where a container that says nothing of it gets a limit of this.
limited(name) if {
	some item in items
	some field in ["default", "max"]
	get.present(item.content, [field, name])
}

largest(found) := [one | some one in found; quantity.thousandths(one.value) == most][0] if {
	sizes := [quantity.thousandths(one.value) | some one in found]
	count(sizes) == count(found)
	most := max(sizes)
}

# METADATA
# description: |
#   The largest request of memory that a VerticalPodAutoscaler in sight gives the server, where it sets limits too: {"value", "scaler": its name}. It writes nothing with updateMode Off,
#   and leaves limits alone with RequestsOnly.
# related_resources:
#   - https://github.com/kubernetes/autoscaler/blob/master/vertical-pod-autoscaler/docs/features.md
most_by_autoscaler(set) := found[0] if {
	found := [{"value": value, "scaler": get.string(o, ["metadata", "name"])} |
		some api_version in ["autoscaling.k8s.io/v1", "autoscaling.k8s.io/v1beta2"]
		some o in inventory.list(k8s.namespace, api_version, "VerticalPodAutoscaler")
		get.string(o, ["spec", "targetRef", "kind"]) == k8s.kind
		get.string(o, ["spec", "targetRef", "name"]) == k8s.name
		object.get(o, ["spec", "updatePolicy", "updateMode"], "Auto") != "Off"
		some policy in get.list(o, ["spec", "resourcePolicy", "containerPolicies"])
		object.get(policy, "containerName", "") in {"*", object.get(k8s.object, array.concat(object.get(set, "path", []), ["name"]), "postgres")}
		object.get(policy, "mode", "Auto") != "Off"
		object.get(policy, "controlledValues", "RequestsAndLimits") == "RequestsAndLimits"
		value := object.get(policy, ["maxAllowed", "memory"], null)
		value != null
	]
	count(found) > 0
}

items := [{"content": item, "range": get.string(o, ["metadata", "name"])} |
	some o in inventory.list(k8s.namespace, "v1", "LimitRange")
	some item in get.list(o, ["spec", "limits"])
	get.string(item, "type") == "Container"
]

# METADATA
# description: |
#   What ResourceQuotas ask every container of the namespace to say, [{"field": "requests" or "limits", "name": "cpu" or "memory", "quota": the name of the
#   ResourceQuota, "hard": what it has, as it is written, "burstable": true where it counts pods with some request or limit only}]. Quotas of chosen pods (terminating ones, priority classes) are left out.
asked := [{"field": field, "name": name, "quota": get.string(o, ["metadata", "name"]), "hard": hard, "burstable": "NotBestEffort" in scopes} |
	some o in inventory.list(k8s.namespace, "v1", "ResourceQuota")
	not get.present(o, ["spec", "scopeSelector"])
	scopes := get.list(o, ["spec", "scopes"])
	count([1 | some scope in scopes; scope != "NotBestEffort"]) == 0
	some key, hard in get.map(o, ["spec", "hard"])
	[field, name] := compute[key]
]

# podComputeQuotaResources; other resources are counted and need not be said.
compute := {
	"cpu": ["requests", "cpu"],
	"memory": ["requests", "memory"],
	"requests.cpu": ["requests", "cpu"],
	"requests.memory": ["requests", "memory"],
	"limits.cpu": ["limits", "cpu"],
	"limits.memory": ["limits", "memory"],
}

# METADATA
# description: True where a container with these resources says that much of itself, or the API server does for it (a limit is a request where none is written).
says(resources, one) if get.present(resources, [one.field, one.name])

says(resources, one) if {
	one.field == "requests"
	get.present(resources, ["limits", one.name])
}

says(_, one) if limited(one.name)

says(_, one) if {
	one.field == "requests"
	given(one.name)
}
