# METADATA
# title: Small WAL segments on a fast WAL volume
# description: |
#   With 16 MB segments a server that writes 500 MB of WAL a second changes segments 31 times a second; each change is a flush, a file to
#   recycle and one to archive (single files took 0.5 to 2.7 s to archive in the source's log). With segments of 1 GB the same
#   benchmark ran slightly better. The gain is small and the size is fixed at initdb, so this is info for new clusters; larger
#   segments make the floor of pg_wal and each archived file larger too.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-initdb.html#APP-INITDB-OPTION-WAL-SEGSIZE
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Make write-heavy clusters with segments of 64 MB or more.
#   sources: [S0, S3]
#   settings:
#     minimum_mbps: {default: 500, description: "Write bandwidth in MB/s of a WAL volume of its own, from which on larger segments pay. A heuristic."}
#   formulas:
#     - segments_per_second == floor(throughput_bytes_per_second / segment_bytes)
package walguard.checks.wal.segment_size_small

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	segment.value <= 16
	segment.origin in {"written", "postgres"}

	# Of a cluster that is there the size cannot be changed any more.
	not before.cluster.segment
	some volume in model.wal_volumes
	not volume.shared
	volume.disk.throughput_bytes_per_second >= minimum_mbps * 1000000
	f := finding.with_facts(
		finding.at(segment, sprintf("WAL segments of %d MB on a volume of %s: up to %d segments a second to switch, recycle and archive. For heavy writes create the cluster with 64 MB or more; it cannot be changed later.", [
			segment.value,
			volume.disk.throughput_text,
			a_second(volume),
		])),
		{"throughput_bytes_per_second": volume.disk.throughput_bytes_per_second, "segment_bytes": model.segment_bytes, "segments_per_second": a_second(volume)},
	)
}

segment := model.cluster.segment

minimum_mbps := settings.number("wal/segment_size_small", "minimum_mbps")

a_second(volume) := floor(volume.disk.throughput_bytes_per_second / model.segment_bytes)
