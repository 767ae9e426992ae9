# METADATA
# title: The image does not know the user that runs initdb
# description: |
#   initdb looks up the name of its user, and ends where the image's /etc/passwd has none: "could not look up effective user ID 501: user does not exist". The entrypoint
#   of the official image gets around that, but CloudNativePG calls initdb itself, as user 26 unless postgresUID or a runAsUser of securityContext or podSecurityContext says otherwise: its own images have that user,
#   the official one of Docker Hub has 999 (70 in Alpine). Only some container runtimes (CRI-O) add the user that is missing.
# related_resources:
#   - https://github.com/postgres/postgres/blob/master/src/common/username.c
#   - https://cloudnative-pg.io/docs/current/container_images
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/5076
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the number of the image's own user, or leave it to the operator and take its images.
#   sources: []
package walguard.checks.image.user_missing

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.model
import data.walguard.model.image

findings contains f if {
	user := model.cluster.initdb_user
	has := images.server_user(image.reference)
	has != user.value
	f := finding.at(user, sprintf("initdb runs as user %d, which the image %s does not have (its server is user %d): the cluster is not created. %s.", [
		user.value,
		image.reference,
		has,
		cure(user, has),
	]))
}

cure(user, has) := sprintf("Set it to %d", [has]) if user.origin == "written"

cure(user, has) := sprintf("Take an image of the operator's project, or set postgresUID and postgresGID to %d", [has]) if user.origin != "written"
