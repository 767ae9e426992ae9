# METADATA
# title: WAL archiving is switched off
# description: |
#   From this change on no WAL is kept: the cluster can only be restored to the base backups that it has, and not to any moment after
#   the last of them. Where it is switched on again later, the gap needs a new base backup. What switches it off by itself, by ALTER SYSTEM in a Job or by what Patroni keeps, is reported too, whether the
#   server archives or not.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave the archive configured; to move it, name the new place in the same change and take a base backup.
#   sources: []
package walguard.checks.change.archiving_off

import data.walguard.lib.archive
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	before.cluster.archiving.value == "on"
	archiving := model.cluster.archiving
	archiving.value in {"off", "discards"}
	f := finding.at(archiving, "WAL archiving was on and this change switches it off: from now on there is no recovery to a point in time. Leave it on, or name the new archive in the same change.")
}

# A change by itself – SQL of a Job, what Patroni keeps – of a server that may archive.
findings contains f if {
	model.cluster.by_hand
	some name in ["archive_command", "archive_mode"]
	setting := model.written[name]
	keeps_nothing(name, setting.text)
	f := finding.at(setting, sprintf("%s=%s archives nothing: where backups need WAL, none of them can be restored to a later point in time. Leave it to whoever set up the archive.", [name, setting.text]))
}

keeps_nothing("archive_mode", text) if get.lower_case(text) in {"off", "false", "no", "0"}

keeps_nothing("archive_command", text) if archive.does_nothing(text)
