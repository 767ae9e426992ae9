# METADATA
# title: WAL is too small for the load, so that segments are removed and made anew
# description: |
#   A checkpoint recycles old segments up to about max_wal_size; what a load writes beyond it forces the next checkpoint at once, is
#   removed, and must be created and filled with zeros again. The log of S0 shows it – "0 added, 788 removed, 0 recycled", 18.8 GB
#   between two checkpoints – and half of what its disk wrote was zeros; with the same load 64 MB removed 33 segments and 4 GB none.
#   Told when shared_buffers of 4 GB or more are over four times max_wal_size (larger buffers want larger WAL, says
#   PostgreSQL's documentation), and when the stated demand (walguard.dev/required-throughput) fills max_wal_size in less than a minute.
# related_resources:
#   - https://www.postgresql.org/docs/current/wal-configuration.html
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-SHARED-BUFFERS
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Raise max_wal_size, within what the WAL volume holds.
#   sources: [S0, S3]
#   settings:
#     buffers_times: {default: 4, description: How many times max_wal_size shared_buffers may be. A heuristic.}
#     fill_seconds: {default: 60, description: Time in which the stated demand may fill max_wal_size. A heuristic.}
#   formulas:
#     - shared_buffers_bytes > max_wal_size_bytes * buffers_times
#     - fill_seconds == floor(max_wal_size_bytes / demand_bytes_per_second)
#     - max_wal_size_bytes < demand_bytes_per_second * least_fill_seconds
package walguard.checks.wal.removed_not_recycled

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	buffers.bytes >= 4294967296
	buffers.bytes > limit.bytes * times
	f := told(
		sprintf("shared_buffers of %s", [text.bytes(buffers.bytes)]),
		ceil(buffers.bytes / (times * 1073741824)),
		{"shared_buffers_bytes": buffers.bytes, "buffers_times": times},
	)
}

# Of 1 GB and less checkpoint/frequent tells.
findings contains f if {
	limit.bytes > 1073741824
	some volume in model.wal_volumes
	volume.demand.origin == "stated"
	demand := volume.demand.bytes_per_second * disk.shares(volume)
	fill := settings.number("wal/removed_not_recycled", "fill_seconds")
	limit.bytes < demand * fill
	f := told(
		sprintf("a stated demand of %s, which fills it in %d s", [disk.megabytes(demand), floor(limit.bytes / demand)]),
		ceil((demand * fill) / 1073741824),
		{"demand_bytes_per_second": demand, "fill_seconds": floor(limit.bytes / demand), "least_fill_seconds": fill},
	)
}

told(against, gib, facts) := finding.with_facts(
	finding.at(limit, sprintf("%s runs with max_wal_size=%s%s against %s: under load checkpoints are forced by WAL, and segments are removed and created anew instead of recycled, which doubles what is written. Raise max_wal_size to %dGB", [
		model.title,
		limit.text,
		by_whom[limit.origin],
		against,
		gib,
	])),
	object.union(facts, {"max_wal_size_bytes": limit.bytes}),
)

by_whom := {"written": "", "operator": ", the operator's default,", "postgres": ", the default,"}

limit := model.parameter("max_wal_size")

buffers := model.changed("shared_buffers")

times := settings.number("wal/removed_not_recycled", "buffers_times")
