# METADATA
# title: Ceph
# description: |
#   RBD (Rook and ceph-csi, under whatever prefix the operator has) is a block device with ext4 by default; its bandwidth is that of the
#   cluster, which is not known. CephFS and Ceph's NFS are network filesystems.
# related_resources:
#   - https://rook.io/docs/rook/latest/Storage-Configuration/Block-Storage-RBD/block-storage/
#   - https://github.com/ceph/ceph-csi
# custom:
#   provisioners: [rbd.csi.ceph.com, "*.rbd.csi.ceph.com", kubernetes.io/rbd, cephfs.csi.ceph.com, "*.cephfs.csi.ceph.com", nfs.csi.ceph.com, "*.nfs.csi.ceph.com"]
package walguard.storage.ceph

import data.walguard.lib.disk
import data.walguard.model.claims

disks[id] := found if {
	some id, claim in claims.claims
	kind := kinds[kind_of(claim.provisioner)]
	found := disk.plain("Ceph", kind.title, object.remove(kind, ["title", "block"]))
}

filesystems[id] := filesystem if {
	some id, claim in claims.claims
	kind_of(claim.provisioner) == "rbd.csi.ceph.com"
	filesystem := disk.filesystem(claim, "ext4")
}

kinds := {
	"rbd.csi.ceph.com": {"title": "Ceph RBD", "expandable": true},
	"cephfs.csi.ceph.com": {"title": "CephFS", "expandable": true, "network": true, "protocol": "ceph"},
	"nfs.csi.ceph.com": {"title": "NFS of Ceph", "expandable": true, "network": true, "protocol": "nfs"},
}

kind_of(provisioner) := provisioner if kinds[provisioner]

kind_of("kubernetes.io/rbd") := "rbd.csi.ceph.com"

kind_of(provisioner) := name if {
	some name, _ in kinds
	endswith(provisioner, concat("", [".", name]))
}
