# METADATA
# title: The image changes to another major on the same data
# description: |
#   A server does not start on the data directory of another major – "database files are incompatible with server" – and nothing but
#   pg_upgrade, a dump or logical replication brings the data over. Outside of operators that run pg_upgrade a new tag is an outage until the
#   old one is back. CloudNativePG (1.26 and later) upgrades by itself, between images of one distribution only: from bullseye to bookworm
#   the upgrade fails. Found on UPDATE, where the old image is known.
# related_resources:
#   - https://www.postgresql.org/docs/current/upgrading.html
#   - https://github.com/docker-library/postgres/issues/37
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/docs/src/postgres_upgrades.md
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Keep the image's major; upgrade into a new cluster by dump or logical replication, or run pg_upgrade.
#   sources: []
package walguard.checks.image.major_changed

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before
import data.walguard.model.image

findings contains f if {
	changed
	model.cluster.upgrade.by == "nobody"
	image.persistent
	f := finding.at(image.own_major, sprintf("PostgreSQL %d becomes %d on the same volume: the server refuses data of another major and does not start. Keep %d, and upgrade with pg_upgrade or by a dump into a new cluster.", [
		before.cluster.major.value,
		model.major,
		before.cluster.major.value,
	]))
}

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

changed if before.cluster.major.value != model.major
