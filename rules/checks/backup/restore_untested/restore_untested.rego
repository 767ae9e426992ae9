# METADATA
# title: No backup was restored lately
# description: |
#   A backup is as good as its last restore: archives lack segments, credentials expire, versions drift, and a completed backup
#   shows none of that. A restore test is a cluster recovered from this one's archive that became ready; the window is a
#   heuristic of thirty days. Reported only where completed backups can be read, that is from a live API server.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-PITR-RECOVERY
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Recover a throw-away cluster from the archive every month and see it become ready.
#   sources: [S3]
#   settings:
#     window_days: {default: 30, description: A restore test older than this does not count. A heuristic.}
package walguard.checks.backup.restore_untested

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	model.cluster.archiving.value == "on"
	count(model.backups) > 0
	window_days := settings.number("backup/restore_untested", "window_days")
	count([1 | some restore in model.restores; model.within(restore.ready, window_days * 86400)]) == 0
	f := finding.at(model.cluster.archiving, sprintf("No restore from these backups was found within %d days, so it is not known whether they can be restored. Recover a test cluster from them.", [window_days]))
}
