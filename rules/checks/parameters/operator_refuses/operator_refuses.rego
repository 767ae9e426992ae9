# METADATA
# title: The operator refuses the resource
# description: |
#   Operators check resources themselves, and what they refuse is found out when it is applied – by a GitOps controller in the middle of a
#   rollout, with the other half already done. CloudNativePG's webhook refuses shared_buffers above the memory request, min_wal_size
#   that is not below max_wal_size (1GB where it is not written), wal_log_hints=off with several instances, requests above limits and
#   PostgreSQL before 13, and roles that are its own or that a DatabaseRole and managed.roles both have; its barman plugin stops without barmanObjectName, and no WAL is archived. Zalando's creates no cluster at all where
#   a user has a name that is none of a DNS label with underscores, or a flag that it does not know. It serves no namespace where watched_namespace is a list, and stops at an option of its ConfigMap that it cannot read (enable_sidecars: "yes"). PGO
#   creates no user where the options of one are not ALTER ROLE's, goes no further at a nodePort of type ClusterIP, and begins no PGUpgrade from a version that the cluster does not have, and none of a cluster that is not shut down or lacks the annotation allow-upgrade (a warning); v1 of PostgresCluster has no userInterface, and logs in fewer places than v1beta1. KubeBlocks'
#   addon has parameters that no OpsRequest changes, and its Cluster names a topology and components that the addon has. Percona's takes envFrom from Secrets only,
#   and one of pg_stat_monitor and pg_stat_statements; StackGres takes a configuration of the cluster's own major version only, and autoscaling with its bounds. The API server itself refuses pods that mount a volume which
#   they do not have, a StatefulSet whose selector does not find its own pods or is missing, names of StatefulSets and CronJobs that are too long, and API versions that are gone; and names, quantities, probes and policies that its validation does not know. The entrypoint of the official image takes args that begin with neither a
#   dash nor postgres for the name of a program, and it stops at a variable that is set beside its _FILE. Bitnami's takes args for the whole command, also those that begin with a dash. Bitnami's and Red Hat's images check their variables and stop at what is missing or misspelt.
#   CRDs of CloudNativePG, EDB, KubeBlocks, Percona (2.2 to 2.8) and PGO are longer than the annotation by which Argo CD applies them, unless ServerSideApply=true or Replace=true is among the sync options; known by the chart of an Application and its version.
# related_resources:
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/internal/webhook/v1/cluster_webhook.go
#   - https://github.com/zalando/postgres-operator/blob/master/pkg/cluster/cluster.go
#   - https://github.com/cloudnative-pg/charts/issues/325
#   - https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#server-side-apply
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write what the operator accepts.
#   sources: []
package walguard.checks.parameters.operator_refuses

import data.walguard.lib.affinity
import data.walguard.lib.entries
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.model

findings contains f if {
	some refusal in get.list(model.cluster, "refusals")
	f := graded(finding.at(refusal, sprintf("%s refuses %s: %s. %s.", [object.get(refusal, "by", model.cluster.operator), object.get(refusal, "refused", "this resource"), refusal.reason, refusal.cure])), refusal)
}

# What schemas of operators take over from the API server, whose pods have it.
findings contains f if {
	some path in get.list(model.cluster, "affinities")
	some fault in affinity.faults(k8s.object, path)
	f := finding.at(fault, sprintf("The API server refuses %s: %s. %s.", [this, fault.reason, fault.cure]))
}

findings contains f if {
	some path in get.list(model.cluster, "pod_lists")
	some fault in entries.faults(k8s.object, path)
	f := finding.at(fault, sprintf("The API server refuses %s: %s. %s.", [this, fault.reason, fault.cure]))
}

# What a schema of an operator leaves open is refused where the operator makes pods of it.
this := "this resource or its pods" if {
	contains(k8s.group, ".")
} else := "this resource"

graded(f, refusal) := finding.with_severity(f, refusal.level)

graded(f, refusal) := f if not refusal.level
