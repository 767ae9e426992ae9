# METADATA
# title: Files that a crash recovery needs are removed at every start
# description: |
#   After a crash the server replays WAL from the last checkpoint on. pg_resetwal throws it away, and so does who removes the files of pg_wal to make room:
#   transactions are lost, and pages may contradict one another. As a remedy of the last resort it is run once, by hand, on a copy; a container of the pod runs it
#   whenever the pod starts, and so after the next crash as well. Without backup_label a server that was copied while it ran starts from the wrong checkpoint, and without pg_xact or
#   pg_control nobody knows what was committed. A warning where another pod does so, on a volume or by way of kubectl, ssh or nsenter: it may be that one time. Not told where a condition stands before it, or other data are brought (a base backup, initdb).
# related_resources:
#   - https://www.postgresql.org/docs/current/app-pgresetwal.html
#   - https://www.postgresql.org/docs/current/wal-internals.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take the command out. Where the server does not start, restore a backup; where pg_wal fills the volume, find what keeps it (slots, a failing archive_command).
#   sources: []
package walguard.checks.durability.wal_removed

import data.walguard.lib.finding
import data.walguard.model.cuts

findings contains f if {
	some cut in cuts.found
	f := finding.at(cut, sprintf("Container %s %s whenever it starts: %s. Remove that, and restore a backup where the server does not start.", [cut.name, cut.what, consequence(cut.what)]))
}

findings contains f if {
	some cut in cuts.elsewhere
	f := finding.with_severity(
		finding.at(cut, sprintf("Container %s %s%s: %s. Stop the server and copy its data first, or restore a backup.", [cut.name, cut.what, whose(cut.what), consequence(cut.what)])),
		"warning",
	)
}

consequence("removes backup_label") := "a copy that was made while the server ran starts from the wrong checkpoint, and its data are inconsistent"

consequence("removes files of the data directory") := "it does not start any more, or does not know what was committed"

consequence(what) := "the WAL that the server needs after a crash is gone, and its data are inconsistent" if not what in {"removes backup_label", "removes files of the data directory"}

whose("runs pg_resetwal") := " on a server's data"

whose(what) := " of a server" if what != "runs pg_resetwal"
