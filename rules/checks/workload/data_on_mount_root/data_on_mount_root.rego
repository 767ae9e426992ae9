# METADATA
# title: The data directory is the root of a new volume
# description: |
#   A new file system of the ext family has a directory lost+found in its root. initdb refuses a directory that is not empty –
#   "directory exists but is not empty. It contains a lost+found directory, perhaps due to it being a mount point" – and the pod
#   restarts for ever. A directory below the mount, by PGDATA or subPath, is empty. XFS has no such directory. Where the StorageClass is not found, the class is known
#   by the name that clouds give it (gp3, managed-csi, standard-rwo); where no class is named and none is found, it is an info, for the class that a cluster takes then is mostly of ext4 at clouds and a directory of the node elsewhere. A postgresql.conf that is mounted into the data directory by subPath, or a
#   volume at its pg_wal, is there before initdb as well: a new volume of the claim gets no database (an error where docker-entrypoint.sh runs initdb, a warning in other images), though a database that
#   exists starts all the same. The logs of Spilo are there too where PGDATA is set to the directory above them (a warning).
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#pgdata
#   - https://www.postgresql.org/docs/current/app-initdb.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set PGDATA to a directory below the mount (/var/lib/postgresql/data/pgdata).
#   sources: []
package walguard.checks.workload.data_on_mount_root

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	root := model.cluster.data_on_root
	filesystem := filesystem_of(model.volumes[root.claim])
	filesystem in {"ext2", "ext3", "ext4"}
	f := finding.at(root, sprintf("%s %s is the root of a new %s volume, which holds lost+found: initdb refuses a directory that is not empty. %s.", [
		{true: "The data directory", false: "PGDATA"}[object.get(root, "fixed", false)],
		root.value,
		filesystem,
		elsewhere(root),
	]))
}

# Where nobody says what the volume is made of.
findings contains f if {
	root := model.cluster.data_on_root
	volume := model.volumes[root.claim]
	not root.existing
	not volume.class
	not volume.filesystem
	object.get(volume, "class_name", "") == ""
	f := finding.with_severity(
		finding.at(root, sprintf("%s %s is the root of its volume. On ext4, as most cloud disks have it, that holds lost+found, and initdb refuses a directory that is not empty. %s.", [
			{true: "The data directory", false: "PGDATA"}[object.get(root, "fixed", false)],
			root.value,
			elsewhere(root),
		])),
		"info",
	)
}

elsewhere(root) := sprintf("Set PGDATA to %s/pgdata", [root.value]) if not root.fixed

elsewhere(root) := "Mount it with subPath" if root.fixed

findings contains f if {
	some occupied in get.list(model.cluster, "data_occupied")
	not occupied.reason
	f := finding.with_severity(finding.at(occupied, sprintf("%s is mounted inside the data directory %s, which on a new volume is not empty then: initdb refuses it. %s.", [occupied.inside, occupied.value, cure[occupied.wal]])), object.get(occupied, "level", "warning"))
}

findings contains f if {
	some occupied in get.list(model.cluster, "data_occupied")
	f := finding.with_severity(finding.at(occupied, sprintf("%s. %s.", [occupied.reason, occupied.cure])), occupied.level)
}

cure := {
	true: "Mount it beside the data, and name a directory there in POSTGRES_INITDB_WALDIR",
	false: "Mount it elsewhere, and name it by -c config_file or -c hba_file",
}

filesystem_of(volume) := volume.filesystem.name

# What the drivers of clouds format with where nothing is said.
filesystem_of(volume) := "ext4" if {
	not volume.class
	not volume.filesystem
	disk.formatted(volume.class_name)
}
