# METADATA
# description: What shows that objects are for OpenShift, which gives the pods of a namespace a user and a group of its own.
package walguard.lib.openshift

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.workloads

# METADATA
# description: True where the namespace has what only OpenShift knows, or the object comes from a Template (see walguard.carried).
in_sight if count(routes) > 0

in_sight if k8s.review.inside == "Template"

in_sight if {
	some name, _ in get.map(inventory.own_namespace, ["metadata", "annotations"])
	startswith(name, "openshift.io/sa.scc.")
}

# METADATA
# description: The Routes of the namespace.
routes := inventory.list(k8s.namespace, "route.openshift.io/v1", "Route")

# METADATA
# description: Whether a pod's security context has a group that OpenShift would not admit, whose ranges begin far above.
strange_group(context) if {
	some field in ["fsGroup", "runAsGroup"]
	get.number(context, field) < 1000000
} else := false

# METADATA
# description: |
#   True where something shows another Kubernetes: a live namespace without the annotations that OpenShift gives every one, or a pod of it, under the account "default", with a user or a group that OpenShift would not admit.
elsewhere if {
	inventory.served
	object.get(inventory.own_namespace, ["metadata", "name"], "") == k8s.namespace
	not in_sight
}

elsewhere if {
	some made in workloads.all
	object.get(made.pod, "serviceAccountName", "default") in {"", "default"}
	strange_ids(made.pod)
}

# Every range begins at 1000000000 or above; root is refused too.
strange_ids(pod) if {
	some field in ["fsGroup", "runAsUser"]
	get.number(pod, ["securityContext", field]) < 1000000
}

strange_ids(pod) if {
	some list in ["containers", "initContainers"]
	some one in get.list(pod, list)
	get.number(one, ["securityContext", "runAsUser"]) < 1000000
}
