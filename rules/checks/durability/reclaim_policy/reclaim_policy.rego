# METADATA
# title: Deleting the cluster deletes the only copy of its data
# description: |
#   With reclaimPolicy Delete, which is what a StorageClass has when it says nothing, the disk goes with the claim, and operators
#   remove the claims with the cluster. A mistaken "kubectl delete" or a pruning GitOps tool then takes all instances at once. Backups
#   outside the cluster make that harmless, and Retain keeps the disks. Silent where the operator leaves the claims (Percona without the
#   finalizer delete-pvc, KubeBlocks with terminationPolicy Halt, Zalando's enable_persistent_volume_claim_deletion: false). Told of clusters with more than one instance – somebody cares for
#   their data – that are known to archive no WAL and to take no base backups.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Configure backups; or set reclaimPolicy to Retain in a StorageClass of its own (a class cannot be changed, a volume can, persistentVolumeReclaimPolicy).
#   sources: []
package walguard.checks.durability.reclaim_policy

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	model.cluster.archiving.value in {"discards", "off"}
	model.cluster.instances.value > 1
	not model.cluster.claims_kept
	not model.cluster.standby_backup
	count(model.backups) == 0
	some id, volume in model.page_volumes
	volume.class
	disk.leads(model.page_volumes, id)
	object.get(volume.class, "reclaimPolicy", "Delete") == "Delete"
	f := finding.at(disk.place(volume, "class_path"), sprintf("StorageClass %s deletes disks with their claims (reclaimPolicy %s), and nothing is backed up: deleting the cluster deletes the only copies of its data. Configure backups, or use a class with reclaimPolicy Retain", [
		disk.class_name(volume),
		written(volume.class),
	]))
}

written(class) := get.string(class, "reclaimPolicy")

written(class) := "Delete by default" if not get.string(class, "reclaimPolicy")
