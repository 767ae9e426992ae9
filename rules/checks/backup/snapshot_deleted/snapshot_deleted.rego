# METADATA
# title: Deleting the cluster deletes its snapshots
# description: |
#   Volume snapshots that belong to the Cluster object (snapshotOwnerReference: cluster) are removed by the garbage collector together with
#   it: a Cluster that is deleted by mistake, or pruned by a GitOps controller, takes its backups along. CloudNativePG sets an owner
#   only when snapshotOwnerReference asks for one. A VolumeSnapshotClass whose deletionPolicy is Retain keeps the data behind them.
#   Info where the schedules found take backups another way.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/cloudnative-pg.v1#volumesnapshotconfiguration
#   - https://kubernetes.io/docs/concepts/storage/volume-snapshot-classes/#deletionpolicy
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave snapshotOwnerReference out (none), or take a VolumeSnapshotClass with deletionPolicy Retain.
#   sources: []
#   cel:
#     - operators: [cnpg]
#       found: "object.?spec.?backup.?volumeSnapshot.?snapshotOwnerReference.orValue('') == 'cluster'"
package walguard.checks.backup.snapshot_deleted

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	owner := model.cluster.snapshot_owner
	owner.value == "cluster"
	not owner.unasked
	f := kept(owner, finding.at(owner, "Volume snapshots belong to the Cluster object, so deleting the cluster deletes its backups. Set snapshotOwnerReference to none."))
}

findings contains f if {
	owner := model.cluster.snapshot_owner
	owner.value == "cluster"
	owner.unasked
	f := finding.with_severity(
		kept(owner, finding.at(owner, "Volume snapshots would belong to the Cluster object and be deleted with it; the schedules found take none so far. Set snapshotOwnerReference to none.")),
		"info",
	)
}

kept(owner, f) := finding.with_value(f, owner.path, "none")
