# METADATA
# title: A request is above its limit
# description: |
#   The API server takes the resource and refuses the pods that come of it: "Invalid value: must be less than or equal to memory limit". The StatefulSet stays at
#   no pods, with an event that few look for. Zalando's operator raises the limit, and CloudNativePG's webhook refuses the Cluster itself. A container without a
#   limit gets that of the namespace's LimitRange, which its request may exceed as well; reported where the LimitRange is among the files.
#   Huge pages are not overcommitted: their request and their limit are the same, and there is no request without a limit.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
#   - https://kubernetes.io/docs/concepts/policy/limit-range/
#   - https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/
#   - https://github.com/zalando/postgres-operator/issues/418
#   - https://github.com/getredash/contrib-helm-chart/issues/33
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Lower the request, or raise the limit.
#   sources: []
package walguard.checks.workload.request_above_limit

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.quantity
import data.walguard.model
import data.walguard.model.limits

findings contains f if {
	not model.cluster.requests_fitted
	not model.partial
	some set in model.cluster.instance_sets
	some [name, request, limit] in exceeding(set.resources)
	f := finding.at({"path": array.concat(set.resources_path, ["requests", name])}, sprintf("The request of %s %s is more than the limit of %s: the API server refuses the pods. Lower the request, or raise the limit.", [name, request, limit]))
}

# The containers beside the server, and those of pods of their own.
findings contains f if {
	not model.partial
	some companion in get.list(model.cluster, "companions")
	some [name, request, limit] in exceeding(companion.resources)
	f := finding.at(
		object.union({"path": array.concat(companion.path, ["requests", name])}, object.filter(companion, ["resource"])),
		sprintf("The request of %s %s for %s is more than its limit of %s: the API server refuses the pods. Lower the request, or raise the limit.", [name, request, companion.container, limit]),
	)
}

exceeding(resources) := [[name, get.text(request), get.text(limit)] |
	limits_of := get.map(resources, "limits")
	count(limits_of) > 0
	some name, request in get.map(resources, "requests")
	limit := limits_of[name]
	quantity.thousandths(limit) > 0
	quantity.thousandths(request) > quantity.thousandths(limit)
]

# Of huge pages there are as many as were asked for (ValidateResourceRequirements of Kubernetes: "must be equal to", "Limit must be set for non overcommitable resources").
findings contains f if {
	some [path, name, request, limits_of] in huge_pages
	limit := limits_of[name]
	differ(quantity.bytes(request), quantity.bytes(limit))
	f := finding.at({"path": path}, sprintf("The request of %s %s is not its limit of %s: the API server refuses the pods. Write %s in both.", [
		name,
		get.text(request),
		get.text(limit),
		get.text(limit),
	]))
}

findings contains f if {
	some [path, name, request, limits_of] in huge_pages
	not name in object.keys(limits_of)
	not limits.default_of(name)
	quantity.bytes(request) > 0
	f := finding.at({"path": path}, sprintf("%s %s has no limit, which the API server asks for: it refuses the pods. Write %s in limits too.", [
		name,
		get.text(request),
		get.text(request),
	]))
}

differ(request, limit) if request < limit

# A greater one is reported above.
differ(request, limit) if {
	request > limit
	model.cluster.requests_fitted
}

# Where the operator does not say so itself.
huge_pages := [[path, name, request, get.map(set.resources, "limits")] |
	not model.partial
	some set in model.cluster.instance_sets
	not get.unknown(k8s.object, array.concat(set.resources_path, ["limits"]))
	some name, request in get.map(set.resources, "requests")
	startswith(name, "hugepages-")
	path := array.concat(set.resources_path, ["requests", name])
	count([1 | some refusal in get.list(model.cluster, "refusals"); refusal.path == path]) == 0
]

# A limit that nobody wrote is that of the LimitRange.
findings contains f if {
	some [set, name, request] in unlimited
	given := limits.default_of(name)
	quantity.thousandths(request) > quantity.thousandths(given.value)
	not too_much(name, request)
	f := finding.at({"path": array.concat(set.resources_path, ["requests", name])}, sprintf("The request of %s %s is more than the limit of %s that LimitRange %s sets where none is written: the API server refuses the pods. Write a limit of %s.", [
		name,
		get.text(request),
		get.text(given.value),
		given.range,
		get.text(request),
	]))
}

findings contains f if {
	some [set, name, request] in unlimited
	too_much(name, request)
	given := limits.most_of(name)
	f := finding.at({"path": array.concat(set.resources_path, ["requests", name])}, sprintf("The request of %s %s is more than the maximum of %s in LimitRange %s: the API server refuses the pods. Lower the request, or raise the maximum.", [
		name,
		get.text(request),
		get.text(given.value),
		given.range,
	]))
}

too_much(name, request) if quantity.thousandths(request) > quantity.thousandths(limits.most_of(name).value)

# Requests beside which no limit is written.
unlimited := [[set, name, request] |
	not model.partial
	some set in model.cluster.instance_sets
	not set.resources_filled
	not get.unknown(k8s.object, array.concat(set.resources_path, ["limits"]))
	written := get.map(set.resources, "limits")
	some name, request in get.map(set.resources, "requests")
	not name in object.keys(written)
]
