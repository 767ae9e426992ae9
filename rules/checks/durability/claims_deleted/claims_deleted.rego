# METADATA
# title: Volumes or backups are deleted with the resource
# description: |
#   A mistaken "kubectl delete", a renamed Helm release or a pruning GitOps tool deletes resources. Operators and StatefulSets leave the claims by
#   default, or the backups at least, so that the data can be had back; these settings ask for the deletion of both without a question:
#   persistentVolumeClaimRetentionPolicy Delete of a StatefulSet (whenScaled too, where it has one replica: it is stopped by scaling it to 0), Percona's finalizers delete-pvc and delete-backups, KubeBlocks' terminationPolicy
#   WipeOut. Info where only volumes go and WAL is archived elsewhere, of KubeBlocks' terminationPolicy Delete, which its examples have, and of Zalando's operator, which does so unless it is told otherwise: by
#   enable_persistent_volume_claim_deletion, and not by persistent_volume_claim_retention_policy, which says what the StatefulSet does.
#   Nobody need delete anything by hand where GitOps is told to force changes: Flux (spec.force of a Kustomization, or an annotation) deletes a resource whose change the API server refuses – a field that may not change, a volume
#   that would shrink, a value that a webhook does not take – and creates it anew, and Argo CD does so with Force=true and Replace=true. With the resource of an operator that removes its claims go the data: an error where the class of the volumes
#   deletes the disks, a warning where it is not known, silent where it retains them. The annotation force: disabled does not except a resource from spec.force (info where it is there).
#   Argo CD that tracks by a label takes what Zalando's operator makes for something that is gone from Git where inherited_labels copies that label, and prunes the StatefulSet with its Secrets.
# related_resources:
#   - https://fluxcd.io/flux/components/kustomize/kustomizations/#force
#   - https://github.com/devantler-tech/platform/pull/2159
#   - https://github.com/zalando/postgres-operator/issues/2569
#   - https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
#   - https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention
#   - https://docs.percona.com/percona-operator-for-postgresql/latest/delete.html
#   - https://github.com/zalando/postgres-operator/blob/master/docs/reference/operator_parameters.md
#   - https://kubeblocks.io/docs/release-1_0/user_docs/references/api-reference/cluster
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Take the setting out, and delete volumes and backups by hand when they are no longer needed.
#   sources: []
#   cel:
#     - operators: [percona]
#       found: "object.metadata.?finalizers.orValue([]).exists(f, f == 'percona.com/delete-backups' || (f == 'percona.com/delete-pvc' && !variables.archiving))"
package walguard.checks.durability.claims_deleted

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.forced

findings contains f if {
	some deletion in get.list(model.cluster, "deletions")
	f := finding.with_severity(
		finding.at(deletion, sprintf("%s: the %s go when this resource is %s, by mistake too. %s, and delete them by hand when they are no longer needed", [deletion.setting, deletion.what, object.get(deletion, "when", "deleted"), object.get(deletion, "cure", "Take it out")])),
		severity(deletion),
	)
}

findings contains f if {
	some one in array.concat(forced.recreations, get.list(model.cluster, "pruned"))
	f := finding.with_severity(finding.at(one, sprintf("%s. %s.", [one.reason, one.cure])), one.level)
}

severity(deletion) := deletion.level

severity(deletion) := "info" if {
	not deletion.level
	harmless(deletion)
}

severity(deletion) := "warning" if {
	not deletion.level
	not harmless(deletion)
}

# A default that nobody chose.
harmless(deletion) if deletion.default

harmless(deletion) if {
	deletion.what == "volumes"
	model.cluster.archiving.value == "on"
}
