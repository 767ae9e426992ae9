# METADATA
# title: The WAL segment size is none that PostgreSQL has
# description: |
#   initdb takes a power of two between 1 and 1024 megabytes and refuses everything else (0, 3 and 2048 were tried), so that the
#   cluster is never made.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-initdb.html#APP-INITDB-OPTION-WAL-SEGSIZE
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Choose 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 megabytes.
#   sources: [S0, S3]
package walguard.checks.wal.segment_size_invalid

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	segment.origin == "written"
	not segment.value in model.segment_sizes
	f := finding.at(segment, sprintf("WAL segments of %s MB: initdb takes a power of two from 1 to 1024 and fails, so that the cluster is never created. %s.", [
		get.shown(segment.value),
		nearest,
	]))
}

segment := model.cluster.segment

nearest := sprintf("The nearest are %d and %d", [max(below), min(above)]) if {
	count(below) > 0
	count(above) > 0
}

nearest := "The largest is 1024" if {
	is_number(segment.value)
	count(above) == 0
}

nearest := "The smallest is 1" if {
	is_number(segment.value)
	count(below) == 0
}

nearest := "Write a number" if not is_number(segment.value)

below := {size | some size in model.segment_sizes; is_number(segment.value); size < segment.value}

above := {size | some size in model.segment_sizes; is_number(segment.value); size > segment.value}
