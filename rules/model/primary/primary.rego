# METADATA
# description: The parameters of the server that the one under review streams from, where both are manifests of their own and both are in sight.
package walguard.model.primary

import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.model

# METADATA
# description: The reference of its object.
reference := k8s.reference(model.cluster.primary.object)

# METADATA
# description: Its parameters as walguard.model has them.
parameters := found if {
	of_primary := object.union(
		{
			"review": {"object": model.cluster.primary.object, "namespace": k8s.namespace},
			"parameters": settings.configuration,
		},
		object.filter(input, ["inventory", "now"]),
	)
	found := model.parameters with input as of_primary
}
