# METADATA
# title: A comment that ignores findings has no effect
# description: |
#   A comment `# walguard: ignore[id] until=2027-03-31 reason=why` in a manifest accepts a finding for a while; only `walguard lint` reads it.
#   It has no effect when it cannot be read, has no date or no reason, has expired, names no check, covers nothing, or when the policy
#   configuration forbids it (`ignoreComments`). One that is left behind looks like a decision, and would cover the next fault that no one has accepted.
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Correct the comment, or delete it. Accept a risk that has to be accepted in the cluster too by a waiver of the policy configuration.
#   settings:
#     notice_days: {default: 14, description: So many days before its expiry a comment is named as info.}
package walguard.checks.manifest.ignore_comment

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.policy

findings contains f if {
	some comment in comments
	f := at(comment, fault(comment))
}

findings contains f if {
	some comment in comments
	some unknown in get.list(comment, "unknown")
	f := at(comment, sprintf("%s has no effect: there is no check %s%s Correct the id, or delete the comment.", [comment.text, unknown.check, unknown.nearest]))
}

findings contains f if {
	some comment in effective
	some id in get.list(comment, "refused")
	f := at(comment, sprintf("%s does not cover an error of %s: the policy configuration lets comments ignore warnings and info (ignoreComments: warnings). Fix it, or ask for a waiver.", [comment.text, id]))
}

findings contains f if {
	some comment in effective
	some id in get.list(comment, "idle")
	f := finding.with_severity(at(comment, sprintf("%s covers nothing: there is no finding of %s here. Delete it.", [comment.text, id])), "info")
}

findings contains f if {
	some comment in effective
	policy.standing(comment.until, notice_days) == "near"
	message := sprintf("%s expires on %s, in less than %d days. Fix what it covers, or set a later date.", [comment.text, comment.until, notice_days])
	f := finding.with_severity(at(comment, message), "info")
}

# What the host noticed in the text.
comments contains notice if {
	some notice in k8s.notices
	notice.by == "comment"
}

effective contains comment if {
	some comment in comments
	not fault(comment)
}

at(comment, message) := finding.at({"path": [], "line": comment.line}, message)

fault(comment) := "The comment has no effect: it cannot be read. Write # walguard: ignore[wal/init_zero_filesystem] until=2027-03-31 reason=why." if {
	comment.unread
} else := sprintf("%s has no effect: the policy configuration forbids such comments (ignoreComments: none). Fix what it covers, or ask for a waiver.", [comment.text]) if {
	comment.forbidden
} else := sprintf("%s has no effect without until=. Add the date from which on its findings count again: until=2027-03-31.", [comment.text]) if {
	not get.string(comment, "until")
} else := sprintf("%s has no effect: until=%s is not a date such as 2027-03-31. Correct it.", [comment.text, comment.until]) if {
	not settings.moment(comment.until)
} else := sprintf("%s has no effect without reason=. Add why the risk is accepted.", [comment.text]) if {
	not get.string(comment, "reason")
} else := sprintf("%s expired on %s, so what it covered is reported again. Fix that and delete the comment, or set a later date.", [comment.text, comment.until]) if {
	policy.standing(comment.until, 0) == "past"
}

notice_days := settings.number("manifest/ignore_comment", "notice_days")
