# METADATA
# title: Base backups of a standby fail without full page writes
# description: |
#   While it takes a base backup a primary logs full pages whatever full_page_writes says; a standby cannot make it do so.
#   PostgreSQL therefore refuses a base backup of a standby that replayed WAL written without them – "WAL generated with
#   "full_page_writes=off" was replayed since last restartpoint … the backup being taken on the standby is corrupt and should not be
#   used" (seen on 14.23 and 18.4). With full_page_writes=off the cluster silently loses the very backups that were to make up for it. Found where the storage never
#   tears a page; elsewhere durability/full_page_writes says it.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-pgbasebackup.html
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-BASE-BACKUP
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set full_page_writes to on; where the storage never tears a page, take base backups from the primary.
#   sources: [S0, S1]
package walguard.checks.durability.full_page_writes_standby_backup

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.pages

findings contains f if {
	setting.value == false
	pages.safe
	choice.value == true
	f := finding.with_parameter(
		finding.at(setting, sprintf("full_page_writes=%s with base backups from a standby (%s%s): PostgreSQL refuses all of them, so there is no backup to restore. Take them from the primary, or set full_page_writes to on.", [
			setting.text,
			text.path(choice.path),
			by_default,
		])),
		setting, "on",
	)
}

setting := model.changed("full_page_writes")

choice := model.cluster.standby_backup

by_default := ", the operator's default" if choice.origin == "operator"

by_default := "" if choice.origin != "operator"
