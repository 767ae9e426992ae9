# METADATA
# title: WAL is kept for an archiver that does not exist
# description: |
#   With archive_mode=on and neither archive_command nor archive_library PostgreSQL keeps every WAL segment until somebody sets one
#   ("archive_mode enabled, yet archiving is not configured"): pg_wal grows until its volume is full, and the server stops. Some do so to switch
#   archiving on later without a restart; a command that succeeds, /bin/true, does that and lets the segments go. It is an error where an empty archive_command is written; where none is, another
#   file or ALTER SYSTEM may have it.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-ARCHIVE-COMMAND
#   - https://www.postgresql.org/docs/current/continuous-archiving.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set archive_command to what archives WAL, or archive_mode to off.
#   sources: []
package walguard.checks.backup.archive_command_empty

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	mode := model.changed("archive_mode")
	mode.origin == "written"
	mode.value in {"on", "always"}
	trim_space(model.parameter("archive_command").text) == ""
	not by_library
	fault := finding.at(mode, sprintf("archive_mode=%s without archive_command or archive_library: every WAL segment is kept, until the volume is full and the server stops. Set archive_command, or archive_mode to off.", [mode.value]))
	f := object.union(fault, {"severity": "error" | model.written.archive_command})
}

by_library if trim_space(model.parameter("archive_library").text) != ""
