# METADATA
# title: The volume acknowledges writes that a crash loses
# description: |
#   fsync is only as good as the flush it sends to the device. Mounted with barrier=0 or nobarrier, ext4 and XFS send none, and what lies in the
#   volatile cache of the disk is lost with the power – order included, which corrupts the database. These options are benchmark
#   settings: on cloud disks there is no battery to make them safe, and XFS refuses nobarrier since Linux 4.19. A host cache for writes
#   (Azure cachingMode ReadWrite) acknowledges writes that exist on the host only. data=writeback lets old contents of blocks
#   appear in files after a crash. The mount options are read from the StorageClass or, where volumes were created by hand and there is none, from the
#   PersistentVolumes that carry its name.
#   S1 lists barrier=0 and data=writeback among the options it recommends; PostgreSQL's documentation allows barriers off
#   only where a battery is known to work.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-reliability.html
#   - https://docs.kernel.org/admin-guide/ext4.html
#   - https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/docs/driver-parameters.md
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Remove the mount options from the StorageClass; set cachingMode to None or ReadOnly. Make new volumes, since claims keep the options they were made with.
#   sources: [S1]
package walguard.checks.durability.write_barriers

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.model
import data.walguard.model.claims

findings contains f if {
	some id, volume in model.all_volumes
	some option in disk.mount_options(volume)
	option in unflushing
	disk.leads(model.all_volumes, id)
	f := told(id, volume, "error", sprintf("mounts with %s, %s", [option, effect(option, volume)]))
}

findings contains f if {
	some id, volume in model.all_volumes
	"data=writeback" in disk.mount_options(volume)
	disk.leads(model.all_volumes, id)
	f := told(id, volume, "warning", "mounts with data=writeback, so that old contents of blocks can appear in files after a crash; it gains little, since PostgreSQL writes WAL anyway")
}

findings contains f if {
	some id, volume in model.all_volumes
	volume.disk.volatile_cache
	disk.leads(model.all_volumes, id)
	f := told(id, volume, "error", sprintf("sets %s, so that writes are acknowledged from a cache of the host and are lost with it", [volume.disk.volatile_cache]))
}

# Volumes made by hand, any of which an instance may get.
findings contains f if {
	some id, volume in model.volumes
	first_by_hand(id, volume)
	some name, persistent in inventory.cluster_by_name("v1", "PersistentVolume")
	get.string(persistent, ["spec", "storageClassName"]) == volume.class_name
	some option in disk.mount_options({"mount_options": claims.mount_options(get.map(persistent, "spec"))})
	clause := by_hand[option]
	f := finding.with_severity(
		finding.at(disk.place(volume, "class_path"), sprintf("%s: PersistentVolume %s, made by hand for the class %s, mounts with %s, %s.", [
			disk.titled(model.volumes, id),
			name,
			volume.class_name,
			option,
			clause.text,
		])),
		clause.severity,
	)
}

unflushing := {"barrier=0", "barrier=none", "nobarrier"}

unflushed := "so that fsync does not flush the disk's cache and a power failure corrupts the database"

by_hand := object.union(
	{option: {"severity": "error", "text": unflushed} | some option in unflushing},
	{"data=writeback": {"severity": "warning", "text": "so that old contents of blocks can appear in files after a crash"}},
)

# The first volume of every name tells it.
first_by_hand(id, volume) if {
	volume.class_name != ""
	not volume.class
	id == min([other | some other, v in model.volumes; not v.class; v.class_name == volume.class_name])
}

told(id, volume, severity, clause) := finding.with_severity(
	finding.at(disk.place(volume, "class_path"), sprintf("%s: StorageClass %s %s.", [
		disk.titled(model.all_volumes, id),
		disk.class_name(volume),
		clause,
	])),
	severity,
)

effect("nobarrier", volume) := "which XFS refuses since Linux 4.19: the volume cannot be mounted, and on older kernels a power failure corrupts the database" if {
	volume.filesystem.name == "xfs"
}

effect(option, volume) := unflushed if not refused(option, volume)

refused("nobarrier", volume) if volume.filesystem.name == "xfs"
