# METADATA
# title: WAL limits smaller than two segments
# description: |
#   min_wal_size and max_wal_size must each hold at least two segments: '"max_wal_size" must be at least twice
#   "wal_segment_size"', and the server does not start. With segments of 1 GB the innocent max_wal_size=1GB is enough for that.
#   Left alone they fit: initdb writes 64 segments for the one and 5 for the other into postgresql.conf.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-MAX-WAL-SIZE
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Raise the limit to two segments or more (64 segments for max_wal_size and 5 for min_wal_size are the defaults), or make the cluster with smaller segments.
#   sources: [S0, S3]
#   formulas:
#     - limit_bytes < 2 * segment_bytes
package walguard.checks.wal.segment_size_vs_wal_size

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some limit in limits
	setting := limit.setting
	setting.bytes < 2 * model.segment_bytes
	f := finding.with_parameter(
		finding.with_facts(
			finding.at(setting, sprintf("%s has %s=%s and WAL segments of %s: PostgreSQL wants room for two and does not start. Write at least %dMB (the default for this segment size is %dMB)", [
				model.title,
				setting.name,
				setting.text,
				text.bytes(model.segment_bytes),
				megabytes(2),
				megabytes(limit.segments),
			])),
			{"limit_bytes": setting.bytes, "segment_bytes": model.segment_bytes},
		),
		setting, sprintf("%dMB", [megabytes(limit.segments)]),
	)
}

# Each with the number of segments that it has by default.
limits contains {"setting": setting, "segments": 64} if setting := model.changed("max_wal_size")

limits contains {"setting": setting, "segments": 5} if setting := model.changed("min_wal_size")

megabytes(segments) := segments * model.cluster.segment.value
