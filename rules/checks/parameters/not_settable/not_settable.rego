# METADATA
# title: The parameter is read-only
# description: |
#   data_checksums, block_size, server_version and their like report how the server was built or the data directory created. Set in
#   postgresql.conf they keep the server from starting – 'parameter "data_checksums" cannot be changed' – even with
#   the value that holds. (wal_segment_size has a check of its own.)
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-preset.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take it out. What initdb decides goes into the operator's section for initdb.
#   sources: [S3]
package walguard.checks.parameters.not_settable

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some name, reading in model.readings
	reading.entry.context == "internal"
	name != "wal_segment_size"
	setting := model.written[name]
	f := finding.with_severity(
		finding.with_removal(
			finding.at(setting, sprintf("%s=%s cannot be set: the parameter only reports how the server was built or its data directory created, and %s. Remove it.", [
				name,
				setting.text,
				model.rejection.consequence,
			])),
			setting,
		),
		model.rejection.severity,
	)
}
