# METADATA
# title: The repository moves to a path where nothing is
# description: |
#   PGO and Percona's operator create pgBackRest's stanza in a repository that is new to them, which they tell by bucket, endpoint and region. Another repoN-path in the same bucket is no
#   new repository: archive-push and backups fail with "unable to find a valid repository" and "unable to load info file", WAL stays on the data volume, and it fills.
#   A repository that gets another number is another one to whoever knows its backups by the number: Percona's operator deletes the PerconaPGBackups that it does not find there.
# related_resources:
#   - https://github.com/CrunchyData/postgres-operator/issues/3711
#   - https://github.com/openeverest/openeverest-operator/pull/468
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/pgbackrest/util.go
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Keep the path; or change it together with the bucket, or run pgbackrest stanza-create after the change and take a full backup.
#   sources: []
package walguard.checks.change.archive_moved

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

# What was one repository is another one now, under a name that stands for something else.
findings contains f if {
	some name, entry in model.cluster.numbered_places
	old := before.cluster.numbered_places[name]
	old.text != entry.text
	now := [other | some other, place in model.cluster.numbered_places; place.text == old.text]
	count(now) > 0
	f := finding.with_severity(
		finding.at(entry, sprintf("%s becomes %s, and what was %s is %s now: %s. Leave the repositories that have backups at their numbers, and give a new one the next.", [name, entry.text, name, now[0], entry.consequence])),
		entry.level,
	)
}

findings contains f if {
	some name, entry in model.cluster.archive_places
	old := before.cluster.archive_places[name]
	old.text != entry.text
	f := finding.at(entry, sprintf("The path of %s goes from %s to %s, and the operator creates no stanza there: archiving and backups fail. Keep the path, or run pgbackrest stanza-create and a full backup after the change.", [name, old.text, entry.text]))
}
