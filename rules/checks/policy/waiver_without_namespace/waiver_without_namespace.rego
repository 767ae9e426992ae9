# METADATA
# title: A waiver names no namespace
# description: |
#   In a cluster anyone who may create objects chooses their names, so a waiver by name alone would cover whoever takes that name. It
#   covers nothing there: its findings are still reported, and its errors denied. In files, which are reviewed, it counts, and this is info.
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Add the namespace, or "*" for all of them.
package walguard.checks.policy.waiver_without_namespace

import data.walguard.lib.finding
import data.walguard.lib.inventory
import data.walguard.lib.scope
import data.walguard.lib.waivers
import data.walguard.policy

findings contains f if {
	some i, waiver in policy.entries("waivers")
	waivers.valid[i]
	scope.homeless(waiver.resource)
	not policy.used(i)
	f := object.union(
		finding.at_path(
			["waivers", i, "resource"],
			sprintf("%s names no namespace, so it covers nothing in a cluster. Add the namespace, or \"*\" for all of them.", [policy.waiver(waiver)]),
		),
		severity,
	)
}

severity := {} if {
	inventory.served
} else := {"severity": "info"}
