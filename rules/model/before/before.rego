# METADATA
# description: |
#   The cluster as it was, on UPDATE: what a check of a change compares walguard.model with. Everything is undefined where there is no
#   old object (a CREATE, a file that is not compared with a revision) or where that was no cluster, so that a check of a change is silent
#   there. Other objects are seen as they are now; how they change is walguard.dependents' matter.
package walguard.model.before

import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.model.claims

# METADATA
# description: The review of the old object in the same surroundings.
review := object.union(
	{
		"review": {"object": k8s.old_object, "namespace": k8s.namespace},
		"parameters": settings.configuration,
	},
	object.filter(input, ["inventory", "now"]),
) if {
	k8s.old_object
	model.cluster
}

# METADATA
# description: walguard.model.cluster, as it was.
cluster := found if {
	# Bound before `with`, as everywhere.
	old := review
	found := claims.cluster with input as old
}

# METADATA
# description: A parameter as walguard.model has it, as it was.
parameter(name) := parameters[name]

parameters := found if {
	old := review
	found := model.parameters with input as old
}

# METADATA
# description: walguard.model.claims, as they were.
volumes := found if {
	old := review
	found := claims.claims with input as old
}

# METADATA
# description: walguard.model.schedules, as they were.
schedules := found if {
	old := review
	found := model.schedules with input as old
}
