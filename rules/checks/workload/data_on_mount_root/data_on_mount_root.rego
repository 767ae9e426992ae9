# METADATA
# title: The data directory is the root of a new volume
# description: |
#   A new file system of the ext family has a directory lost+found in its root. initdb refuses a directory that is not empty –
#   "directory exists but is not empty. It contains a lost+found directory, perhaps due to it being a mount point" – and the pod
#   restarts for ever. A directory below the mount, by PGDATA or subPath, is empty. XFS has no such directory.
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#pgdata
#   - https://www.postgresql.org/docs/current/app-initdb.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set PGDATA to a directory below the mount (/var/lib/postgresql/data/pgdata), or mount with subPath.
#   sources: []
package walguard.checks.workload.data_on_mount_root

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	root := model.cluster.data_on_root
	filesystem := model.volumes[root.claim].filesystem
	filesystem.name in {"ext2", "ext3", "ext4"}
	f := finding.at(root, sprintf("PGDATA %s is the root of a new %s volume, which holds lost+found: initdb refuses a directory that is not empty. Set PGDATA to %s/pgdata, or mount with subPath.", [
		root.value,
		filesystem.name,
		root.value,
	]))
}
