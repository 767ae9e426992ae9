# METADATA
# description: What shows that objects are for OpenShift, which gives the pods of a namespace a user and a group of its own.
package walguard.lib.openshift

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: True where the namespace has what only OpenShift knows.
in_sight if count(routes) > 0

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
