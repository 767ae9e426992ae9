# METADATA
# title: Data or WAL on a volume that goes with its pod
# description: |
#   An emptyDir and a generic ephemeral volume are deleted with the pod: an eviction, a node drain or an update takes the database.
#   So does a part of the data over which one is mounted, or that a variable moves to where no volume is mounted.
#   A hostPath below /tmp or /run goes when the node boots. Another one stays, on a node that the next pod need not come to, unless something (nodeName, nodeSelector, nodeAffinity) keeps it there.
#   A directory of a lasting volume that is called after the pod (subPathExpr: $(POD_UID), or the name of a Deployment's pod) stays, and the next pod does not find it.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/
#   - https://kubernetes.io/docs/concepts/storage/volumes/#using-subpath-expanded-environment
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Use a PersistentVolumeClaim. For a server whose data need not last, turn the check off for its resource.
#   sources: []
package walguard.checks.durability.ephemeral_volume

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some id, volume in model.all_volumes
	volume.ephemeral
	f := finding.at(disk.place(volume, "path"), sprintf("%s on %s: %s.", [
		disk.titled(model.all_volumes, id),
		volume.ephemeral,
		loss(volume),
	]))
}

loss(volume) := "on another node it finds an empty directory. Keep it on one node (nodeSelector), or use a PersistentVolumeClaim" if volume.left_behind

loss(volume) := "what is on it is lost with the pod" if not volume.left_behind

findings contains f if {
	some part in get.list(model.cluster, "lost")
	part.what
	f := finding.at(part, sprintf("%s is on %s: it is lost %s.", [part.what, part.on, object.get(part, "when", "with the pod")]))
}

findings contains f if {
	some part in get.list(model.cluster, "lost")
	part.reason
	f := finding.at(part, sprintf("%s. %s.", [part.reason, part.cure]))
}
