# METADATA
# title: democratic-csi
# description: |
#   One driver, many backends; the name that its chart proposes (org.democratic-csi.<backend>) tells which. iSCSI, NVMe-oF and
#   zfs-local-zvol are ZVOLs with a filesystem of the node on them, ext4 by default; a class with fstype zfs is a ZFS dataset; NFS
#   and SMB are network filesystems. Other names are not known.
# related_resources:
#   - https://github.com/democratic-csi/democratic-csi
# custom:
#   provisioners: [org.democratic-csi.*]
package walguard.storage.democratic_csi

import data.walguard.lib.disk
import data.walguard.model.claims

prefix := "org.democratic-csi."

disks[id] := found if {
	some id, claim in claims.claims
	startswith(claim.provisioner, prefix)
	found := disk.plain("democratic-csi", claim.provisioner, traits(claim.provisioner))
}

traits(provisioner) := {"network": true, "protocol": protocol} if {
	some protocol in ["nfs", "smb"]
	contains(provisioner, protocol)
}

traits(provisioner) := {"expandable": block(provisioner), "local": contains(provisioner, "local")} if not over_network(provisioner)

over_network(provisioner) if {
	some protocol in ["nfs", "smb"]
	contains(provisioner, protocol)
}

# A dataset of ZFS itself; 128 KiB is the record size where nobody says.
filesystems[id] := found if {
	some id, claim in claims.claims
	startswith(claim.provisioner, prefix)
	not over_network(claim.provisioner)
	disk.fstype(claim) == "zfs"
	filesystem := disk.filesystem(claim, "")
	found := object.union(filesystem, {"recordsize_bytes": 131072})
}

filesystems[id] := found if {
	some id, claim in claims.claims
	startswith(claim.provisioner, prefix)
	block(claim.provisioner)
	disk.fstype(claim) != "zfs"
	filesystem := disk.filesystem(claim, "ext4")
	found := object.union(filesystem, {"zvol": true})
}

filesystems[id] := found if {
	some id, claim in claims.claims
	startswith(claim.provisioner, prefix)
	block(claim.provisioner)
	not disk.fstype(claim)
	filesystem := disk.filesystem(claim, "ext4")
	found := object.union(filesystem, {"zvol": true})
}

block(provisioner) := count([backend |
	some backend in ["iscsi", "nvmeof", "zvol"]
	contains(provisioner, backend)
]) > 0
