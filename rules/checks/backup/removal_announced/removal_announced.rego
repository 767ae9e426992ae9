# METADATA
# title: The operator will take away what the backups rest on
# description: |
#   CloudNativePG announced that the Cluster's own barmanObjectStore goes with 1.31.0; the Barman Cloud plugin takes its place. An update of the
#   operator before the change ends WAL archiving and backups.
# related_resources:
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/docs/src/release_notes/v1.30.md
#   - https://cloudnative-pg.io/plugin-barman-cloud/docs/migration/
# custom:
#   severity: info
#   since: 0.1.0
#   tables: [operators/removals]
#   remediation: Move to what takes its place before the operator is updated.
#   sources: []
package walguard.checks.backup.removal_announced

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some removal in model.cluster.removals
	removal.of == "backups"
	f := finding.at_path(removal.path, sprintf("%s ends with %s: after that update there are no backups and no WAL archive. Move to %s first.", [removal.what, removal.release, removal.instead]))
}
