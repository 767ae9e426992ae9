# METADATA
# title: WAL that a crash recovery needs is removed at every start
# description: |
#   After a crash the server replays WAL from the last checkpoint on. pg_resetwal throws it away, and so does who removes the files of pg_wal to make room:
#   transactions are lost, and pages may contradict one another. As a remedy of the last resort it is run once, by hand, on a copy; a container of the pod runs it
#   whenever the pod starts, and so after the next crash as well. Not told where a condition stands before it, or other data are brought (a base backup, initdb).
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
	f := finding.at(cut, sprintf("Container %s %s whenever it starts: the WAL that the server needs after a crash is gone, and its data are inconsistent. Remove that, and restore a backup where the server does not start.", [cut.name, cut.what]))
}
