# METADATA
# title: Longhorn
# description: |
#   Replicated block storage, ext4 unless fsType says otherwise. Its bandwidth is that of the nodes and their network: not known.
# related_resources:
#   - https://longhorn.io/docs/latest/references/storage-class-parameters
# custom:
#   provisioners: [driver.longhorn.io]
package walguard.storage.longhorn

import data.walguard.lib.disk
import data.walguard.model.claims

disks[id] := found if {
	some id, claim in claims.claims
	claim.provisioner == "driver.longhorn.io"
	found := disk.plain("Longhorn", "Longhorn", {"expandable": true})
}

filesystems[id] := filesystem if {
	some id, claim in claims.claims
	claim.provisioner == "driver.longhorn.io"
	filesystem := disk.filesystem(claim, "ext4")
}
