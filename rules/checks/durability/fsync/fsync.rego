# METADATA
# title: PostgreSQL does not wait for the disk
# description: |
#   With fsync=off PostgreSQL leaves it to the kernel when and in what order pages and WAL reach the disk. When the node or the
#   disk fails, WAL that was to repair a page may be missing while the page is there, and the database is corrupt – beyond what
#   crash recovery can do, and not always visibly. PostgreSQL's documentation allows it only where the whole database can be
#   made anew from elsewhere, and says that good hardware is no justification. What makes commits slow is waiting for WAL:
#   synchronous_commit=off spares that wait, loses 0.6 seconds of commits at most, and never corrupts.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-FSYNC
#   - https://www.postgresql.org/docs/current/wal-async-commit.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set fsync to on. For faster commits of data that may be lost set synchronous_commit to off instead.
#   sources: [S1]
#   cel:
#     - {operators: [cnpg, crunchy, percona, zalando], found: variables.fsync in variables.false_texts}
package walguard.checks.durability.fsync

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.containers

findings contains f if {
	setting := model.changed("fsync")
	setting.value == false
	f := finding.with_parameter(
		finding.at(setting, sprintf("fsync=%s: PostgreSQL does not wait for the disk, so that a crash of the node corrupts the database beyond recovery. Turn it on; where commits are too slow, synchronous_commit=off is safe and loses at most the last 0.6 seconds.", [
			setting.text,
		])),
		setting,
		"on",
	)
}

findings contains f if {
	some library in containers.unsynced
	f := finding.at(library, sprintf("%s makes every fsync of the server do nothing, so that a crash of the node corrupts the database beyond recovery, whatever fsync says. Take it out; where commits are too slow, synchronous_commit=off is safe and loses at most the last 0.6 seconds.", [library.name]))
}
