# METADATA
# title: The value is outside the parameter's range
# description: |
#   PostgreSQL takes numbers within the limits of each parameter only – 'is outside the valid range for parameter' – and does
#   not start with another one. A number without a unit counts in the parameter's own one: max_wal_size=16 is 16 MB,
#   shared_buffers=16 is 128 kB. Patroni moves the number to the nearest limit instead. The limits of each version were
#   read from real servers.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-NAMES-VALUES
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write a value within the range; mind the unit.
#   sources: [S3]
package walguard.checks.parameters.out_of_range

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.postgres

findings contains f if {
	some name, reading in model.refused
	postgres.numeric(reading.entry, model.written[name].text)
	setting := model.written[name]
	f := finding.with_severity(
		finding.at(setting, sprintf("%s=%s: %s, and %s. Write a value within the range.", [name, setting.text, reading.reason, consequence])),
		model.rejection.severity,
	)
}

consequence := "the server does not start" if not model.cluster.patroni

consequence := "Patroni uses the nearest limit instead" if model.cluster.patroni
