# METADATA
# title: The image changes to another major on the same data
# description: |
#   A server does not start on the data directory of another major – "database files are incompatible with server" – and nothing but
#   pg_upgrade, a dump or logical replication brings the data over. Outside of operators that run pg_upgrade a new tag is an outage until the
#   old one is back. CloudNativePG (1.26 and later) upgrades by itself, between images of one distribution only: from bullseye to bookworm
#   the upgrade fails (a warning where the image is another one and its distribution not known), and so it does where max_slot_wal_keep_size is set and one of the two is 17.0 to 17.5. Barman knows nothing of it: the new server archives
#   from timeline 1 on in the directory of the old one unless it gets another serverName; info where there is no standby to read it. PGO and Percona's operator upgrade by an object of their own, in a cluster that
#   is shut down. Found on UPDATE, where the old image is known.
# related_resources:
#   - https://www.postgresql.org/docs/current/upgrading.html
#   - https://github.com/docker-library/postgres/issues/37
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/docs/src/postgres_upgrades.md
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/7283
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/8426
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/7580
#   - https://github.com/thaum-xyz/ankhmorpork/pull/1088
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Keep the image's major; upgrade into a new cluster by dump or logical replication, or run pg_upgrade.
#   sources: []
package walguard.checks.image.major_changed

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.model
import data.walguard.model.before
import data.walguard.model.image

findings contains f if {
	changed
	model.cluster.upgrade.by == "nobody"
	image.persistent
	f := finding.at(image.own_major, sprintf("PostgreSQL %d becomes %d on the same volume: the server refuses data of another major and does not start. Keep %d, and upgrade with %s or by a dump into a new cluster.", [
		before.cluster.major.value,
		model.major,
		before.cluster.major.value,
		upgrader,
	]))
}

upgrader := sprintf("a %s", [model.cluster.upgrade.way]) if model.cluster.upgrade.way

upgrader := "pg_upgrade" if not model.cluster.upgrade.way

findings contains f if {
	changed
	model.cluster.upgrade.one_distribution
	before.cluster.major.value < model.major
	from := image.libc_before.distribution
	to := image.libc.distribution
	from != to
	f := finding.at(image.own_major, sprintf("PostgreSQL %d becomes %d and %s becomes %s in one step: the operator's pg_upgrade works between images of one distribution only, and fails. Change to a %s image of %d first, then to %d.", [
		before.cluster.major.value,
		model.major,
		from,
		to,
		to,
		before.cluster.major.value,
		model.major,
	]))
}

# Whoever builds another image may build it on another distribution.
findings contains f if {
	changed
	model.cluster.upgrade.one_distribution
	before.cluster.major.value < model.major
	images.name(image.reference_before) != images.name(image.reference)
	count([1 | some one in [image.libc_before, image.libc]; one.distribution]) < 2
	f := finding.with_severity(
		finding.at(image.own_major, sprintf("PostgreSQL %d becomes %d and %s becomes %s in one step: pg_upgrade runs programs of the old image in the new one, and fails unless both are built on one distribution. Change the image with %d first, then to %d.", [
			before.cluster.major.value,
			model.major,
			images.name(image.reference_before),
			images.name(image.reference),
			before.cluster.major.value,
			model.major,
		])),
		"warning",
	)
}

# https://github.com/postgres/postgres/commit/f36e5774: either server, started for the upgrade, refuses it.
findings contains f if {
	upgraded
	setting := model.parameter("max_slot_wal_keep_size")
	setting.origin == "written"
	setting.value != -1
	f := finding.at(image.own_major, sprintf("pg_upgrade fails with max_slot_wal_keep_size=%s and PostgreSQL 17.0 to 17.5. %s, or set it to -1 for the upgrade.", [setting.text, way]))
}

way := sprintf("Upgrade from %d to 17.6 or later", [before.cluster.major.value]) if {
	model.major == 17
	image.minor < 6
}

way := sprintf("Update to 17.6 or later before the upgrade to %d", [model.major]) if {
	before.cluster.major.value == 17
	image.minor_before < 6
}

findings contains f if {
	upgraded
	kept := model.cluster.archive_name
	kept.value == before.cluster.archive_name.value
	f := finding.with_severity(
		finding.at(kept, sprintf("PostgreSQL %d becomes %d and goes on in the archive of before (%s): the new server begins at timeline 1, and %s. In the same change, %s.", [
			before.cluster.major.value,
			model.major,
			kept.value,
			[consequence | some [severity, consequence] in mixed; severity == severity_of_mixed][0],
			sprintf(kept.cure, [model.major]),
		])),
		severity_of_mixed,
	)
}

# A standby reads the history of the old server there; a restore takes the newest one that it finds.
mixed := [
	["warning", "a standby that finds a later timeline of the old one there may not start (\"requested timeline is not a child of this server's history\")"],
	["info", "backups and WAL of both lie in one place, where a restore can take those of the other"],
]

severity_of_mixed := "warning" if model.cluster.instances.value > 1

severity_of_mixed := "info" if not model.cluster.instances.value > 1

upgraded if {
	model.cluster.upgrade.by == "operator"
	before.cluster.major.value < model.major
}

changed if before.cluster.major.value != model.major
