# METADATA
# title: The tag of the image names no version
# description: |
#   A tag such as "latest" or "alpine", or none, means another image after the next release. A new pod then brings another major,
#   which does not start on the data that are there, or another minor release on one instance than on the others. A digest pins the
#   image, and a tag with the major pins what the data directory needs.
# related_resources:
#   - https://kubernetes.io/docs/concepts/containers/images/#image-names
#   - https://www.postgresql.org/docs/current/upgrading.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the version that runs (SHOW server_version) into the tag.
#   sources: []
package walguard.checks.image.floating_tag

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.model.image

findings contains f if {
	image.persistent
	images.floating(image.reference)
	f := finding.at(image.own_image, sprintf("The image %s names no version: after the next release of PostgreSQL it is another major, which does not start on this data. Write the version that runs now (SHOW server_version) into the tag.", [image.reference]))
}
