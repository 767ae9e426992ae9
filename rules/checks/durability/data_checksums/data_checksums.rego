# METADATA
# title: Damaged pages go unnoticed
# description: |
#   Without data checksums PostgreSQL cannot tell a page that the disk returned wrongly from a good one: the damage is read,
#   copied to replicas and kept in backups until no good copy is left. Checksums find it when the page is read; they do not repair it.
#   They cost a few percent of CPU at most, and are chosen by initdb, which has them on by default since PostgreSQL 18 only. Later
#   a stop of the whole cluster is needed (pg_checksums), which few operators offer; a new cluster and a copy are the usual way.
#   A warning where they are refused or WAL is archived, else advice.
#   S1 speaks of checksums of 8 bytes; PostgreSQL's have 2. S2 saw reads cause heavy writing, since hint bits are logged
#   as full pages: that is so with checksums or wal_log_hints=on only, and is what they cost in WAL.
# related_resources:
#   - https://www.postgresql.org/docs/current/checksums.html
#   - https://www.postgresql.org/docs/current/app-initdb.html#APP-INITDB-DATA-CHECKSUMS
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Turn on data checksums where the cluster is created (initdb --data-checksums).
#   sources: [S1, S2]
package walguard.checks.durability.data_checksums

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	checksums.value == false
	f := finding.with_severity(
		finding.at(checksums, sprintf("%s is made without data checksums (%s%s): a page that the disk damages is read as if it were good, and reaches replicas and backups. They are chosen when the cluster is created; turn them on there", [
			model.title,
			text.path(checksums.path),
			by_whom,
		])),
		severity,
	)
}

checksums := model.cluster.checksums

by_whom := " asks for none" if checksums.origin == "written"

by_whom := sprintf(" does not ask for them, and initdb of PostgreSQL %d makes none by default", [model.major]) if {
	checksums.origin != "written"
	model.major
}

# Whoever archives WAL means to keep the data, and keeps the damage with them; a sample without a word is advised.
severity := "warning" if kept

severity := "info" if not kept

kept if checksums.origin == "written"

kept if model.cluster.archiving.value == "on"
