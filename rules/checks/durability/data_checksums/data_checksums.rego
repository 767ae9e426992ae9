# METADATA
# title: Damaged pages go unnoticed
# description: |
#   Without data checksums PostgreSQL cannot tell a page that the disk returned wrongly from a good one: the damage is read,
#   copied to replicas and kept in backups until no good copy is left. Checksums find it when the page is read; they do not repair it.
#   They cost a few percent of CPU at most, and are chosen by initdb, which has them on by default since PostgreSQL 18 only. Later
#   a stop of the whole cluster is needed (pg_checksums), which few operators offer; a new cluster and a copy are the usual way. From
#   PostgreSQL 19 on a running server can switch them on (pg_enable_data_checksums).
#   A warning where the cluster is being created, or where a manifest refuses them; info for a cluster that is there, which cannot
#   cure it in place.
#   S1 speaks of checksums of 8 bytes; PostgreSQL's have 2. S2 saw reads cause heavy writing, since hint bits are logged
#   as full pages: that is so with checksums or wal_log_hints=on only, and is what they cost in WAL.
# related_resources:
#   - https://www.postgresql.org/docs/current/checksums.html
#   - https://www.postgresql.org/docs/current/app-initdb.html#APP-INITDB-DATA-CHECKSUMS
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Turn on data checksums when the cluster is created (initdb --data-checksums); from PostgreSQL 19 on with pg_enable_data_checksums() too.
#   sources: [S1, S2]
package walguard.checks.durability.data_checksums

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	checksums.value == false
	f := finding.with_severity(
		finding.at(checksums, sprintf("No data checksums%s: disk damage goes unnoticed into replicas and backups. %s.", [by_whom, cure])),
		severity,
	)
}

checksums := model.cluster.checksums

by_whom := sprintf(" (%s refuses them)", [text.path(checksums.path)]) if checksums.origin == "written"

by_whom := sprintf(" (the default of PostgreSQL %d)", [model.major]) if {
	checksums.origin != "written"
	model.major
}

cure := sprintf("Set %s when the cluster is created", [text.path(checksums.path)]) if {
	not switchable
	checksums.path[count(checksums.path) - 1] == "dataChecksums"
} else := "Turn them on when the cluster is created (initdb --data-checksums)" if {
	not switchable
} else := "Turn them on with SELECT pg_enable_data_checksums(), which works in a running server"

switchable if model.major >= 19

# At its creation a cluster can have them for one line; later they cost a new cluster.
severity := "warning" if {
	k8s.operation == "CREATE"
} else := "warning" if {
	checksums.origin == "written"
	not exists
} else := "info"

exists if k8s.operation == "UPDATE"

exists if get.string(k8s.object, ["metadata", "uid"])
