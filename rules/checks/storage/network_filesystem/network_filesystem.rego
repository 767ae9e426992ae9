# METADATA
# title: The data directory lies on a network filesystem
# description: |
#   PostgreSQL assumes a filesystem whose fsync is final, whose renames are atomic and which one server has to itself. Over NFS that
#   holds only with a hard mount and a synchronous export; SMB cannot give files the owner and mode that initdb demands, and neither do access points of EFS without a uid in the class; FUSE and
#   object stores give neither fsync nor overwriting in place; and every flush of WAL is a round trip to a server that others use too.
#   NFS that is mounted hard is a warning, since the export is out of sight. Volumes that were made by hand count like those of a class.
#   A class that is not in sight is judged by its name where a provisioner or a provider gives it that name (nfs-client, nfs-csi, azurefile), as a warning, but for those of AKS, which are SMB alone.
# related_resources:
#   - https://www.postgresql.org/docs/current/creating-cluster.html#CREATING-CLUSTER-NFS
#   - https://github.com/cloudnative-pg/charts/issues/794
#   - https://github.com/reactive-tech/kubegres/issues/172
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Use a StorageClass of block devices (ReadWriteOnce) for data and WAL; keep network filesystems for backups.
#   sources: []
package walguard.checks.storage.network_filesystem

import data.walguard.lib.disk
import data.walguard.lib.driver
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some id, volume in model.all_volumes
	volume.disk.network
	disk.leads(model.all_volumes, id)
	f := finding.with_severity(
		finding.at(disk.place(volume, "class_path"), sprintf("%s on a network filesystem (%s is %s): %s.", [
			disk.titled(model.all_volumes, id),
			disk.chooser(volume),
			volume.disk.title,
			consequence(volume),
		])),
		severity(volume),
	)
}

findings contains f if {
	some id, volume in model.all_volumes
	usual := driver.usual_classes[volume.class_name]
	not volume.class
	not volume.provisioner
	not volume.persistent
	id == min([other | some other, same in model.all_volumes; same.class_name == volume.class_name])
	f := finding.with_severity(
		finding.at(disk.place(volume, "class_path"), sprintf("%s on a network filesystem, to judge by the name of its class (%s: %s): %s.", [
			disk.titled(model.all_volumes, id),
			volume.class_name,
			usual.title,
			consequences[usual.protocol],
		])),
		severity_of_usual(usual),
	)
}

# AKS makes these classes, always for SMB and without a uid, and writes them anew.
severity_of_usual(usual) := "error" if usual.protocol == "smb"

severity_of_usual(usual) := "warning" if usual.protocol != "smb"

consequence(volume) := "the mount is hard, but unless the server exports it synchronously (sync) it acknowledges writes that its crash loses" if hard_nfs(volume)

consequence(volume) := consequences[volume.disk.protocol] if {
	not hard_nfs(volume)
	not owned_by_access_points(volume)
	not owned_by_mount(volume)
}

consequence(volume) := "locks and fsync are the server's, and where that acknowledges what it has not stored, a crash of its loses it" if owned_by_mount(volume)

consequence(volume) := "each access point gives its files an owner of its own range where the class has no uid, and initdb refuses a directory that is not the server's own" if {
	not hard_nfs(volume)
	owned_by_access_points(volume)
}

# aws-efs-csi-driver takes uid and gid of an access point from gidRangeStart to gidRangeEnd unless the class names them (docs/README.md).
owned_by_access_points(volume) if {
	volume.provisioner == "efs.csi.aws.com"
	get.string(volume.class, ["parameters", "provisioningMode"]) == "efs-ap"
	not get.present(volume.class, ["parameters", "uid"])
}

consequences := {
	"nfs": "unless it is mounted hard and exported synchronously, writes that PostgreSQL takes for durable are lost when the network or the server fails",
	"smb": "files do not get the owner and the mode that initdb demands, and locks and fsync are the server's",
	"fuse": "it gives neither a final fsync nor atomic overwriting in place, and a crash leaves the data directory inconsistent",
	"ceph": "every fsync waits for a metadata server that all clients share, and a client that is evicted loses what it had not written back; RBD is the block device of the same cluster",
	"lustre": "every fsync waits for servers that all clients share, and a client that is evicted loses what it had not written back",
}

severity(volume) := "warning" if mild(volume)

severity(volume) := "error" if not mild(volume)

mild(volume) if hard_nfs(volume)

mild(volume) if owned_by_mount(volume)

# The mount gives every file an owner and a mode that initdb takes (mount.cifs(8): uid, dir_mode).
owned_by_mount(volume) if {
	volume.disk.protocol == "smb"
	options := disk.mount_options(volume)
	some owner in options
	regex.match(`^uid=[1-9]`, owner)
	some mode in options
	regex.match(`^dir_mode=0?7[05]0$`, mode)
}

hard_nfs(volume) if {
	volume.disk.protocol == "nfs"
	options := disk.mount_options(volume)
	"hard" in options
	not "soft" in options
}
