# METADATA
# title: WAL archiving looks on and throws WAL away
# description: |
#   archive_mode is on and archive_command succeeds – CloudNativePG without an archiver ("Backup not configured, skip WAL archiving"),
#   /bin/true in Spilo, KubeBlocks and StackGres, true in Crunchy – so that nothing complains: the condition
#   ContinuousArchiving stays true, and the WAL is gone. With base backups scheduled that need the WAL written meanwhile, every one
#   completes and none can be restored. Clusters were found that way only when they had to be restored.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/454
#   - https://github.com/zalando/postgres-operator/issues/1772
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Configure the WAL archive together with the schedule (in CloudNativePG a plugin with isWALArchiver), or take the schedule away.
#   sources: [S3]
package walguard.checks.backup.archiving_discards

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	archiving := model.cluster.archiving
	archiving.value == "discards"
	asking := [schedule |
		some schedule in model.schedules
		schedule.needs_wal
		not schedule.suspended
		not schedule.unconfigured
	]
	count(asking) > 0
	f := finding.at(archiving, sprintf("%s schedules backups (\"%s\") and throws the WAL away that they need: archiving looks on and its command does nothing, so that backups complete and cannot be restored. Configure the archive", [
		model.title,
		object.get(asking[0], "text", ""),
	]))
}
