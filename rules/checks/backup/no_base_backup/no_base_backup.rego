# METADATA
# title: WAL is archived, but no base backup is taken
# description: |
#   An archive of WAL restores nothing by itself: recovery begins with a base backup, and replays WAL from there. A cluster that archives
#   for months without one has paid for storage and has no backup. Crunchy's and Percona's operators take one full backup after they have
#   created the cluster: without a schedule it stays the only one, a restore replays years of WAL, and pgBackRest, which expires WAL with backups,
#   keeps all of it until the repository is full. A second repository gets all WAL too, and base backups only if they are scheduled there. A warning where schedules would have been found – they stand in the resource, or an API server
#   has those of other clusters –, and where the files have the store of the backups, or the keys to it, and no schedule of any cluster; advice where they may be defined elsewhere, or come after the cluster that is created.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-BASE-BACKUP
#   - https://access.crunchydata.com/documentation/postgres-operator/latest/tutorials/backups-disaster-recovery/backup-management
#   - https://github.com/CrunchyData/postgres-operator-examples/issues/110
# custom:
#   severity: warning
#   since: 0.1.0
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
	not model.cluster.backed_up_elsewhere
	is_array(model.schedules)
	count([1 | some schedule in model.schedules; schedule.method == "full"]) == 0
	count([1 | some _ in model.backups]) == 0
	f := finding.with_severity(
		finding.at(archiving, message),
		severity,
	)
}

findings contains f if {
	model.cluster.archiving.value == "on"
	some repository in model.repositories
	repository.bare
	f := finding.at(repository, sprintf("WAL goes to %s, and no base backup: they are scheduled for other repositories only, and nothing can be restored from this one. Schedule full backups there too.", [repository.name]))
}

findings contains f if {
	choice := model.cluster.lonely_backup
	f := finding.at(choice, sprintf("%s leaves base backups to the standbys, and the cluster has a single instance: none is ever taken, and WAL alone cannot be restored. Remove it, or run a second instance.", [choice.setting]))
}

message := "WAL is archived, but no base backup is scheduled and none was found: WAL alone cannot be restored. Schedule base backups." if {
	not model.cluster.first_backup
}

message := "No base backup is scheduled: the one taken when the cluster was created stays the only one, a restore replays all WAL since, and none of it ever expires. Schedule base backups." if {
	model.cluster.first_backup
}

severity := "warning" if seen_elsewhere

severity := "info" if not seen_elsewhere

seen_elsewhere if {
	some sign in ["schedules_beside", "schedules_known"]
	model.cluster[sign]
}
