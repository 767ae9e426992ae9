# METADATA
# title: A waiver covers nothing
# description: |
#   A waiver that covers nothing today will silently cover the next fault, which no one has agreed to accept.
#   Usually the fault was fixed or the resource is gone. Reported only where that is certain: when a resource that the waiver names,
#   by namespace and name and without a pattern, was checked and has no such fault, or when every resource was checked.
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Delete the waiver.
package walguard.checks.policy.waiver_unused

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.glob
import data.walguard.lib.inventory
import data.walguard.lib.scope
import data.walguard.lib.waivers
import data.walguard.policy

findings contains f if {
	judged := policy.judged
	some i, waiver in policy.entries("waivers")
	waivers.valid[i]
	not policy.used(i)
	not unplaced(waiver.resource) # walguard.checks.policy.waiver_without_namespace
	reason := idle(waiver, judged)
	f := finding.at_path(["waivers", i], sprintf("%s covers nothing: %s. Delete it.", [policy.waiver(waiver), reason]))
}

# Covers nothing whatever there is.
unplaced(resource) if {
	inventory.served
	scope.homeless(resource)
}

idle(_, _) := "everything was checked and has no such finding" if policy.complete

idle(waiver, judged) := "the resource was checked and has no such finding" if {
	not policy.complete
	exact(waiver.resource)
	some resource in judged
	scope.covers(waiver.resource, resource)
}

# One resource is meant.
exact(resource) if {
	every key in ["namespace", "name"] {
		name := get.string(resource, key)
		not glob.wild(name)
	}
}
