# METADATA
# title: The parameter is newer than this version
# description: |
#   A parameter of a later major version is as unknown to the server as a misspelt one, and it does not start. Tuning
#   advice is mostly written for the newest version: io_method came with 18, summarize_wal with 17, reserved_connections with 16.
# related_resources:
#   - https://www.postgresql.org/docs/release/
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take it out until the cluster runs that version.
#   sources: [S3]
package walguard.checks.parameters.too_new

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some name in model.strangers
	row := data.walguard.postgres.parameters[name]
	row.since > model.major
	setting := model.written[name]
	f := finding.with_severity(
		finding.with_removal(
			finding.at(setting, sprintf("%s=%s: new in PostgreSQL %d; with PostgreSQL %d %s. Remove it until the cluster runs %d.", [
				name,
				setting.text,
				row.since,
				model.major,
				model.rejection.consequence,
				row.since,
			])),
			setting,
		),
		model.rejection.severity,
	)
}
