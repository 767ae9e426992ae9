# METADATA
# title: Replicas of a StatefulSet that know nothing of each other
# description: |
#   The official image starts one server and replicates nothing. With replicas above 1 and a volume for each pod, a StatefulSet makes
#   as many unrelated databases; a Service spreads connections over them, so that rows that were just written are missing in the next
#   query, and each database holds a part of the data. Nothing merges them again. An init container, a script of the first start or a
#   variable that names a primary is taken for somebody's own replication and is not reported.
# related_resources:
#   - https://kubernetes.io/docs/tasks/run-application/run-replicated-stateful-application/
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set replicas to 1, or use an operator for replication.
#   sources: []
package walguard.checks.durability.unreplicated_replicas

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	servers := model.cluster.unrelated_servers
	f := finding.with_facts(
		finding.at(servers, sprintf("%d replicas are %d unrelated databases: the image does not replicate, and a Service spreads writes over them. %s, or use an operator.", [servers.value, servers.value, cure(servers)])),
		{"servers": servers.value},
	)
}

cure(servers) := "Remove the autoscaler" if servers.resource

cure(servers) := "Set replicas to 1" if not servers.resource
