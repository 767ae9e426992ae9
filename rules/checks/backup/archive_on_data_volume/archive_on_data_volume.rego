# METADATA
# title: WAL is archived to the volume of the data
# description: |
#   What fails with the disk is no backup of it: an archive on the volume of the data is lost together with the data. And it grows: when
#   the volume is full PostgreSQL stops, and the segments that filled it cannot be removed without a gap in the archive.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-ARCHIVING-WAL
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Archive to object storage (WAL-G, pgBackRest), or to a volume of its own.
#   sources: []
package walguard.checks.backup.archive_on_data_volume

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	target := model.cluster.archive_target
	target.where == "data volume"
	f := finding.at(target, sprintf("WAL is archived to %s, on the same volume as the data: one lost disk takes both, and the archive fills the volume. Archive to object storage, or at least to another volume.", [target.value]))
}
