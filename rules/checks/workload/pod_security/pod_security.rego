# METADATA
# title: The namespace refuses the pods
# description: |
#   A namespace with the label pod-security.kubernetes.io/enforce refuses pods that do not follow that Pod Security Standard. The StatefulSet or the custom resource is
#   accepted all the same: no pod appears, and the reason stands in events only ("violates PodSecurity restricted"). "restricted" wants of every container
#   runAsNonRoot, allowPrivilegeEscalation: false, all capabilities dropped and a seccompProfile, and of no init container user 0, such as those that give a volume away;
#   "baseline" refuses hostPath, host namespaces and privileged containers. CronJobs, Jobs and programs beside the database that run its tools (pg_dump, pg_isready, psql) are looked at as well. The pods of Zalando's operator and of its pooler have no seccompProfile. OpenShift gives each namespace a range of users
#   and groups, which stands in annotations of the Namespace, and refuses pods of the account "default" that ask for others ("unable to validate against any security context constraint"). Without these
#   annotations a Route shows that it is OpenShift, where no range begins below 1000000000: a warning, since an account may have been given more by a command.
# related_resources:
#   - https://kubernetes.io/docs/concepts/security/pod-security-standards/
#   - https://kubernetes.io/docs/concepts/security/pod-security-admission/
#   - https://github.com/zalando/postgres-operator/issues/1722
#   - https://github.com/RasaHQ/helm-charts/issues/96
#   - https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/authentication_and_authorization/managing-pod-security-policies
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the security context that the standard asks for, or run the database in a namespace with a weaker one.
#   sources: []
package walguard.checks.workload.pod_security

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.lib.standards
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.tools

findings contains f if {
	standard := settings.namespace_labels["pod-security.kubernetes.io/enforce"]
	levels := standards.refused[standard]
	violations := [violation |
		some violation in get.list(model.cluster, "pod_security")
		violation.level in levels
	]
	count(violations) > 0
	f := finding.at(violations[0], sprintf("Namespace %s enforces Pod Security %q and refuses the pods: %s. %s.", [
		model.cluster.namespace,
		standard,
		text.list(reasons(violations), "and"),
		cure(violations),
	]))
}

# Jobs and programs beside it that run its tools: a dump that is never made, a wait that never ends.
findings contains f if {
	standard := settings.namespace_labels["pod-security.kubernetes.io/enforce"]
	levels := standards.refused[standard]
	some made in tools.pods
	violations := [violation | some violation in standards.violations(made.object, made.path); violation.level in levels]
	count(violations) > 0
	f := finding.at(object.union(violations[0], {"resource": made.resource}), sprintf("Namespace %s enforces Pod Security %q and refuses the pods of %s, which %s: %s. %s.", [
		k8s.namespace,
		standard,
		made.words,
		made.does,
		text.list(reasons(violations), "and"),
		"Write what the standard asks for, or take another namespace",
	]))
}

findings contains f if {
	ids := model.cluster.refused_ids
	not ids.sign
	f := finding.at(ids, sprintf("OpenShift gives namespace %s the users and groups %s, and refuses pods of the account \"default\" with %s. Leave the ids out, so that it assigns them.", [model.cluster.namespace, ids.range, ids.reason]))
}

findings contains f if {
	ids := model.cluster.refused_ids
	f := finding.with_severity(finding.at(ids, sprintf("OpenShift (%s) has users and groups %s, and refuses pods of the account \"default\" with %s unless somebody gave it nonroot-v2 or anyuid. Leave the ids out, so that it assigns them.", [ids.sign, ids.range, ids.reason])), "warning")
}

# Two are enough to see what is meant.
reasons(violations) := [violation.reason | some violation in violations] if count(violations) < 3

reasons(violations) := array.concat(
	[violations[0].reason],
	[sprintf("%d more", [count(violations) - 1])],
) if {
	count(violations) > 2
}

cure(violations) := violations[0].cure

cure(violations) := "Write what the standard asks for, or take another namespace" if not violations[0].cure
