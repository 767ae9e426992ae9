# METADATA
# title: A waiver covers nothing
# description: |
#   A waiver that no longer covers any fault lies ready for the next one: it would let pass, unseen, what nobody has decided on.
#   Mostly the fault was cured or the resource is gone. Judged only where it can be known: when a resource that the waiver names,
#   by namespace and name and without a pattern, was judged and has no such fault, or when everything there is was judged.
# custom:
#   severity: info
#   since: 0.2.0
#   remediation: Delete the waiver.
package walguard.checks.policy.waiver_unused

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.glob
import data.walguard.lib.scope
import data.walguard.lib.waivers
import data.walguard.policy

findings contains f if {
	judged := policy.judged
	some i, waiver in policy.entries("waivers")
	waivers.valid[i]
	not policy.used(i)
	reason := idle(waiver, judged)
	f := finding.at_path(["waivers", i], sprintf("%s covers nothing: %s. Delete it.", [policy.waiver(waiver), reason]))
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
