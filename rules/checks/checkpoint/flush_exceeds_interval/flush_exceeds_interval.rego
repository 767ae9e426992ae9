# METADATA
# title: The disk cannot write a checkpoint in the time it has
# description: |
#   A checkpoint writes every dirty page of shared_buffers, in the worst case all of them, within checkpoint_timeout ×
#   checkpoint_completion_target. Where the disk takes longer than that for shared_buffers alone, checkpoints run one into the other
#   and the disk is busy with them all the time, while WAL and reads compete for it: in one measurement a checkpoint wrote for
#   238 seconds and synced for 35, and throughput fell to 0 meanwhile. A warning where the load is stated (walguard.dev/required-throughput); else
#   info, since few clusters dirty all of shared_buffers between two checkpoints. Bandwidth follows from StorageClass and size, and an
#   instance may allow less.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-configuration.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Raise checkpoint_timeout, or give the data volume more bandwidth.
#   sources: [S0, S3]
#   formulas:
#     - flush_seconds == ceil(shared_buffers_bytes / throughput_bytes_per_second)
#     - interval_seconds == max([1, floor((checkpoint_timeout_seconds * completion_target_thousandths) / 1000)])
#     - flush_seconds > interval_seconds
package walguard.checks.checkpoint.flush_exceeds_interval

import data.walguard.lib.budget
import data.walguard.lib.budget.checkpoints
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some id, volume in model.data_volumes
	flush_seconds := checkpoints.flush_seconds(volume, buffers.bytes)
	flush_seconds > checkpoints.spread_seconds
	f := finding.with_severity(
		finding.with_facts(
			longer(
				finding.at(buffers, sprintf("Writing all %s of shared_buffers takes %d s on the %s (%s); a checkpoint has %d s (checkpoint_timeout %s × %s). %s.", [
					budget.shown(buffers.bytes),
					flush_seconds,
					disk.label(model.volumes, id),
					disk.gives(volume),
					checkpoints.spread_seconds,
					budget.value(checkpoints.timeout),
					checkpoints.target.text,
					cure(flush_seconds),
				])),
				flush_seconds,
			),
			object.union(disk.facts(volume), {
				"shared_buffers_bytes": buffers.bytes,
				"checkpoint_timeout_seconds": checkpoints.timeout_seconds,
				"completion_target_thousandths": checkpoints.target_thousandths,
				"flush_seconds": flush_seconds,
				"interval_seconds": checkpoints.spread_seconds,
			}),
		),
		severity(volume),
	)
}

# Nobody knows how much of shared_buffers is dirty unless the load is stated.
severity(volume) := "warning" if volume.demand.origin == "stated"

severity(volume) := "info" if not volume.demand.origin == "stated"

buffers := model.parameter("shared_buffers")

# The intervals that people write.
minutes(flush_seconds) := min([n | some n in [5, 10, 15, 20, 30, 45, 60]; floor(((n * 60) * checkpoints.target_thousandths) / 1000) >= flush_seconds])

cure(flush_seconds) := sprintf("Raise checkpoint_timeout to %dmin, or the bandwidth to %s", [minutes(flush_seconds), wanted])

cure(flush_seconds) := sprintf("Raise the bandwidth to %s, or lower shared_buffers", [wanted]) if not minutes(flush_seconds)

wanted := sprintf("%d MB/s", [ceil(buffers.bytes / (checkpoints.spread_seconds * 10000000)) * 10])

longer(f, flush_seconds) := finding.with_parameter(f, checkpoints.timeout, sprintf("%dmin", [minutes(flush_seconds)]))

longer(f, flush_seconds) := f if not minutes(flush_seconds)
