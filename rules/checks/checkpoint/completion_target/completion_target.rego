# METADATA
# title: Checkpoints write in bursts
# description: |
#   A checkpoint spreads its writes over checkpoint_completion_target of the time to the next one. Below the default of 0.9 the same pages are
#   written in less time, and the disk idles for the rest: at 0.5 the rate of writing is 1.8 times as high. PostgreSQL's documentation
#   advises against lowering it. The default was 0.5 up to PostgreSQL 13.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-CHECKPOINT-COMPLETION-TARGET
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set checkpoint_completion_target to 0.9.
#   sources: [S2, S4]
package walguard.checks.checkpoint.completion_target

import data.walguard.lib.budget
import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	setting := model.parameter("checkpoint_completion_target")
	thousandths := round(setting.value * 1000)
	thousandths < 900
	f := finding.with_parameter(
		finding.with_severity(
			finding.at(setting, sprintf("%s: checkpoints write their pages in %d %% of the time between them%s. Set it to 0.9.", [
				budget.setting(setting),
				round(thousandths / 10),
				rate(thousandths),
			])),
			severities[setting.origin],
		),
		setting,
		"0.9",
	)
}

# 0 is as fast as the disk can.
rate(0) := " and as fast as the disk can"

rate(thousandths) := sprintf(", at %s times the rate that 0.9 needs", [text.tenths(round(9000 / thousandths))]) if thousandths > 0

severities := {"written": "warning", "operator": "info", "postgres": "info"}
