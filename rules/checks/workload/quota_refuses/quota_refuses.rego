# METADATA
# title: A ResourceQuota refuses the pods
# description: |
#   Where a ResourceQuota counts requests or limits of CPU or memory, the API server takes no pod of the namespace with a container that does not say them – init containers and
#   sidecars too: "failed quota: must specify limits.cpu,limits.memory". The StatefulSet or Job stays without pods, with an event that few look for, and a restore in an emergency does not begin. A LimitRange
#   with defaults says them for all. Reported where the ResourceQuota is among the files; the containers that CrunchyData's, Percona's and Kubegres' operators add
#   are known. So is it where the servers ask for more than the ResourceQuota has, by what they write or a LimitRange gives them: an error where one alone does, a warning where all of them do, or
#   do with the Deployments and StatefulSets of the namespace. Pods that run stay then, and the one that a drain or a failover makes anew is refused.
# related_resources:
#   - https://kubernetes.io/docs/concepts/policy/resource-quotas/
#   - https://github.com/CrunchyData/postgres-operator/issues/3001
#   - https://github.com/percona/roadmap/issues/106
#   - https://github.com/bitnami/charts/issues/9338
#   - https://github.com/tesserix/helivanta/issues/891
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set requests and limits of CPU and memory of all containers, or give the namespace a LimitRange with defaults.
#   sources: []
package walguard.checks.workload.quota_refuses

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.limits

findings contains f if {
	some one in containers
	lacking := {sprintf("%s.%s", [ask.field, ask.name]) | some ask in unsaid(one)}
	quotas := sort([name | some name in {ask.quota | some ask in unsaid(one)}])
	count(lacking) > 0
	f := finding.at(one, sprintf("ResourceQuota %s wants %s of every container, and %s lacks them: the API server refuses the pods. %s.", [
		text.list(quotas, "and"),
		text.list(sort([name | some name in lacking]), "and"),
		one.container,
		cure(one),
	]))
}

# The first tells it.
findings contains f if {
	first := min([key | some one in limits.exceeded; key := [one.level, one.what, one.quota]])
	one := [each | some each in limits.exceeded; [each.level, each.what, each.quota] == first][0]
	set := model.cluster.instance_sets[0]
	f := finding.with_severity(
		finding.at(object.union({"path": set.resources_path}, object.filter(set, ["resource"])), sprintf("%s. Set less here, or raise the quota.", [one.reason])),
		one.level,
	)
}

cure(one) := "Set it here, or by a LimitRange with defaults" if not one.unsettable

cure(one) := "No field sets it: give the namespace a LimitRange with defaults" if one.unsettable

# Pods that ask for nothing at all are no concern of a quota for those that do.
unsaid(one) := [ask |
	some ask in limits.asked
	not limits.says(one.resources, ask)
	[ask.burstable, one.burstable] != [true, false]
]

containers := array.concat(
	[object.union({"container": sprintf("the server's container%s", [of(set)]), "resources": set.resources, "burstable": says_something(set.resources), "path": set.resources_path}, object.filter(set, ["resource"])) |
		not model.partial
		not model.cluster.machine
		some set in model.cluster.instance_sets
		not set.resources_filled
		count([1 | some field in ["requests", "limits"]; get.unknown(k8s.object, array.concat(set.resources_path, [field]))]) == 0
		not get.unknown(k8s.object, set.resources_path)
	],
	get.list(model.cluster, "companions"),
)

of(set) := sprintf(" of %s", [set.name]) if count(model.cluster.instance_sets) > 1

of(_) := "" if count(model.cluster.instance_sets) == 1

says_something(resources) := count([1 | some field in ["requests", "limits"]; some _ in get.map(resources, field)]) > 0
