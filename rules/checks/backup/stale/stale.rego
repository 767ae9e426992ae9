# METADATA
# title: The last base backup is old
# description: |
#   Base backups are scheduled and WAL is archived, yet the last one that completed, by the records of the operator, is older than
#   the window; or the schedule that made them is gone, and there is no other. The longer WAL must be replayed the longer a restore takes, and one lost segment in between ends it. The window is
#   a heuristic: eight days, a weekly backup and a day.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Look at the last backup's messages, see that there is a schedule, and make one now.
#   sources: [S3]
#   settings:
#     window_hours: {default: 192, description: A last completed base backup older than this is stale. A heuristic.}
package walguard.checks.backup.stale

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	model.cluster.archiving.value == "on"
	count(model.backups) > 0
	window_hours := settings.number("backup/stale", "window_hours")
	count([1 | some backup in model.backups; model.within(backup.finished, window_hours * 3600)]) == 0
	last := max([backup.finished | some backup in model.backups])
	f := finding.at(model.cluster.archiving, sprintf("The last base backup completed at %s, more than %d hours ago. Find out why there is none since, and take one now.", [last, window_hours]))
}

# Schedules are objects of their own here: one that was deleted leaves the backups that it made.
findings contains f if {
	model.complete
	model.cluster.archiving.value == "on"
	count(model.schedules) == 0
	gone := {backup.schedule | some backup in model.backups}
	count(gone) > 0
	f := finding.at(model.cluster.archiving, sprintf("The backup schedule (%s) was deleted and there is no other, so the last base backup gets older and older. Schedule backups again.", [text.list(sort(gone), "and")]))
}
