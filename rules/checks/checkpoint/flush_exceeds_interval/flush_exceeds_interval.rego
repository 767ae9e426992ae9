# METADATA
# title: The disk cannot write a checkpoint in the time it has
# description: |
#   A checkpoint writes every dirty page of shared_buffers, in the worst case all of them, within checkpoint_timeout ×
#   checkpoint_completion_target. Where the disk takes longer than that for shared_buffers alone, checkpoints run one into the other
#   and the disk is busy with them all the time, while WAL and reads compete for it: in one measurement a checkpoint wrote for
#   238 seconds and synced for 35, and throughput fell to 0 meanwhile. Bandwidth follows from StorageClass and size, and an
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

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some id, volume in model.data_volumes
	bandwidth := volume.disk.throughput_bytes_per_second
	count(volume.disk.rejections) == 0
	flush_seconds := ceil(buffers_bytes / bandwidth)
	flush_seconds > spread_seconds
	f := finding.with_facts(
		finding.at(place, sprintf("%s, %s: writing all of shared_buffers (%s) takes %d s (%s), and a checkpoint has %d s for it (checkpoint_timeout %d s × checkpoint_completion_target %s). Raise checkpoint_timeout to %dmin, or the bandwidth to %s", [
			model.title,
			disk.label(model.volumes, id),
			text.bytes(buffers_bytes),
			flush_seconds,
			disk.gives(volume),
			spread_seconds,
			timeout_seconds,
			target.text,
			ceil((flush_seconds * 1000) / (60 * target_thousandths)),
			disk.megabytes(ceil(buffers_bytes / spread_seconds)),
		])),
		object.union(disk.facts(volume), {
			"shared_buffers_bytes": buffers_bytes,
			"checkpoint_timeout_seconds": timeout_seconds,
			"completion_target_thousandths": target_thousandths,
			"flush_seconds": flush_seconds,
			"interval_seconds": spread_seconds,
		}),
	)
}

buffers_bytes := model.bytes("shared_buffers")

target := model.parameter("checkpoint_completion_target")

target_thousandths := max([round(target.value * 1000), 1])

timeout_seconds := floor(model.milliseconds("checkpoint_timeout") / 1000)

spread_seconds := max([floor((timeout_seconds * target_thousandths) / 1000), 1])

place := model.parameter("shared_buffers")
