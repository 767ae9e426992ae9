# METADATA
# title: The version of PostgreSQL is not known
# description: |
#   The image that is written names no major of PostgreSQL, so that parameters are judged by what all known majors have in
#   common; or none is written for a cluster that is recovered from a backup, which only a server of the same major can read, or for a new one, which gets
#   the default that its operator has on that day; or it names one that is newer than what walguard knows, and the newest known one stands for it. What is said of other
#   versions may then be wrong, and faults of this one are missed. A change from or to such an image may bring another major, which refuses the data (a warning).
# related_resources:
#   - https://www.postgresql.org/support/versioning/
# custom:
#   severity: info
#   since: 0.1.0
#   tables: [postgres/releases]
#   remediation: Write the major of PostgreSQL at the beginning of the tag, or update walguard.
#   sources: []
package walguard.checks.image.version_unknown

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.model
import data.walguard.model.before
import data.walguard.model.image
import data.walguard.postgres

findings contains f if {
	unshown
	not changed_on_the_same_volume
	f := finding.at(image.own_image, sprintf("The image %s does not show its PostgreSQL version: parameters are checked by what %d to %d have in common.", [
		image.reference,
		postgres.major_min,
		postgres.major_max,
	]))
}

unshown if {
	not model.major
	image.reference
	not images.floating(image.reference)
}

# Of two changes through such an image the first one says another major, and neither shows it.
findings contains f if {
	unshown
	changed_on_the_same_volume
	f := finding.with_severity(
		finding.at(image.own_image, sprintf("PostgreSQL %d becomes %s, whose version is not shown: if it is another major, the server refuses the data. Write the tag with the version as well.", [before.cluster.major.value, image.reference])),
		"warning",
	)
}

changed_on_the_same_volume if {
	model.cluster.upgrade.by == "nobody"
	image.persistent
	before.cluster.major.value
}

findings contains f if {
	model.cluster.upgrade.by == "nobody"
	image.persistent
	model.major
	not before.cluster.major
	not images.floating(image.reference_before)
	f := finding.with_severity(
		finding.at(image.own_major, sprintf("%s, whose version is not shown, becomes PostgreSQL %d: if the data are of another major, the server refuses them. Look at PG_VERSION in the data directory first.", [image.reference_before, model.major])),
		"warning",
	)
}

findings contains f if {
	place := model.cluster.copied_without_image
	f := finding.at(place, sprintf("The cluster is recovered, and nothing says of which major: the operator's image of the day (%s) may be another one than the backup's, and the server does not start then. Write the image of the backup.", [place.field]))
}

findings contains f if {
	place := model.cluster.image_of_the_day
	f := finding.at(place, sprintf("No %s: a new cluster gets the operator's default image, which is of another major in later releases. Write the image that runs, so that this manifest makes the same server again.", [place.field]))
}

findings contains f if {
	model.uncharted
	f := finding.at(image.own_major, sprintf("PostgreSQL %d is newer than walguard knows: it is checked as %d. Make sure that the version exists, and update walguard.", [
		model.major,
		postgres.major_max,
	]))
}
