# METADATA
# title: Creating a WAL segment stalls commits
# description: |
#   A new segment is filled with zeros before it is used, and commits wait for it when WAL runs ahead of the segments at hand. At 270 MB/s that takes 4
#   seconds for a segment of 1 GiB, and 62 ms for the usual 16 MiB. Where a disk has credits, it is their rate that counts. Segments are recycled, not created, as long as max_wal_size is above
#   what a checkpoint interval writes, so a larger max_wal_size is the cheapest cure; the segment size itself is fixed at initdb.
#   S0 and S3 call zero-filling the biggest problem; their own log contradicts that, with 788 segments removed and none
#   recycled, and part of the stalls it shows are files of the archiver (0.5 to 2.7 s for one .ready file). What S0 calls
#   a symbolic link in the making of a segment is a hard link: S3 prints the call.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-WAL-INIT-ZERO
#   - https://www.postgresql.org/docs/current/wal-configuration.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Raise max_wal_size so that segments are recycled; for a new cluster choose smaller segments or a faster disk.
#   sources: [S0, S3]
#   settings:
#     stall_milliseconds: {default: 500, description: Time that filling one segment may take.}
#   formulas:
#     - stall_milliseconds == floor((segment_bytes * 1000) / throughput_bytes_per_second)
package walguard.checks.wal.init_zero_stall

import data.walguard.lib.budget
import data.walguard.lib.budget.wal
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	filled
	some id, volume in model.wal_volumes
	not volume.disk.slow
	count(volume.disk.rejections) == 0
	not lasts(volume)
	milliseconds := floor((segment_bytes * 1000) / volume.disk.throughput_bytes_per_second)
	milliseconds > stall_milliseconds
	f := finding.with_facts(
		finding.at(segment, sprintf("Filling a new WAL segment of %s%s takes %s s on the %s (%s), and commits wait for it. %s, so that segments are reused.", [
			budget.shown(segment_bytes),
			once_on,
			text.thousandths(milliseconds),
			disk.label(model.volumes, id),
			disk.gives(volume),
			raise,
		])),
		object.union(disk.facts(volume), {"segment_bytes": segment_bytes, "stall_milliseconds": milliseconds}),
	)
}

# Credits fill a segment in time, and a full load that uses them up is another finding (storage/burst_only).
lasts(volume) if floor((segment_bytes * 1000) / volume.disk.burst.throughput_bytes_per_second) <= stall_milliseconds

zeroed := model.parameter("wal_init_zero")

filled if zeroed.value == true

filled if due

# What is written off where a filesystem needs it has to be turned on, and the stall comes with that.
due if {
	zeroed.value == false
	zeroed.origin == "written"
	some volume in model.wal_volumes
	disk.needs_zeroes(volume)
}

once_on := ", once wal_init_zero is on," if due

once_on := "" if not due

segment := model.cluster.segment

segment_bytes := segment.value * 1048576 if is_number(segment.value)

# Twice the present one, as far as the volume can spare it.
raise := sprintf("Raise max_wal_size (now %s) to %s", [budget.shown(wal.limit.bytes), budget.text(wal.raised(2 * wal.limit.bytes))])

raise := sprintf("Grow the volume and raise max_wal_size (now %s)", [budget.shown(wal.limit.bytes)]) if {
	wal.limit.bytes
	not wal.raised(2 * wal.limit.bytes)
}

raise := "Raise max_wal_size" if not wal.limit.bytes

stall_milliseconds := settings.number("wal/init_zero_stall", "stall_milliseconds")
