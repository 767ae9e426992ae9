# METADATA
# title: PostgreSQL gets no fixes any more
# description: |
#   A major is supported for five years; after its last minor release in November no bugs or security holes are fixed in it. A warning
#   from that day on, info in the half year before. Forks and vendors with support of their own are not checked.
# related_resources:
#   - https://www.postgresql.org/support/versioning/
# custom:
#   severity: warning
#   since: 0.1.0
#   tables: [postgres/releases]
#   remediation: Upgrade to a supported major.
#   sources: []
#   settings:
#     notice_days: {default: 180, description: "days before the end of life from which it is advised of"}
package walguard.checks.image.end_of_life

import data.walguard.lib.finding
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.model.image
import data.walguard.postgres

findings contains f if {
	days <= 0
	f := finding.at(image.own_major, sprintf("PostgreSQL %d has had no fixes since %s, its end of life: security holes stay open. Upgrade to %d.", [
		model.major,
		end,
		newest,
	]))
}

findings contains f if {
	days > 0
	days <= settings.number("image/end_of_life", "notice_days")
	f := finding.with_severity(
		finding.at(image.own_major, sprintf("PostgreSQL %d gets its last fixes on %s, its end of life. Plan the upgrade to %d.", [model.major, end, newest])),
		"info",
	)
}

end := postgres.releases.rows[sprintf("%d", [model.major])].end_of_life if model.edition == "postgresql"

# Whole days until then.
days := (time.parse_rfc3339_ns(sprintf("%sT00:00:00Z", [end])) - k8s.now_nanoseconds) / 86400000000000

# The newest major of the table that is in support for years to come.
newest := max([to_number(major) | some major, row in postgres.releases.rows; row.end_of_life > end])
