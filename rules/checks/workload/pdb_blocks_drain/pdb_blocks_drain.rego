# METADATA
# title: A PodDisruptionBudget never lets a pod go
# description: |
#   Draining a node evicts pods, and an eviction waits until the budgets allow it. One that wants every instance available (minAvailable as
#   large as their number, or 100%) or none disrupted (maxUnavailable 0) never allows it: upgrades of nodes and the autoscaler hang until
#   somebody deletes the pod or the budget by force, usually without a switchover first. Judged are budgets of one's own for clusters of
#   several instances; what an operator makes itself knows the primary from its standbys. So are
#   budgets of poolers, which start anew in seconds.
# related_resources:
#   - https://kubernetes.io/docs/tasks/run-application/configure-pdb/
#   - https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: "Set maxUnavailable to 1, and leave the order – standbys first, the primary after a switchover – to the operator."
#   sources: []
package walguard.checks.workload.pdb_blocks_drain

import data.walguard.lib.finding
import data.walguard.model.disruption

findings contains f if {
	some budget in disruption.never
	disruption.instances > 1
	f := finding.at(budget, sprintf("PodDisruptionBudget %s never allows an eviction: %s for %d instances, so draining a node hangs. Set maxUnavailable to 1.", [
		budget.name,
		budget.demand,
		disruption.instances,
	]))
}

findings contains f if {
	some budget in disruption.companions_never
	f := finding.at(budget, sprintf("PodDisruptionBudget %s never allows an eviction: %s for %d of %s, so draining a node hangs. Set maxUnavailable to 1.", [
		budget.name,
		budget.demand,
		budget.count,
		budget.pods,
	]))
}
