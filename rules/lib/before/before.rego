# METADATA
# description: |
#   The object under review as it was before the update, in the same surroundings: an input for `with`. Undefined in every other review.
package walguard.lib.before

import data.walguard.lib.k8s
import data.walguard.lib.settings

# Those of the input, or those in `data` again.
review := object.union(
	{
		"review": object.union(
			{"object": k8s.old_object, "namespace": k8s.namespace, "operation": "UPDATE"},
			{"chosen": name | name := k8s.chosen},
		),
		"parameters": settings.configuration,
	},
	object.filter(input, ["inventory", "now"]),
)
