# METADATA
# title: What only the first start reads changes
# description: |
#   The entrypoints of the official image and of Bitnami's create the user, the database and the password when the data directory is empty, and never look at the variables again. Another
#   POSTGRES_PASSWORD leaves the old password ("password authentication failed"), another POSTGRES_USER or POSTGRES_DB makes no role and no database, and
#   programs are told "role does not exist". A random password that a chart makes at every rendering does the same, and so does a
#   Secret that is generated anew: servers that know each other by it (repmgr) then do not even start. Kubegres starts the same image. Zalando's operator takes
#   the superuser's password from its Secret and logs in with it at once, while the server keeps the old one. Compared are values that stand in the manifest or in
#   a Secret among the files; a Secret with Helm's labels is left out, for a chart may keep the password of its release. Scripts of /docker-entrypoint-initdb.d that are added to a server
#   that has its data never run either; other content of those that were there before is not told.
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#environment-variables
#   - https://github.com/bitnami/charts/issues/2061
#   - https://github.com/docker-library/postgres/issues/1327
#   - https://github.com/bitnami/charts/issues/2805
#   - https://github.com/elie222/rakazo/pull/821
#   - https://github.com/zalando/postgres-operator/issues/524
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
	not now.by_hand
	not now.absent
	f := finding.at(now, told(name, now))
}

told(_, now) := now.message

told(name, now) := sprintf("%s changes, which %s. %s", [name, object.get(now, "reason", reason(variable)), object.get(now, "cure", cure(variable))]) if {
	not now.message
	variable := object.get(now, "variable", name)
}

reason(variable) := sprintf("the image reads only when the data directory is empty: the server that exists keeps %s", [kept(variable)])

kept(name) := "its password" if endswith(name, "PASSWORD")

kept(name) := "the roles and databases it has" if regex.match(`_(USER|USERNAME|DB|DATABASE)$`, name)

cure(name) := "Change it there too (ALTER ROLE … PASSWORD)." if endswith(name, "PASSWORD")

cure(name) := "Create the new one there first, or write the old name." if regex.match(`_(USER|USERNAME|DB|DATABASE)$`, name)

kept("POSTGRES_HOST_AUTH_METHOD") := "its pg_hba.conf"

cure("POSTGRES_HOST_AUTH_METHOD") := "Change the last line of pg_hba.conf in the data directory, or mount one (hba_file)."

kept("POSTGRES_INITDB_ARGS") := "what initdb made"

cure("POSTGRES_INITDB_ARGS") := "It takes a new data directory: dump and restore."
