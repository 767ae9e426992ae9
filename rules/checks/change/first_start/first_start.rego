# METADATA
# title: What only the first start reads changes
# description: |
#   The entrypoints of the official image and of Bitnami's create the user, the database and the password when the data directory is empty, and never look at the variables again. Another
#   POSTGRES_PASSWORD leaves the old password ("password authentication failed"), another POSTGRES_USER or POSTGRES_DB makes no role and no database, and
#   programs are told "role does not exist". Compared are values that stand in the manifest itself.
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#environment-variables
#   - https://github.com/bitnami/charts/issues/2061
#   - https://github.com/elie222/rakazo/pull/821
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the old value, or change it in the server first (ALTER ROLE, CREATE DATABASE).
#   sources: []
package walguard.checks.change.first_start

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.before

findings contains f if {
	some name, now in model.cluster.first_start
	old := before.cluster.first_start[name]
	now.value != old.value
	f := finding.at(now, sprintf("%s changes, which the image reads only when the data directory is empty: the server that exists keeps %s. %s", [name, kept(name), cure(name)]))
}

kept(name) := "its password" if endswith(name, "_PASSWORD")

kept(name) := "the roles and databases it has" if regex.match(`_(USER|USERNAME|DB|DATABASE)$`, name)

cure(name) := "Change it there too (ALTER ROLE … PASSWORD)." if endswith(name, "_PASSWORD")

cure(name) := "Create the new one there first, or write the old name." if regex.match(`_(USER|USERNAME|DB|DATABASE)$`, name)
