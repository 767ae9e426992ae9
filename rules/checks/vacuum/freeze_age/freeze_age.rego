# METADATA
# title: Freezing starts too close to wraparound
# description: |
#   PostgreSQL counts transactions modulo 2^32 and takes no more writes when the oldest row that is not frozen is about 2.1 billion of them
#   old. autovacuum_freeze_max_age (200 million by default) is when it forces a vacuum; the rest is the time that vacuum has. At
#   1.5 billion a cluster with 5,000 transactions a second has 36 hours for its largest table, while vacuums are slowed by long transactions and
#   abandoned slots. The same holds for multixacts. The bound of 1 billion is a heuristic.
# related_resources:
#   - https://www.postgresql.org/docs/current/routine-vacuuming.html#VACUUM-FOR-WRAPAROUND
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave autovacuum_freeze_max_age and autovacuum_multixact_freeze_max_age below 1 billion.
#   sources: [S1]
#   settings:
#     highest_millions: {default: 1000, description: Age in millions of transactions at which freezing must have begun. A heuristic.}
package walguard.checks.vacuum.freeze_age

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	some setting in ages
	millions := floor(setting.value / 1000000)
	millions > highest_millions
	f := finding.with_parameter(
		finding.at(setting, sprintf("%s=%s: vacuums against wraparound begin at an age of %d million, %d million before PostgreSQL stops taking writes. Set it to %d million or less; the default is %s.", [
			setting.name,
			setting.text,
			millions,
			2144 - millions,
			highest_millions,
			defaults[setting.name],
		])),
		setting, replace(defaults[setting.name], " million", "000000"),
	)
}

ages contains model.changed("autovacuum_freeze_max_age")

ages contains model.changed("autovacuum_multixact_freeze_max_age")

defaults := {"autovacuum_freeze_max_age": "200 million", "autovacuum_multixact_freeze_max_age": "400 million"}

highest_millions := settings.number("vacuum/freeze_age", "highest_millions")
