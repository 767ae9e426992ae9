# METADATA
# title: archive_command succeeds even when it fails
# description: |
#   PostgreSQL removes a segment of WAL once archive_command has returned 0. With `|| true`, `; exit 0` or a trailing `&` that is what it
#   always returns: a full disk, a lost mount or expired credentials go unnoticed, the archive has a gap, and no base backup before
#   the gap can be replayed past it. Such an archive is not taken for evidence of backups either.
#   A command whose words are put together, or that goes on after a failure by means that are not read, is a warning.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-ARCHIVING-WAL
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Let the command return the status of the copy; PostgreSQL tries again until it is 0.
#   sources: []
package walguard.checks.backup.archive_hides_errors

import data.walguard.lib.archive
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	setting := model.written.archive_command
	not "archive_command" in object.keys(get.map(model.cluster, "managed"))
	archive.hides_errors(setting.text)
	f := finding.at(setting, sprintf("archive_command hides its errors (%q): a segment that was not archived is deleted, and the gap ends every restore. Let it return the status of the copy.", [setting.text]))
}

# What nobody can read is not known to keep anything.
findings contains f if {
	setting := model.written.archive_command
	not "archive_command" in object.keys(get.map(model.cluster, "managed"))
	words := archive.unseen(setting.text)
	count(words) > 0
	f := finding.with_severity(
		finding.at(setting, sprintf("archive_command has %s, so walguard cannot tell that every segment is kept. Write one plain copy: test ! -f /archive/%%f && cp %%p /archive/%%f.", [words[0]])),
		"warning",
	)
}
