# METADATA
# title: Autovacuum is off
# description: |
#   With autovacuum off dead rows pile up until tables and indexes are many times their size, statistics age and plans with them, and the
#   age of transactions grows towards wraparound, where PostgreSQL starts vacuums by itself after all – on all tables at once, at the
#   worst time – and in the end takes no more writes. track_counts=off has the same effect, since autovacuum goes by its counts.
#   For a single table that is loaded at night there is the storage parameter autovacuum_enabled.
# related_resources:
#   - https://www.postgresql.org/docs/current/routine-vacuuming.html
#   - https://www.postgresql.org/docs/current/runtime-config-vacuum.html#GUC-AUTOVACUUM
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Turn autovacuum and track_counts on; tune single tables with storage parameters.
#   sources: [S2, S4]
#   cel:
#     - {operators: [cnpg, crunchy, percona, zalando], found: variables.autovacuum in variables.false_texts}
#     - {operators: [cnpg, crunchy, percona, zalando], found: variables.track_counts in variables.false_texts}
package walguard.checks.vacuum.autovacuum_off

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some setting in settings
	setting.value == false
	f := finding.with_parameter(
		finding.at(setting, sprintf("%s=%s: tables bloat, plans go by old statistics, and in the end PostgreSQL stops taking writes to avoid transaction wraparound. Set it to on.", [
			setting.name,
			setting.text,
		])),
		setting,
		"on",
	)
}

settings contains model.changed("autovacuum")

settings contains model.changed("track_counts")
