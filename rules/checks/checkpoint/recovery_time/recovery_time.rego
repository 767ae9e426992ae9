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

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.wishes

findings contains f if {
	objective_seconds := wishes.rto.seconds
	setting := model.parameter("max_wal_size")
	recovery_seconds := ceil(setting.bytes / rate)
	recovery_seconds > objective_seconds
	f := finding.with_facts(
		finding.at(setting, sprintf("%s runs with max_wal_size=%s: replaying that much after a crash takes about %d s at %d MB/s, longer than the %s that walguard.dev/rto states. Lower max_wal_size to %s", [
			model.title,
			setting.text,
			recovery_seconds,
			floor(rate / 1000000),
			wishes.rto.text,
			text.bytes(floor((objective_seconds * rate) / 1048576) * 1048576),
		])),
		{"max_wal_size_bytes": setting.bytes, "replay_bytes_per_second": rate, "recovery_seconds": recovery_seconds, "objective_seconds": objective_seconds},
	)
}

rate := min(array.concat(
	[settings.number("checkpoint/recovery_time", "replay_mbps") * 1000000],
	[volume.disk.throughput_bytes_per_second | some volume in model.wal_volumes; volume.disk.throughput_bytes_per_second],
))
