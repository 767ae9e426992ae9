# METADATA
# title: The image wants a password and gets none
# description: |
#   The entrypoint of the official image creates no database without POSTGRES_PASSWORD ("Database is uninitialized and superuser password is not
#   specified", since February 2020), Bitnami's starts no server without one; the container restarts for ever. Silent where something that was not found may set
#   it, where the volume may hold a database already, and where trust is chosen, which access/trust reports. Where the container has no variable for the
#   entrypoint at all, nor one of libpq that is meant for it (PGPASSWORD), it may be a sketch: an error where a Service leads to it, else an info. Crunchy's containers also want names: PG_USER, PG_PRIMARY_USER, PG_DATABASE, PG_MODE and PG_PRIMARY_PORT ("environment variable is not set, aborting").
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#postgres_password
#   - https://github.com/docker-library/postgres/issues/681
#   - https://github.com/bitnami/containers/tree/main/bitnami/postgresql
#   - https://github.com/CrunchyData/crunchy-containers
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Give the container the password of a Secret by env.valueFrom.secretKeyRef.
#   sources: []
package walguard.checks.access.password_missing

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	missing := model.cluster.password_missing
	f := finding.with_severity(
		finding.at(missing, sprintf("%s is not set: the image refuses to %s without it, and the container restarts for ever. %s.", [
			missing.value,
			missing.refuses,
			cure,
		])),
		missing.level,
	)
}

cure := "Take it from a Secret (valueFrom.secretKeyRef)" if contains(model.cluster.password_missing.value, "PASSWORD")

cure := "Set it" if not contains(model.cluster.password_missing.value, "PASSWORD")
