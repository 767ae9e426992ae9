# METADATA
# title: WAL is archived into the container
# description: |
#   A directory that is on no volume is in the container's own filesystem: the archive is gone with the next restart of the container,
#   and fills the disk of the node until then. archive_command succeeds all the while.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-ARCHIVING-WAL
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Mount a volume at the directory, or archive to object storage.
#   sources: []
package walguard.checks.backup.archive_target_unmounted

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	target := model.cluster.archive_target
	target.where == "container"
	f := finding.at(target, sprintf("WAL is archived to %s, which is on no volume: the archive is lost whenever the container restarts. Mount a volume there, or archive to object storage.", [target.value]))
}
