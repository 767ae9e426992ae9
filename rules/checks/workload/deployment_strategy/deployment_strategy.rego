# METADATA
# title: Two servers can run on one data directory
# description: |
#   A Deployment replaces its pod by starting the new one before the old one is gone, unless its strategy is Recreate. Where both share
#   the claim of the data, either the new pod cannot attach the volume and the update hangs, or – both on one node, or a volume that several nodes mount –
#   two servers write one data directory: PostgreSQL's lock file names a process id, which means nothing in another pod. So it is where the data lie in a directory of the node. Several
#   replicas on one claim do that all the time, or once a HorizontalPodAutoscaler or KEDA raises their number, and so do two workloads with the same directory of one claim. A StatefulSet replaces a pod only when it is gone, and gives each its own claim.
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy
#   - https://www.postgresql.org/docs/current/creating-cluster.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Use a StatefulSet with volumeClaimTemplates; or one replica and strategy Recreate.
#   sources: []
package walguard.checks.workload.deployment_strategy

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	overlap := model.cluster.overlap
	overlap.value == "update"
	not overlap.host
	f := finding.with_value(finding.at(overlap, sprintf("A rolling update starts the new server on claim %s while the old one still runs: the update hangs, or both write one data directory. Set spec.strategy.type to Recreate, or use a StatefulSet.", [overlap.claim])), ["spec", "strategy"], {"type": "Recreate"})
}

# PostgreSQL's lock file has the number of a process, which is 1 in either pod, and the other one's shared memory is not seen.
findings contains f if {
	overlap := model.cluster.overlap
	overlap.value == "update"
	overlap.host
	f := finding.with_value(finding.at(overlap, sprintf("A rolling update starts the new server in %s of the node while the old one still runs: both write one data directory and destroy it. Set spec.strategy.type to Recreate, or use a StatefulSet.", [overlap.claim])), ["spec", "strategy"], {"type": "Recreate"})
}

findings contains f if {
	overlap := model.cluster.overlap
	overlap.value == "replicas"
	f := finding.at(overlap, sprintf("Several replicas share claim %s: each is a server of its own, and together they destroy the data directory. Run one replica, or use a StatefulSet with volumeClaimTemplates and replication.", [overlap.claim]))
}

findings contains f if {
	overlap := model.cluster.overlap_by_scaler
	f := finding.at(overlap, sprintf("%s may start up to %d pods on claim %s: each is a server of its own, and together they destroy the data directory or wait for the volume. Remove it, since a server grows by its resources.", [overlap.scaler, overlap.value, overlap.claim]))
}

findings contains f if {
	overlap := model.cluster.overlap
	overlap.value == "other"
	not overlap.host
	f := finding.at(overlap, sprintf("%s keeps its data in the same directory of claim %s: two servers write one data directory and destroy it. Give each a claim of its own, or another subPath.", [overlap.other, overlap.claim]))
}

findings contains f if {
	overlap := model.cluster.overlap
	overlap.value == "other"
	overlap.host
	f := finding.at(overlap, sprintf("%s keeps its data in the same directory of the node, %s: one of the two finds the other's data and passwords, or both write there and destroy it. Give each a directory of its own.", [overlap.other, overlap.claim]))
}
