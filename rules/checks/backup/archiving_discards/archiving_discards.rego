# METADATA
# title: WAL archiving looks on and throws WAL away
# description: |
#   archive_mode is on and archive_command succeeds – CloudNativePG without an archiver ("Backup not configured, skip WAL archiving"),
#   /bin/true in Spilo, KubeBlocks and StackGres – so that nothing complains: the condition ContinuousArchiving
#   stays true, and the WAL is gone. Scheduled base backups need the WAL written meanwhile: none of them can be restored, which is
#   found out when one has to be. The same holds where somebody switched archiving off (CloudNativePG's annotation skipWalArchiving). Volume snapshots bring the WAL that they need with them; without an archive they restore to
#   their own moment only, which is a warning. So is such a command beside an archive_timeout, by which somebody asks for segments in an archive.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/454
#   - https://github.com/zalando/postgres-operator/issues/1772
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Configure the WAL archive together with the schedule (in CloudNativePG a plugin with isWALArchiver), or take the schedule away.
#   sources: [S3]
package walguard.checks.backup.archiving_discards

import data.walguard.lib.archive
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	needing := [schedule | some schedule in asking; not schedule.snapshot]
	count(needing) > 0
	f := finding.at(model.cluster.archiving, sprintf("Archiving is on but throws WAL away, and the scheduled backups (\"%s\") need that WAL: none of them can be restored. Configure the archive, or remove the schedule.", [object.get(needing[0], "text", "")]))
}

findings contains f if {
	count(asking) > 0
	count([1 | some schedule in asking; not schedule.snapshot]) == 0
	f := finding.with_severity(
		finding.at(model.cluster.archiving, sprintf("WAL is not archived: the volume snapshots (\"%s\") restore to the moment they were taken, and what is committed after the last one is lost. Configure an archive for point-in-time recovery.", [object.get(asking[0], "text", "")])),
		"warning",
	)
}

# Who has segments closed by the clock means to find them in an archive.
findings contains f if {
	model.cluster.archiving.value == "discards"
	count(asking) == 0
	timeout := model.changed("archive_timeout")
	timeout.origin == "written"
	timeout.milliseconds > 0
	command := model.changed("archive_command")
	command.origin == "written"
	archive.does_nothing(command.text)

	# Given a segment it fails, which backup/store_unusable reports.
	not regex.match(`\bbackup-push\b`, command.text)
	f := finding.with_severity(
		finding.at(command, sprintf("archive_command=%s throws the WAL away that archive_timeout=%s has closed for it: there is no point-in-time recovery, though archiving looks on. Write a command that copies %%p, or set archive_timeout to 0.", [command.text, timeout.text])),
		"warning",
	)
}

# Switched off in so many words.
findings contains f if {
	model.cluster.archiving.value == "off"
	needing := [schedule | some schedule in needing_wal; not schedule.snapshot]
	count(needing) > 0
	f := finding.at(model.cluster.archiving, sprintf("WAL archiving is switched off, and the scheduled backups (\"%s\") need the WAL written meanwhile: none of them can be restored. Switch it on, or remove the schedule.", [object.get(needing[0], "text", "")]))
}

asking := [schedule |
	model.cluster.archiving.value == "discards"
	some schedule in needing_wal
]

needing_wal := [schedule |
	some schedule in model.schedules
	schedule.needs_wal
	not schedule.suspended
	not schedule.unconfigured
]
