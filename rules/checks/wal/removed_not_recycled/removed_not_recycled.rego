# METADATA
# title: WAL is too small for the load, so that segments are created again and again
# description: |
#   A checkpoint recycles old segments up to about max_wal_size; what a load writes beyond it forces the next checkpoint at once, is
#   removed, and must be created and filled with zeros again. The log of S0 shows it – "0 added, 788 removed, 0 recycled", 18.8 GB
#   between two checkpoints – and half of what its disk wrote was zeros; with the same load 64 MB removed 33 segments and 4 GB none.
#   A warning when the stated demand (walguard.dev/required-throughput) fills max_wal_size in less than a minute. Info when
#   shared_buffers of 4 GB or more are over four times max_wal_size (larger buffers want larger WAL, says PostgreSQL's documentation): no
#   load is known then.
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

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.model.wishes

findings contains f if {
	count(demanded) == 0
	buffers.bytes >= 4294967296
	buffers.bytes > wal.limit.bytes * times
	not too_slow(ceil(buffers.bytes / times))
	f := found(
		sprintf("%s is small for shared_buffers of %s: under load WAL forces checkpoints, and new segments are written twice.", [
			budget.setting(wal.limit),
			budget.shown(buffers.bytes),
		]),
		"info",
		ceil(buffers.bytes / times),
		{"shared_buffers_bytes": buffers.bytes, "buffers_times": times},
	)
}

findings contains f if {
	some demand in demanded
	f := found(
		sprintf("%s lasts %d s at the stated %s: WAL forces checkpoints, and new segments are written twice.", [
			budget.setting(wal.limit),
			floor(wal.limit.bytes / demand),
			disk.megabytes(demand),
		]),
		"warning",
		demand * fill,
		{"demand_bytes_per_second": demand, "fill_seconds": floor(wal.limit.bytes / demand), "least_fill_seconds": fill},
	)
}

# Of 1 GB and less checkpoint/frequent reports.
demanded contains demand if {
	wal.limit.bytes > 1073741824
	some volume in model.wal_volumes
	volume.demand.origin == "stated"
	demand := volume.demand.bytes_per_second * disk.shares(volume)
	wal.limit.bytes < demand * fill
}

fill := settings.number("wal/removed_not_recycled", "fill_seconds")

found(sentence, severity, wanted, facts) := raised(
	finding.with_severity(
		finding.with_facts(
			finding.with_default(finding.at(wal.limit, sprintf("%s %s.", [sentence, wal.raise_text(wanted)])), wal.limit),
			object.union(facts, {"max_wal_size_bytes": wal.limit.bytes}),
		),
		severity,
	),
	wanted,
)

raised(f, wanted) := finding.with_parameter(f, wal.limit, budget.text(wal.raised(wanted)))

raised(f, wanted) := f if not wal.raised(wanted)

# checkpoint/recovery_time would have it lowered again.
too_slow(wanted) if max({wanted, wal.raised(wanted)}) > wishes.rto.seconds * wal.replay_rate

too_slow(wanted) if wanted > wishes.rto.seconds * wal.replay_rate

buffers := model.changed("shared_buffers")

times := settings.number("wal/removed_not_recycled", "buffers_times")
