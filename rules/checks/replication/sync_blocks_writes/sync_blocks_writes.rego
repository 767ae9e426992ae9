# METADATA
# title: One standby down stops all writes
# description: |
#   A commit that needs an answer from every standby there is waits as soon as one of them is gone: a node drained, a pod restarted or
#   a minor update of the operator stops all writes until it is back. CloudNativePG waits so with dataDurability: required, its
#   default, where number is the count of the standbys; Patroni with synchronous_mode_strict where there is one standby. One instance
#   more, or a setting that lets commits return without the standby, keeps the service up. The older minSyncReplicas of CloudNativePG
#   lowers itself and is no case of this.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/replication#data-durability-and-synchronous-replication
#   - https://patroni.readthedocs.io/en/latest/replication_modes.html#synchronous-mode
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Run one instance more than the standbys that must confirm plus the primary, or let commits return without them (dataDurability preferred, synchronous_mode_strict off).
#   sources: []
package walguard.checks.replication.sync_blocks_writes

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	wait := model.cluster.commit_wait
	standbys := model.cluster.instances.value - 1
	wait.value > 0
	wait.value == standbys
	f := finding.with_facts(
		finding.at(wait, sprintf("Every commit needs %s: while one is down or restarts, all writes wait. Run %d instances, or set %s to accept commits without it.", [
			needed(standbys),
			standbys + 2,
			wait.relax,
		])),
		{"required_standbys": wait.value, "standbys": standbys},
	)
}

needed(1) := "the only standby"

needed(n) := sprintf("all %d standbys", [n]) if n > 1
