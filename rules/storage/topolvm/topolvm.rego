# METADATA
# title: TopoLVM
# description: |
#   Logical volumes on the disks of a node, ext4 unless csi.storage.k8s.io/fstype says otherwise. Bandwidth is that of the disks: not known.
# related_resources:
#   - https://github.com/topolvm/topolvm
# custom:
#   provisioners: [topolvm.io, topolvm.cybozu.com]
package walguard.storage.topolvm

import data.walguard.lib.disk
import data.walguard.model.claims

provisioners := {"topolvm.io", "topolvm.cybozu.com"}

disks[id] := found if {
	some id, claim in claims.claims
	claim.provisioner in provisioners
	found := disk.plain("TopoLVM", "TopoLVM", {"local": true, "expandable": true})
}

filesystems[id] := filesystem if {
	some id, claim in claims.claims
	claim.provisioner in provisioners
	filesystem := disk.filesystem(claim, "ext4")
}
