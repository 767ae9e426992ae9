# METADATA
# title: A PodDisruptionBudget guards the only instance
# description: |
#   With one instance there is nobody to take over: a budget that wants it available keeps it from being evicted at all, so that
#   draining its node hangs. It does not make the database more available – the node goes down in the end – but turns a
#   short restart elsewhere into a blocked upgrade. CloudNativePG makes such a budget by itself unless enablePDB is off, which is advice here
#   and not a warning.
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
	f := finding.at(budget, sprintf("PodDisruptionBudget %s never lets the only instance of %s go (%s): draining its node hangs. Remove it, or run a second instance", [
		budget.name,
		model.title,
		budget.demand,
	]))
}

findings contains f if {
	budget := model.cluster.primary_budget
	budget.value == true
	disruption.instances == 1
	f := finding.with_severity(
		finding.at(budget, sprintf("%s has one instance, and the operator keeps a PodDisruptionBudget that forbids to evict it: draining its node hangs. Set %s to false, or run a second instance", [
			model.title,
			concat(".", budget.path),
		])),
		"info",
	)
}
