# METADATA
# title: The parameter is gone from this version
# description: |
#   PostgreSQL removes a parameter from one major version to the next without a period of grace: the new version does not start
#   with the old name, which is found out in the middle of an upgrade. wal_keep_segments went with 13, stats_temp_directory with
#   15, force_parallel_mode and vacuum_defer_cleanup_age with 16, old_snapshot_threshold with 17. Names that
#   PostgreSQL still maps to new ones are no error.
# related_resources:
#   - https://www.postgresql.org/docs/release/
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take it out, or write the parameter that took its place.
#   sources: [S3]
package walguard.checks.parameters.removed

import data.walguard.lib.budget
import data.walguard.lib.finding
import data.walguard.model
import data.walguard.postgres

findings contains f if {
	some name in model.strangers
	row := data.walguard.postgres.parameters[name]
	row.removed <= model.major
	setting := model.written[name]
	heirs := [heir | heir := postgres.successor(name); postgres.entry(heir, model.major)]
	f := finding.with_severity(
		cured(heirs, setting, finding.at(setting, sprintf("%s=%s: removed in PostgreSQL %d; with PostgreSQL %d %s. %s.", [
			name,
			setting.text,
			row.removed,
			model.major,
			model.rejection.consequence,
			cure(heirs),
		]))),
		model.rejection.severity,
	)
}

cured([], setting, f) := finding.with_removal(f, setting)

cured([heir], setting, f) := finding.with_name(f, setting, heir, text_of(setting)) if {
	text_of(setting)
} else := f

text_of(setting) := setting.text if setting.name != "wal_keep_segments"

# Counted in segments, where the one in its place is an amount.
text_of(setting) := budget.text(to_number(setting.text) * model.segment_bytes) if {
	setting.name == "wal_keep_segments"
	regex.match(`^[0-9]{1,6}$`, setting.text)
}

cure([]) := "Remove it"

cure([heir]) := sprintf("Use %s instead", [heir])
