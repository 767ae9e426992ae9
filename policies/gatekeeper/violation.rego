# METADATA
# description: |
#   What Gatekeeper asks for: findings as violations. A Constraint has one enforcementAction, and a finding an action of its own; so
#   a Constraint says in its parameters which severities it reports, and which checks: one denies errors, another one warns of
#   the rest. An error that is not to deny (mode, ratchet, exemption) counts as what it leads to, and one that is waived as nothing.
#   The other parameters are the policy configuration (walguard.lib.settings).
package walguard.gatekeeper

import data.walguard.dependents
import data.walguard.each
import data.walguard.lib.get
import data.walguard.verdict

violation contains answer if {
	some finding in findings
	level[finding.action] in severities
	selected(finding.check)
	not ignored(finding.check)
	message := sprintf("%s (%s)", [finding.message, finding.check])
	answer := {"msg": message, "details": finding}
}

findings contains finding if some finding in verdict.findings

findings contains finding if some finding in dependents.findings

# Other clusters that share a configuration, other servers of a pod.
findings contains finding if some finding in each.findings

# What the webhook would deny, show and only record.
level := {"deny": "error", "warn": "warning", "audit": "info"}

severities := get.list(input, ["parameters", "severities"]) if named

severities := ["error"] if not named

named if is_array(object.get(input, ["parameters", "severities"], null))

# As --select and --ignore of walguard lint: an id, or an area with its slash.
selected(check) if {
	some pattern in get.list(input, ["parameters", "select"])
	meant(pattern, check)
}

selected(_) if count(get.list(input, ["parameters", "select"])) == 0

ignored(check) if {
	some pattern in get.list(input, ["parameters", "ignore"])
	meant(pattern, check)
}

meant(check, check)

meant(area, check) if {
	endswith(area, "/")
	startswith(check, area)
}
