# METADATA
# title: The image lacks a library that the server preloads
# description: |
#   PostgreSQL does not start when it cannot find a library of shared_preload_libraries: "FATAL: could not access file "pg_cron": No such file or
#   directory". The official image has what comes with PostgreSQL and nothing else, pgvector's has vector besides, and CloudNativePG's "standard"
#   and "system" images pgaudit, pg_failover_slots and pgvector. Silent for images whose contents are not known, and where extensions are mounted.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-SHARED-PRELOAD-LIBRARIES
#   - https://github.com/docker-library/postgres/blob/master/Dockerfile-debian.template
#   - https://github.com/cloudnative-pg/postgres-containers
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take an image that has the library, or remove it from shared_preload_libraries.
#   sources: []
package walguard.checks.image.library_missing

import data.walguard.lib.conf
import data.walguard.lib.finding
import data.walguard.lib.image as images
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.image

findings contains f if {
	model.cluster.own_libraries
	lacking := sort([library | some library in preloaded; images.lacks(image.reference, library)])
	count(lacking) > 0
	f := finding.at(model.cluster.own_libraries, sprintf("The image %s has no %s, which shared_preload_libraries names: the server does not start. Use an image that has it, or remove it.", [
		image.reference,
		text.list(lacking, "or"),
	]))
}

preloaded := {name | some name in model.cluster.preloaded} if is_array(model.cluster.preloaded)

preloaded := conf.names(model.parameter("shared_preload_libraries").text) if not model.cluster.preloaded
