# METADATA
# title: WAL archiving is switched off
# description: |
#   From this change on no WAL is kept: the cluster can only be restored to the base backups that it has, and not to any moment after
#   the last of them. Where it is switched on again later, the gap needs a new base backup.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave the archive configured; to move it, name the new place in the same change and take a base backup.
#   sources: []
package walguard.checks.change.archiving_off

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	before.cluster.archiving.value == "on"
	archiving := model.cluster.archiving
	archiving.value in {"off", "discards"}
	f := finding.at(archiving, "WAL archiving was on and this change switches it off: from now on there is no recovery to a point in time. Leave it on, or name the new archive in the same change.")
}
