# METADATA
# title: The image's own volume hides the one that is mounted
# description: |
#   Images of PostgreSQL before 18 declare a volume for /var/lib/postgresql/data. containerd mounts a new, empty directory of its own
#   there unless the pod mounts something at exactly that path – a mount at the parent, /var/lib/postgresql, does not count – and
#   removes it with the container: the database is on no volume, and gone with the first restart, while the claim stays empty. Images
#   of 18 declare the parent, so that manifests written for them lose the data with an older image. Bitnami's images declare /bitnami/postgresql likewise. An image of one's
#   own that takes the variables of the official one is taken for one that is made from it, which is a warning.
#   Spilo's has the way to its configuration in /home/postgres: a volume there hides it, and Patroni does not start.
# related_resources:
#   - https://github.com/containerd/containerd/blob/main/internal/cri/server/container_create.go
#   - https://github.com/docker-library/postgres/pull/1259
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set PGDATA to a directory of the volume outside of the image's (/var/lib/postgresql/pgdata), or mount the volume at /var/lib/postgresql/data with a subPath.
#   sources: []
package walguard.checks.workload.parent_mount

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	data_ := model.cluster.shadowed
	f := graded(data_, finding.at(data_, sprintf("The volume is mounted at %s, but the image declares one of its own at %s, where the data go: they are lost with the container. %s.", [
		data_.mount,
		data_.volume,
		data_.cure,
	])))
}

graded(fact, found) := finding.with_severity(found, fact.level)

graded(fact, found) := found if not fact.level

findings contains f if {
	image_ := model.cluster.hidden
	f := finding.at(image_, sprintf("The volume at %s hides what the image has there (%s), and the server does not start. %s.", [image_.mount, image_.what, image_.cure]))
}
