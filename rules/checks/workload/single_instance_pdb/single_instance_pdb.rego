# METADATA
# title: A PodDisruptionBudget guards the only instance
# description: |
#   With one instance there is no standby to take over: a PodDisruptionBudget that wants it available prevents every eviction, so
#   draining its node hangs. It does not make the database more available – the node goes down in the end – but turns a
#   short restart elsewhere into a blocked upgrade. A warning for a budget that somebody wrote, or asks the operator for (enablePDB: true). CloudNativePG and Zalando's operator create such a
#   budget of themselves unless they are told not to: that is an info, because whether an upgrade waits or the database is down for a moment is its owner's choice;
#   a warning where kured, Karpenter or the cluster autoscaler is found, which drain nodes of themselves and have nobody who decides.
# related_resources:
#   - https://kubernetes.io/docs/tasks/run-application/configure-pdb/
#   - https://cloudnative-pg.io/docs/current/kubernetes_upgrade/#pod-disruption-budgets
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Remove the budget (enablePDB off in CloudNativePG), or run a second instance.
#   sources: []
package walguard.checks.workload.single_instance_pdb

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.disruption

findings contains f if {
	some budget in disruption.never
	disruption.instances == 1
	f := finding.at(budget, sprintf("PodDisruptionBudget %s never allows the only instance to be evicted (%s), so draining its node hangs. Remove the budget, or run a second instance.", [
		budget.name,
		budget.demand,
	]))
}

findings contains f if {
	budget := guarding
	count(disruption.drainers) == 0
	f := finding.with_severity(
		finding.at(budget, sprintf("The operator's PodDisruptionBudget forbids evicting the only instance, so draining its node hangs. Set %s to false, or run a second instance.", [field(budget)])),
		{true: "warning", false: "info"}[budget.origin == "written"],
	)
}

findings contains f if {
	budget := guarding
	drainer := disruption.drainers[0]
	f := finding.at(budget, sprintf("The operator's PodDisruptionBudget forbids evicting the only instance, so %s, which drains nodes by itself, hangs at this node. Set %s to false, or run a second instance.", [
		drainer,
		field(budget),
	]))
}

guarding := budget if {
	budget := model.cluster.primary_budget
	budget.value == true
	disruption.instances == 1
}

field(budget) := object.get(budget, "field", concat(".", budget.path))
