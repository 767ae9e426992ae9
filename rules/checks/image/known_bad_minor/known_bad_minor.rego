# METADATA
# title: A minor release with a known fault
# description: |
#   Some minor releases damage data or break what worked, and were followed by one that mends it within weeks. Indexes that 14.0 to 14.3 built
#   CONCURRENTLY can lack rows. The releases of 2024-11-14 broke extensions that were built before them, and settings of roles. With those of
#   2026-02-12 a standby can stop replaying WAL. A minor release is changed by the image alone; data stay as they are.
# related_resources:
#   - https://www.postgresql.org/docs/release/14.4/
#   - https://www.postgresql.org/docs/release/17.2/
#   - https://www.postgresql.org/docs/release/18.3/
# custom:
#   severity: warning
#   since: 0.1.0
#   tables: [postgres/releases]
#   remediation: Update to the newest minor release of the same major.
#   sources: []
package walguard.checks.image.known_bad_minor

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.image
import data.walguard.postgres

findings contains f if {
	model.edition == "postgresql"
	some row in postgres.releases.faults
	row.major == model.major
	image.minor >= row.first
	image.minor <= row.last
	f := finding.at(image.own_major, sprintf("PostgreSQL %s: %s. Update to %s or newer%s.", [
		image.version,
		row.fault,
		row.fixed,
		concat("", [sprintf(", %s", [after]) | after := row.after]),
	]))
}
