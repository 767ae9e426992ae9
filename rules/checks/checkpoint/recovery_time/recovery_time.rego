# METADATA
# title: Crash recovery may take longer than the stated objective
# description: |
#   After a crash PostgreSQL replays WAL from the last checkpoint on, up to max_wal_size of it, in one process, before it accepts
#   connections. The annotation walguard.dev/rto of the cluster states how long that may take (a duration, "90s", "10min" or "1h").
#   How fast WAL is replayed depends on the workload; 100 MB/s is a heuristic of walguard for pages that are in memory, and no more than
#   the disk gives. A standby that is promoted is faster, since it has replayed already.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-configuration.html
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-MAX-WAL-SIZE
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Lower max_wal_size and checkpoint_timeout, or state an objective that a fail-over keeps.
#   sources: [S4]
#   settings:
#     replay_mbps: {default: 100, description: MB of WAL that crash recovery replays a second. A heuristic.}
#   formulas:
#     - recovery_seconds == ceil(max_wal_size_bytes / replay_bytes_per_second)
#     - recovery_seconds > objective_seconds
package walguard.checks.checkpoint.recovery_time

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.wishes

findings contains f if {
	objective_seconds := wishes.rto.seconds
	setting := model.parameter("max_wal_size")
	recovery_seconds := ceil(setting.bytes / wal.replay_rate)
	recovery_seconds > objective_seconds
	f := shorter(
		finding.with_facts(
			finding.at(setting, sprintf("%s: replaying that much after a crash takes about %d s at %d MB/s; walguard.dev/rto states %s. %s.", [
				budget.setting(setting),
				recovery_seconds,
				floor(wal.replay_rate / 1000000),
				wishes.rto.text,
				cure(objective_seconds),
			])),
			{"max_wal_size_bytes": setting.bytes, "replay_bytes_per_second": wal.replay_rate, "recovery_seconds": recovery_seconds, "objective_seconds": objective_seconds},
		),
		setting,
		objective_seconds,
	)
}

# Not below what checkpoints want.
candidates(objective_seconds) := [n | some n in budget.amounts; n >= wal.least_limit; n <= objective_seconds * wal.replay_rate]

# With what is kept behind the checkpoint on a volume that has room for both.
within(objective_seconds) := max([n | some n in candidates(objective_seconds); wal.affordable(wal.reach(n, wal.kept_bytes))])

cure(objective_seconds) := sprintf("Lower max_wal_size to %s", [budget.text(within(objective_seconds))])

cure(objective_seconds) := sprintf("Lower %s to what the volume holds, then max_wal_size to %s", [
	wal.keeper.name,
	budget.text(max(candidates(objective_seconds))),
]) if {
	not within(objective_seconds)
	count(candidates(objective_seconds)) > 0
}

cure(objective_seconds) := "Rely on failover for this objective: a smaller max_wal_size costs more than it saves" if count(candidates(objective_seconds)) == 0

shorter(f, setting, objective_seconds) := finding.with_parameter(f, setting, budget.text(within(objective_seconds)))

shorter(f, _, objective_seconds) := f if not within(objective_seconds)
