# METADATA
# title: A request is above its limit
# description: |
#   The API server takes the resource and refuses the pods that come of it: "Invalid value: must be less than or equal to memory limit". The StatefulSet stays at
#   no pods, with an event that few look for. Zalando's operator raises the limit, and CloudNativePG's webhook refuses the Cluster itself.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
#   - https://github.com/zalando/postgres-operator/issues/418
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Lower the request, or raise the limit.
#   sources: []
package walguard.checks.workload.request_above_limit

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.quantity
import data.walguard.model

findings contains f if {
	not model.cluster.requests_fitted
	not model.partial
	some set in model.cluster.instance_sets
	some name, request in get.map(set.resources, "requests")
	limit := set.resources.limits[name]
	quantity.thousandths(limit) > 0
	quantity.thousandths(request) > quantity.thousandths(limit)
	f := finding.at({"path": array.concat(set.resources_path, ["requests", name])}, sprintf("The request of %s %s is more than the limit of %s: the API server refuses the pods. Lower the request, or raise the limit.", [
		name,
		get.text(request),
		get.text(limit),
	]))
}
