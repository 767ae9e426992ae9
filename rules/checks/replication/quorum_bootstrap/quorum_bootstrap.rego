# METADATA
# title: A startup probe waits for what the quorum holds back
# description: |
#   With dataDurability: preferred and failoverQuorum, CloudNativePG lists no standby as synchronous before it is ready, and in the
#   versions reported a standby with a startup probe of type streaming does not become ready before it is listed: the second instance
#   never starts and the cluster never becomes healthy (seen with 1.28).
# related_resources:
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/10547
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Use another type of startup probe (pg_isready is the default), or dataDurability required with an instance to spare.
#   sources: []
#   cel:
#     - operators: [cnpg]
#       found: "object.?spec.?postgresql.?synchronous.?dataDurability.orValue('') == 'preferred'
#         && object.?spec.?probes.?startup.?type.orValue('') == 'streaming' && object.?spec.?instances.orValue(1) > 1
#         && (object.?spec.?postgresql.?synchronous.?failoverQuorum.orValue(false) || variables.failover_quorum in ['true', 't', '1'])"
package walguard.checks.replication.quorum_bootstrap

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	deadlock := model.cluster.quorum_deadlock
	deadlock.value
	model.cluster.instances.value > 1
	f := finding.at(deadlock, "A streaming startup probe with dataDurability: preferred and failoverQuorum: the standbys may never become ready (seen with CloudNativePG 1.28). Remove the type of the probe, or failoverQuorum.")
}
