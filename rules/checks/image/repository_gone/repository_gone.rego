# METADATA
# title: The image is gone from where it is pulled
# description: |
#   Since 2025-08-28 Bitnami publishes its images for paying customers; of docker.io/bitnami/postgresql only the tag "latest" is left, and what was there
#   is in docker.io/bitnamilegacy, without updates. A pod that comes to a node without a copy of the image stays in ImagePullBackOff,
#   which for a database is the moment of a failover or of a drained node (error); so does one whose exporter, init container or other companion is of such an image (postgres-exporter, os-shell, kubectl, bitnami-shell), and a pooler, a backup or a client of one, and a release of the charts before 17, whose own image is one of them; an image that is not updated any more keeps the faults it
#   has (warning). Images on Debian 8 to 10, CentOS 7 and Oracle Linux 7 were not copied there, and neither are releases of PostgreSQL since then. docker.io/library has the image postgres alone, and none called postgresql, postgis, timescaledb, pgvector or pgbouncer; nor has postgres a tag with three numbers since PostgreSQL 10 (errors; a warning of a name
#   without a registry, which may be one's own image).
# related_resources:
#   - https://github.com/bitnami/containers/issues/83267
#   - https://github.com/bitnami/containers/issues/96169
#   - https://github.com/bitnami/containers/issues/82491
#   - https://github.com/bitnami/containers/issues/86722
#   - https://github.com/bitnami/charts/issues/36229
#   - https://github.com/docker-library/official-images/tree/master/library
# custom:
#   severity: error
#   since: 0.1.0
#   tables: [lib/image/repositories]
#   remediation: Take an image that is maintained, or keep a copy in a registry of your own.
#   sources: []
package walguard.checks.image.repository_gone

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.model.image
import data.walguard.model.tools

findings contains f if {
	row := images.gone(image.reference)
	row.state == "gone"
	f := finding.at(image.own_image, sprintf("%s cannot be pulled since %s: a pod on a node without a copy of it does not start. %s; move to a maintained image.", [
		image.reference,
		row.since,
		whereabouts(row, "What was there is in"),
	]))
}

# Up to release 16 of the chart its own image has a tag with a date, which is not written anywhere.
findings contains f if {
	own := sprintf(".%s", [placeholder.elsewhere])
	endswith(image.own_image.value, own)
	repository := split(image.own_image.value, ":")[0]
	row := [row | some row in data.walguard.lib.image.repositories.rows; repository in row.repositories; row.now][0]
	f := finding.at(image.own_image, sprintf("The image of this release of the chart is one of %s, and since %s none of those can be pulled: a pod on a node without a copy of it does not start. %s; move to a maintained image.", [
		repository,
		row.since,
		whereabouts(row, "What was there is in"),
	]))
}

whereabouts(row, words) := sprintf("%s %s, without updates", [words, row.now])

whereabouts(row, _) := "It was not copied to another place" if not row.now

findings contains f if {
	some one in tools.gone
	f := finding.at(one, sprintf("%s cannot be pulled since %s: %s. %s; take a maintained one.", [one.reference, one.row.since, one.follows, whereabouts(one.row, "It is in")]))
}

findings contains f if {
	row := images.gone(image.reference)
	row.state == "frozen"
	f := finding.with_severity(
		finding.at(image.own_image, sprintf("%s has had no updates since %s, security fixes included. Move to a maintained image.", [image.reference, row.since])),
		"warning",
	)
}

# Where nothing is pulled, the node has an image of that name.
findings contains f if {
	one := images.unpublished(image.reference)
	image.own_image.path
	not kept_on_the_node
	f := finding.with_severity(
		finding.at(image.own_image, sprintf("%s cannot be pulled: %s, and the pod stays in ImagePullBackOff%s. Write %s.", [
			image.reference,
			one.reason,
			{true: "", false: " unless it was built on the node"}[one.certain],
			one.instead,
		])),
		{true: "error", false: "warning"}[one.certain],
	)
}

kept_on_the_node if {
	path := image.own_image.path
	object.get(k8s.object, array.concat(array.slice(path, 0, count(path) - 1), ["imagePullPolicy"]), "") == "Never"
}
