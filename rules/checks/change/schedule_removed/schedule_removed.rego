# METADATA
# title: The last schedule of base backups is removed
# description: |
#   Without a schedule no new base backup is made: a recovery has to replay all WAL since the last one, longer every day, and where the
#   retention removes that backup nothing is left. Schedules that are objects of their own are watched as well: their deletion is
#   reported for the cluster that loses them.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-BASE-BACKUP
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Keep a schedule of full backups, or replace it in the same change.
#   sources: []
package walguard.checks.change.schedule_removed

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	count(full(model.schedules)) == 0
	old := full(before.schedules)
	count(old) > 0
	f := finding.at_path(kept(old[0].path), sprintf("The last schedule of full backups%s is removed: no base backup is made from now on. Keep one.", [text_of(old[0])]))
}

full(schedules) := [schedule |
	some schedule in schedules
	schedule.method == "full"
	not schedule.suspended
]

text_of(schedule) := sprintf(" (%s)", [schedule.text]) if schedule.text

text_of(schedule) := "" if not schedule.text

# The schedule is gone: the section that had it.
kept(path) := array.slice(path, 0, min([count(path), 4]))
