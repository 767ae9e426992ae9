# METADATA
# title: The WAL segment size is set where it cannot be
# description: |
#   initdb fixes the segment size once and for all. As a parameter it keeps the server from starting – 'parameter
#   "wal_segment_size" cannot be changed' – even with the value that the cluster has (seen on 12 to 18). Asking the operator for
#   another size later changes nothing: the manifest no longer says what runs.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-preset.html
#   - https://www.postgresql.org/docs/current/app-initdb.html#APP-INITDB-OPTION-WAL-SEGSIZE
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take wal_segment_size out of the parameters. For another size make a new cluster with it and move the data (dump and restore, or logical replication).
#   sources: [S0, S3]
package walguard.checks.wal.segment_size_immutable

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.before as earlier

findings contains f if {
	f := finding.with_removal(finding.at(setting, sprintf("wal_segment_size=%s is not a setting of a running server, which does not start with it. Remove it; initdb sets the size once.", [setting.text])), setting)
}

findings contains f if {
	segment.value != before.value
	f := finding.at(segment, sprintf("WAL segments of %s MB instead of %s MB: the size was fixed when the cluster was created and does not change. Write %s again; another size needs a new cluster.", [
		get.shown(segment.value),
		get.shown(before.value),
		get.shown(before.value),
	]))
}

setting := model.written.wal_segment_size

segment := model.cluster.segment

before := earlier.cluster.segment
