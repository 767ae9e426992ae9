# METADATA
# title: The image is gone from where it is pulled
# description: |
#   Since 2025-08-28 Bitnami publishes its images for paying customers; of docker.io/bitnami/postgresql only the tag "latest" is left, and what was there
#   is in docker.io/bitnamilegacy, without updates. A pod that comes to a node without a copy of the image stays in ImagePullBackOff,
#   which for a database is the moment of a failover or of a drained node (error); an image that is not updated any more keeps the faults it
#   has (warning).
# related_resources:
#   - https://github.com/bitnami/containers/issues/83267
#   - https://github.com/bitnami/containers/issues/96169
# custom:
#   severity: error
#   since: 0.1.0
#   tables: [lib/image/repositories]
#   remediation: Take an image that is maintained, or keep a copy in a registry of your own.
#   sources: []
package walguard.checks.image.repository_gone

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.model.image

findings contains f if {
	row := images.gone(image.reference)
	row.state == "gone"
	f := finding.at(image.own_image, sprintf("%s cannot be pulled since %s: a pod on a node without a copy of it does not start. What was there is in %s, without updates; move to a maintained image.", [
		image.reference,
		row.since,
		row.now,
	]))
}

findings contains f if {
	row := images.gone(image.reference)
	row.state == "frozen"
	f := finding.with_severity(
		finding.at(image.own_image, sprintf("%s has had no updates since %s, security fixes included. Move to a maintained image.", [image.reference, row.since])),
		"warning",
	)
}
