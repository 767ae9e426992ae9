# METADATA
# title: WAL is archived, but no base backup is taken
# description: |
#   An archive of WAL restores nothing by itself: recovery begins with a base backup, and replays WAL from there. A cluster that archives
#   for months without one has paid for storage and has no backup. A warning where schedules would have been found – they stand in the
#   resource, or those of other clusters were found –, advice where they may be defined elsewhere, or come after the cluster that is created.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-BASE-BACKUP
# custom:
#   severity: warning
#   since: 0.2.0
#   remediation: Schedule base backups, and take the first one now.
#   sources: []
package walguard.checks.backup.no_base_backup

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	archiving := model.cluster.archiving
	archiving.value == "on"
	not model.partial
	not model.cluster.machine
	not model.cluster.change
	is_array(model.schedules)
	count([1 | some schedule in model.schedules; schedule.method == "full"]) == 0
	count([1 | some _ in model.backups]) == 0
	f := finding.with_severity(
		finding.at(archiving, "WAL is archived, but no base backup is scheduled and none was found: WAL alone cannot be restored. Schedule base backups."),
		severity,
	)
}

severity := "warning" if model.cluster.schedules_known

severity := "info" if not model.cluster.schedules_known
