# METADATA
# title: Backups are never deleted, or a retention has no effect
# description: |
#   WAL is archived all the time, and what nothing deletes piles up. A repository on a volume fills, archive_command fails from then on, PostgreSQL keeps
#   every segment that is not archived, and the data volume fills after it: the database stops (reported of pgBackRest repositories
#   more than once); a warning where backups are scheduled, to it or to another repository, or every object was read, else info. In a bucket it only costs money, and the bucket may have lifecycle rules of its own, so that is info. It is a warning where
#   pgBackRest takes full backups into the bucket: it says at each that the repository may run out of space, and lifecycle rules would delete what its own files still name. A retention does nothing where the method
#   does not read it: CloudNativePG's retentionPolicy is for its own object store alone, and pgBackRest expires when a full backup ends, which has
#   to be scheduled. Info where every moment can be had back for less than three days, and no other repository keeps more: what somebody deletes on a Friday
#   is gone on Monday.
# related_resources:
#   - https://pgbackrest.org/user-guide.html#retention
#   - https://cloudnative-pg.io/plugin-barman-cloud/docs/retention/
#   - https://github.com/debate-map/app/issues/338
#   - https://github.com/CrunchyData/postgres-operator/issues/3814
#   - https://github.com/siutsin/otaru/pull/2680
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set a retention where the method reads it, and schedule the backups that it counts.
#   sources: []
package walguard.checks.backup.retention

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some repository in model.repositories
	not repository.retention
	f := finding.with_severity(
		finding.at(repository, sprintf("Backups and WAL in %s are never deleted: %s. Set %s.", [
			repository.name,
			consequence_of(repository),
			repository.cure,
		])),
		severity(repository),
	)
}

findings contains f if {
	some repository in model.repositories
	repository.idle
	f := finding.at(repository, sprintf("The retention of %s has no effect: %s.", [
		repository.name,
		repository.idle,
	]))
}

# Less than a weekend, in all that there is.
findings contains f if {
	count([1 | some repository in model.repositories; not repository.days < 3]) == 0
	some repository in model.repositories
	not repository.idle
	f := finding.with_severity(
		finding.at(object.union(repository, {"path": repository.days_path}), sprintf("Backups in %s are kept for %s: what is deleted or damaged before a weekend cannot be had back after it. Keep a week or more.", [
			repository.name,
			text.counted(repository.days, "day"),
		])),
		"info",
	)
}

consequence_of(repository) := sprintf("the bucket grows without end, and %s", [repository.complaint]) if {
	repository.store == "objects"
	repository.complaint
} else := consequence[repository.store]

consequence := {
	"volume": "the volume fills, archiving fails, and unarchived WAL fills the data volume",
	"objects": "the bucket grows without end unless it has lifecycle rules",
}

severity(repository) := "warning" if {
	repository.store == "volume"
	in_use(repository)
}

# pgBackRest's own files list its backups: a bucket's lifecycle rules would delete below it what these still name.
severity(repository) := "warning" if {
	repository.store == "objects"
	repository.complaint
}

severity(repository) := "info" if {
	repository.store == "objects"
	not repository.complaint
}

severity(repository) := "info" if {
	repository.store == "volume"
	not in_use(repository)
}

# A sample whose repositories nobody writes to on schedule is advised; what is in a cluster is warned. WAL goes to each, scheduled or not.
in_use(_) if {
	some repository in model.repositories
	repository.scheduled
}

in_use(_) if model.complete
