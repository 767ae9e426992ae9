# METADATA
# title: One standby down stops all writes
# description: |
#   A commit that needs an answer from every standby there is waits as soon as one of them is gone: a node drained, a pod restarted or
#   a minor update of the operator stops all writes until it is back. CloudNativePG waits so with dataDurability: required, its
#   default, where number is the count of the standbys; Patroni with synchronous_mode_strict where there is one standby. One instance
#   more, or a setting that lets commits return without the standby, keeps the service up. The older minSyncReplicas of CloudNativePG
#   lowers itself and is no case of this. A server whose
#   synchronous_standby_names names no more standbys than have to confirm waits in the same way.
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
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.standbys

findings contains f if {
	wait := model.cluster.commit_wait
	there := model.cluster.instances.value - 1
	wait.value > 0
	wait.value == there
	f := finding.with_facts(
		finding.at(wait, sprintf("Every commit needs %s: while one is down or restarts, all writes wait. Run %d instances, or set %s to accept commits without it.", [
			needed(there),
			there + 2,
			wait.relax,
		])),
		{"required_standbys": wait.value, "standbys": there},
	)
}

needed(1) := "the only standby"

needed(n) := sprintf("all %d standbys", [n]) if n > 1

# A name without a number at its end may be that of several standbys, such as walreceiver. What one instance waits for can never be satisfied.
# Of Patroni's cluster replication/sync_by_hand says that the parameter goes.
findings contains f if {
	names := standbys.asked.names
	count(names) == standbys.asked.wanted
	not model.cluster.instances.value == 1
	not model.cluster.patroni
	count([1 | some name in names; not regex.match(`[0-9]$`, name)]) == 0
	f := finding.at(standbys.setting, sprintf("synchronous_standby_names=%s: every commit waits for %s, and while %s is down all writes hang. Name one more than has to confirm, such as ANY %d (%s, and another).", [
		standbys.setting.text,
		text.list(names, "and"),
		{true: "it", false: "one of them"}[count(names) == 1],
		count(names),
		concat(", ", names),
	]))
}
