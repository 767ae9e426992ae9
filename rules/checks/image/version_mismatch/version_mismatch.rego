# METADATA
# title: The image does not fit the resource
# description: |
#   Where version and image are two fields they can disagree, most often after only one of them was changed. PGO and Percona's operator compare them when a pod
#   starts and stop it ("Expected PostgreSQL version"), before anything runs. Zalando's Spilo has several majors, up to that in the image's name, and takes the
#   newest of them where the one that is asked for, or that of the files, is missing: releases of its operator bring images that have lost the oldest. Read from tags of the operators' own images alone. The images of pgBackRest, PgBouncer, the exporter and of upgrades
#   have similar names, and one in the place of another has not the programs that run there. postgis/postgis is built for amd64 alone, and so were Bitnami's images until those on Debian 10 ended: on
#   arm64 (kubernetes.io/arch, an instance type with Graviton) they end with "exec format error". PGO goes no further where neither the resource nor its own variables name an image, and pgAdmin 4.30 of its userInterface opens no database of PostgreSQL 15 or later (a warning). pmm-client has a directory of its own for each major of PMM, and Percona's operator writes into that of the release and the Secret. Images of extensions that CloudNativePG mounts are for one major each, which their tag names, and for
#   PostgreSQL 18 and later alone: the operator writes extension_control_path for them, and an older server does not start with that. It looks for libraries in lib and for control files in share, and images that were made to be copied from (vchord-scratch) have them elsewhere. CloudNativePG reads the major from the digits that begin the tag, a number of a build or a date too, and writes
#   settings of the newest major then. A cluster that is recovered or copied from one in sight needs its major (a warning, since it may have been upgraded afterwards), and the pg_dump of an import refuses a server that is newer. Releases 0.12 to 0.16 of postgres_exporter ask a server of 17 or later for columns of pg_stat_bgwriter that it no longer has (a warning).
# related_resources:
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/postgres/config.go
#   - https://github.com/zalando/spilo/blob/master/postgres-appliance/scripts/configure_spilo.py
#   - https://github.com/CrunchyData/postgres-operator/issues/2847
#   - https://github.com/CrunchyData/postgres-operator/issues/3750
#   - https://github.com/CrunchyData/postgres-operator/issues/3780
#   - https://github.com/percona/percona-postgresql-operator/issues/1066
#   - https://github.com/postgis/docker-postgis
#   - https://cloudnative-pg.io/docs/current/imagevolume_extensions
#   - https://github.com/cloudnative-pg/postgis-containers/issues/62
#   - https://github.com/prometheus-community/postgres_exporter/pull/1072
#   - https://github.com/bitnami/charts/issues/31349
#   - https://github.com/tensorchord/VectorChord-images
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Name the major that the image has, or leave the image to the operator.
#   sources: []
package walguard.checks.image.version_mismatch

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.exporters

findings contains f if {
	has := model.cluster.image_major
	has.value != model.cluster.major.value
	f := finding.at(has, sprintf("The image has PostgreSQL %s and the resource asks for %d: %s. %s.", [
		object.get(has, "range", sprintf("%d", [has.value])),
		model.cluster.major.value,
		has.consequence,
		object.get(has, "cure", "Write the same major in both"),
	]))
}

findings contains f if {
	some wrong in array.concat(get.list(model.cluster, "wrong_images"), exporters.outdated)
	f := graded(finding.at(wrong, sprintf("%s. %s.", [wrong.reason, wrong.cure])), wrong)
}

graded(f, wrong) := finding.with_severity(f, wrong.level)

graded(f, wrong) := f if not wrong.level
