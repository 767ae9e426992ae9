# METADATA
# title: A backup copies the files of the running server
# description: |
#   Velero's file system backup (restic, kopia) and VolSync with copyMethod Direct read the data directory file by file while PostgreSQL writes to it. The
#   files come from different moments: what is restored has missing tables, or does not start. A snapshot of the volume is of one moment and recovers like
#   after a crash; a dump, or a base backup with its WAL, is safe. Not reported where a hook runs before the copy, or where WAL is archived as well.
# related_resources:
#   - https://www.postgresql.org/docs/current/backup-file.html
#   - https://velero.io/docs/main/file-system-backup/
#   - https://volsync.readthedocs.io/en/stable/usage/triggers.html
#   - https://github.com/velero-io/velero/issues/1738
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Take snapshots of the volume (copyMethod Snapshot, Velero's CSI snapshots), or let a hook write a dump that is copied instead.
#   sources: []
package walguard.checks.backup.files_of_running_server

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.copies

findings contains f if {
	not archived
	some copy in copies.of_files
	f := finding.at(copy, sprintf("%s copies the data directory file by file while the server writes to it: what is restored may lack tables or not start. %s.", [copy.tool, copy.cure]))
}

archived if model.cluster.archiving.value == "on"
