# METADATA
# title: The tag of the image names no version
# description: |
#   A tag such as "latest" or "alpine", or none, means another image after the next release. A new pod then brings another major,
#   which does not start on the data that are there, or another minor release on one instance than on the others. A digest pins the
#   image, and a tag with the major pins what the data directory needs. Of TimescaleDB the extension's version counts too: its library is called
#   timescaledb-2.22.0.so, and a database made with one that the next image lacks answers every query with "could not access file". The official tags
#   of no version have been PostgreSQL 18 or later since September 2025, whose image keeps the data elsewhere and refuses a volume at /var/lib/postgresql/data: an error.
#   A tag of the major alone, "16", moves to the next Debian too, whose glibc sorts text otherwise (2.36 in bookworm, 2.41 in trixie): indexes on text miss rows. Reported where imagePullPolicy is Always,
#   and not for the locales C and POSIX, ICU and the builtin provider.
# related_resources:
#   - https://kubernetes.io/docs/concepts/containers/images/#image-names
#   - https://www.postgresql.org/docs/current/upgrading.html
#   - https://github.com/docker-library/postgres/pull/1259
#   - https://github.com/docker-library/postgres/issues/1356
#   - https://github.com/timescale/timescaledb-docker-ha/issues/601
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the version that runs (SHOW server_version) into the tag.
#   sources: []
package walguard.checks.image.floating_tag

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.model
import data.walguard.model.image

findings contains f if {
	image.persistent
	images.floating(image.reference)
	not model.cluster.outgrown
	f := finding.at(image.own_image, sprintf("The image %s names no version: a later pull may bring another major of PostgreSQL, which does not start on this data. Write the version that runs now (SHOW server_version) into the tag.", [image.reference]))
}

# A new server does not start there, and one that has run for long does not after the next pull.
findings contains f if {
	image.persistent
	where := model.cluster.outgrown
	f := finding.with_severity(
		finding.at(image.own_image, sprintf("The image %s is PostgreSQL 18 or later by now, which refuses to start with a volume at %s. Write the version that the data are of into the tag, or mount a new volume at /var/lib/postgresql.", [image.reference, where])),
		"error",
	)
}

findings contains f if {
	image.persistent
	images.timescale_moves(image.reference)
	f := finding.at(image.own_image, sprintf("The image %s names no version of TimescaleDB: the next pull may bring one that lacks the library of the extension in these databases. Write the version that runs (\\dx) into the tag.", [image.reference]))
}

findings contains f if {
	image.persistent
	model.cluster.libc_moves
	f := finding.at(image.own_image, sprintf("The image %s is pulled at every start and names no Debian release: the next one brings a glibc that sorts differently, and indexes miss rows. Write the release that runs now (/etc/os-release) into the tag: %s-bookworm.", [image.reference, images.tag(image.reference)]))
}
