# METADATA
# title: Patroni does not find its pods, or may not mark them
# description: |
#   Patroni on Kubernetes keeps the leader in a ConfigMap, or in Endpoints with use_endpoints, and what the members are in their pods; Spilo uses Endpoints unless
#   told otherwise. It lists and watches both, creates the one and patches both. Where the Role of the pods' service account lacks one of these verbs, Patroni logs
#   "Can not get cluster from dcs", or writes the leader in vain, and no server becomes primary; without patch on pods there is one that no standby finds. Reported where a binding of the account and all roles that it is
#   bound to are among the files, or the pods name no account and the files bind another one, as which no pod runs. PATRONI_KUBERNETES_NAMESPACE with another namespace than that of the pods has the same end, and so have pods without the labels by which Spilo's Patroni looks for them
#   (KUBERNETES_LABELS, and SCOPE as the value of KUBERNETES_SCOPE_LABEL).
# related_resources:
#   - https://github.com/patroni/patroni/blob/master/kubernetes/patroni_k8s.yaml
#   - https://github.com/patroni/patroni/blob/master/patroni/dcs/kubernetes.py
#   - https://github.com/patroni/patroni/pull/616
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Allow create, get, list, patch, update and watch on configmaps or endpoints, and get, list, patch, update and watch on pods.
#   sources: []
package walguard.checks.access.api_forbidden

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.permissions

findings contains f if {
	labels := model.cluster.unlabelled
	f := finding.at(labels, sprintf("Patroni finds the members by labels that these pods do not have (%s): no standby finds the primary (\"failed to bootstrap from leader\"). Add them to the template.", [text.list(labels.labels, "and")]))
}

findings contains f if {
	elsewhere := model.cluster.api_elsewhere
	f := finding.at(elsewhere, sprintf("Patroni looks for its pods in namespace %s (%s), and they run in %s: no server becomes primary. Take the variable from metadata.namespace.", [elsewhere.namespace, elsewhere.variable, model.cluster.namespace]))
}

findings contains f if {
	bound := permissions.stranded
	f := finding.at({"path": ["spec", "template", "spec"]}, sprintf("The pods run as ServiceAccount default, and Role %s is bound to %s: Patroni may not ask the API server for anything, and no server becomes primary. Set serviceAccountName: %s.", [bound.role, bound.account, bound.account]))
}

findings contains f if {
	count(permissions.forbidden) > 0
	lacking := [sprintf("%s %s", [text.list(one.verbs, "or"), one.resource]) | some one in permissions.forbidden]
	f := finding.at({"path": ["rules"], "resource": permissions.role}, sprintf("%s %s does not let ServiceAccount %s %s: %s. Add these verbs.", [
		permissions.role.kind,
		permissions.role.name,
		model.cluster.api_needs.account,
		text.list(lacking, "and"),
		consequence,
	]))
}

consequence := "Patroni cannot write into a pod what it is, so that no standby finds the primary" if only_marks

consequence := "Patroni cannot keep its state, and no server becomes primary" if not only_marks

# It keeps the leader elsewhere, and in the pods where each member is and what.
only_marks if permissions.forbidden == [{"resource": "pods", "verbs": ["patch"]}]
