# METADATA
# title: There are no physical backups
# description: |
#   Replicas repeat every mistake within milliseconds: a DROP TABLE, a lost StorageClass or a deleted namespace is survived by
#   backups only. Base backups with archived WAL restore to any second; a dump restores to the moment it was made, and takes
#   hours for what a base backup brings back in minutes. Files never prove that there is no backup: of 31 such clusters without an archive in 99
#   public repositories 24 belonged to authors none of whose clusters archives, since they dump or copy volumes by something that stands
#   in a chart or in another repository. So in files this is info, and a warning for a cluster of several instances only where other clusters
#   of the run have their backups scheduled and this one was left out, or where archive and schedules both stand in the resource
#   itself (Crunchy, Percona). A warning, too, where everything that exists was read.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html
#   - https://www.postgresql.org/docs/current/backup-dump.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Configure a WAL archive and a schedule of base backups.
#   sources: [S3]
package walguard.checks.backup.missing

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	archiving := model.cluster.archiving
	archiving.value in {"off", "discards"}
	not model.partial
	not model.cluster.machine
	not model.cluster.change
	count(model.running_schedules) == 0
	f := finding.with_severity(
		finding.at(archiving, sprintf("No physical backup: WAL is not archived%s. Configure a WAL archive and a schedule of base backups.", [dumps])),
		severity,
	)
}

dumps := ", and dumps restore only to the moment they were taken" if logical

dumps := " and no base backup is scheduled" if not logical

logical if {
	some schedule in model.schedules
	schedule.method == "logical"
	not schedule.suspended
}

severity := "warning" if certain

severity := "info" if not certain

certain if model.complete

certain if {
	left_out
	model.cluster.schedules_known
}

certain if {
	left_out
	model.cluster.others_backed_up
}

# The resource itself is the place for the archive, and more than one instance is not somebody's try-out.
left_out if {
	model.cluster.archiving.origin == "operator"
	model.cluster.instances.value > 1
}
