# METADATA
# title: OpenEBS
# description: |
#   ZFS LocalPV makes a ZFS dataset only with fstype zfs; with any other fstype, or none, it makes a ZVOL with a filesystem
#   (ext4 unless told otherwise) on it, and that filesystem is what PostgreSQL writes to. LVM LocalPV, Mayastor, cStor and
#   Jiva are block devices with ext4 by default. Hostpath volumes lie on the filesystem of the node, which is not known.
# related_resources:
#   - https://openebs.io/docs/user-guides/local-storage-user-guide/local-pv-zfs/configuration/zfs-storageclass-parameters
#   - https://github.com/openebs/zfs-localpv/blob/develop/docs/storageclasses.md
# custom:
#   provisioners: [zfs.csi.openebs.io, local.csi.openebs.io, rawfile.csi.openebs.io, io.openebs.csi-mayastor, cstor.csi.openebs.io, jiva.csi.openebs.io, openebs.io/local]
package walguard.storage.openebs

import data.walguard.lib.disk
import data.walguard.lib.quantity
import data.walguard.model.claims

drivers := {
	"zfs.csi.openebs.io": {"title": "OpenEBS ZFS LocalPV", "local": true, "expandable": true},
	"local.csi.openebs.io": {"title": "OpenEBS LVM LocalPV", "local": true, "expandable": true},
	"rawfile.csi.openebs.io": {"title": "OpenEBS rawfile LocalPV", "local": true, "expandable": true},
	"io.openebs.csi-mayastor": {"title": "OpenEBS Mayastor", "local": false, "expandable": true},
	"cstor.csi.openebs.io": {"title": "OpenEBS cStor", "local": false, "expandable": true},
	"jiva.csi.openebs.io": {"title": "OpenEBS Jiva", "local": false, "expandable": true},
	"openebs.io/local": {"title": "OpenEBS hostpath", "local": true, "expandable": false, "unlimited": true},
}

disks[id] := found if {
	some id, claim in claims.claims
	driver := drivers[claim.provisioner]
	found := disk.plain("OpenEBS", driver.title, object.filter(driver, ["local", "expandable", "unlimited"]))
}

filesystems[id] := found if {
	some id, claim in claims.claims
	drivers[claim.provisioner]
	claim.provisioner != "openebs.io/local"
	filesystem := disk.filesystem(claim, "ext4")
	found := object.union(filesystem, traits(claim))
}

traits(claim) := {} if claim.provisioner != "zfs.csi.openebs.io"

traits(claim) := {"zvol": true} if {
	claim.provisioner == "zfs.csi.openebs.io"
	not dataset(claim)
}

traits(claim) := {"recordsize_bytes": recordsize(claim.parameters)} if {
	claim.provisioner == "zfs.csi.openebs.io"
	dataset(claim)
}

dataset(claim) if disk.fstype(claim) == "zfs"

# "16k", "8192"; ZFS itself takes 128 KiB where nobody says.
recordsize(parameters) := 131072 if not parameters.recordsize

recordsize(parameters) := quantity.whole(trim_right(parameters.recordsize, "kK")) * scale(parameters.recordsize)

scale(value) := 1024 if trim_right(value, "kK") != value

scale(value) := 1 if trim_right(value, "kK") == value
