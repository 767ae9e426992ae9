# METADATA
# title: The image has no Patroni
# description: |
#   The operators of Crunchy, Percona and Zalando start Patroni in the container of the server, and Patroni the server: Crunchy's and Percona's
#   run the command patroni, Zalando's leaves it to the entrypoint of Spilo. The official image and others that hold PostgreSQL alone have
#   neither: the container ends at once, or starts a server of its own that the operator does not know. So does a container of a StatefulSet whose
#   command is patroni. Silent for images whose contents are not known, and for a script that may install it.
# related_resources:
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/patroni/reconcile.go
#   - https://github.com/zalando/postgres-operator/issues/374
#   - https://github.com/timescale/timescaledb-docker-ha/issues/77
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take an image of the operator's project, or one that is built from it.
#   sources: []
package walguard.checks.image.patroni_missing

import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.model
import data.walguard.model.image

findings contains f if {
	model.cluster.patroni == true
	not model.cluster.patroni_by
	images.postgres_alone(image.reference)
	f := finding.at(model.cluster.image, sprintf("The image %s has no Patroni, with which the operator starts the server: no instance starts. Take an image of the operator's project, or leave the field out.", [image.reference]))
}

findings contains f if {
	model.cluster.patroni_by == "container"
	images.postgres_alone(image.reference)
	f := finding.at(model.cluster.image, sprintf("The image %s has no Patroni, which the container's command starts: it ends at once. Take an image with Patroni, such as ghcr.io/zalando/spilo-17.", [image.reference]))
}
