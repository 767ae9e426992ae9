# METADATA
# title: Nothing creates the server again
# description: |
#   A Pod that no controller made goes with its node: a drain, an eviction, a preempted or broken machine ends it, and nothing creates it
#   again. The claim keeps the data and nobody serves them. A StatefulSet of one replica, or a Deployment with the strategy Recreate, is the
#   same pod with somebody to bring it back. Reported where the data lie on a claim; a Pod whose data go with it is somebody's try-out.
# related_resources:
#   - https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-lifetime
#   - https://github.com/GoogleCloudPlatform/postgresql-docker/issues/3
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write a StatefulSet of one replica with this pod as its template.
#   sources: []
package walguard.checks.workload.bare_pod

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	alone := model.cluster.alone
	f := finding.at(alone, "A Pod without a controller: when it is evicted or its node goes, nothing creates it again, though its claim stays. Make it the template of a StatefulSet.")
}
