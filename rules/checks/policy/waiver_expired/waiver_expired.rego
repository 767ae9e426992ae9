# METADATA
# title: A waiver has expired
# description: |
#   A waiver of the policy configuration says that a fault is known and accepted for a while. From its expiry on it covers nothing:
#   the fault is reported again, and an error denies the next new object, or the next change that brings it. Whoever owns
#   the waiver has to end the fault or renew the decision; an entry that is left behind looks like protection and is none.
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Cure the fault and delete the waiver, or let its owner decide anew and set a later expiry.
#   settings:
#     notice_days: {default: 14, description: So many days before its expiry a waiver is named as info.}
package walguard.checks.policy.waiver_expired

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.policy

findings contains f if {
	some i, waiver in policy.entries("waivers")
	standing := policy.standing(waiver.expires, notice_days)
	f := object.union(
		finding.at_path(["waivers", i, "expires"], message(standing, waiver)),
		severity[standing],
	)
}

notice_days := settings.number("policy/waiver_expired", "notice_days")

severity := {"past": {}, "near": {"severity": "info"}}

message("past", waiver) := sprintf("%s expired at %s: its findings are reported again, and new errors are denied. Fix them, or have %v renew it (reason: %v).", [
	policy.waiver(waiver),
	waiver.expires,
	object.get(waiver, "owner", "its owner"),
	object.get(waiver, "reason", "unknown"),
])

message("near", waiver) := sprintf("%s expires at %s, in less than %d days. Fix its findings, or have %v renew it (reason: %v).", [
	policy.waiver(waiver),
	waiver.expires,
	notice_days,
	object.get(waiver, "owner", "its owner"),
	object.get(waiver, "reason", "unknown"),
])
