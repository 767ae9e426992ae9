# METADATA
# title: Vacuum waits until much of a table is dead
# description: |
#   autovacuum_vacuum_scale_factor is the share of a table that must be dead before autovacuum looks at it; the default is 0.2, and busy
#   clusters take less. At 0.6, which one source (S2) sets for a benchmark, a table of 100 GB carries up to 60 GB of dead rows, which
#   every scan reads and no later vacuum gives back to the disk. For the whole cluster anything above 0.4 only puts the work off;
#   that bound is a heuristic.
# related_resources:
#   - https://www.postgresql.org/docs/current/routine-vacuuming.html#AUTOVACUUM
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave autovacuum_vacuum_scale_factor at 0.2 or lower; raise it for single tables by a storage parameter.
#   sources: [S2]
#   settings:
#     highest_percent: {default: 40, description: Dead share of a table in percent that may be waited for. A heuristic.}
package walguard.checks.vacuum.scale_factor

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model

findings contains f if {
	setting := model.changed("autovacuum_vacuum_scale_factor")
	percent := round(setting.value * 100)
	percent > settings.number("vacuum/scale_factor", "highest_percent")
	f := finding.with_parameter(
		finding.at(setting, sprintf("autovacuum_vacuum_scale_factor=%s: a table is vacuumed only once %d %% of its rows are dead, and does not shrink afterwards. Set it to 0.2, the default, or less.", [
			setting.text,
			percent,
		])),
		setting,
		"0.2",
	)
}
