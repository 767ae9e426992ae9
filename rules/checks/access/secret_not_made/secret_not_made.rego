# METADATA
# title: A program asks for a Secret that the operator does not make
# description: |
#   Operators write the passwords of their users into Secrets with fixed names, and which ones depends on the resource: CloudNativePG makes CLUSTER-superuser
#   only with enableSuperuserAccess (whose default is false since release 1.21) and only where superuserSecret names no other one, and CLUSTER-app only where
#   the bootstrap method names no Secret of one's own. Crunchy's and Percona's operators make CLUSTER-pguser-USER for each of spec.users, and for a user called as the
#   cluster only where spec.users is absent; for postgres only where it is listed. A container that asks for another one is not created:
#   "CreateContainerConfigError: secret not found". So is one that asks for a key which is not written: dbname, uri and jdbc-uri of a user without databases, pgbouncer-* of a
#   cluster without PgBouncer. One in another namespace is not created either, for pods read Secrets of their own alone (a warning, since
#   something may copy it). Zalando's operator writes a hyphen for each underscore of a user, which the name of a Secret cannot have. Volumes are read likewise. Silent where something in sight makes a Secret of that name, and where the reference is optional.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/applications#secrets
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/6650
#   - https://github.com/cloudnative-pg/charts/issues/988
#   - https://access.crunchydata.com/documentation/postgres-operator/latest/tutorials/basic-setup/user-management
#   - https://github.com/CrunchyData/postgres-operator-examples/issues/154
#   - https://github.com/CrunchyData/postgres-operator-examples/issues/93
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Name the Secret that the operator makes, or set what makes it write this one.
#   sources: []
package walguard.checks.access.secret_not_made

import data.walguard.lib.finding
import data.walguard.lib.k8s
import data.walguard.model.unmade

findings contains f if {
	some one in unmade.secrets
	f := graded(one, finding.at(one, sprintf("%s asks for Secret %s, which the operator does not make: %s. The container is not created; %s.", [one.client, one.secret, one.reason, one.cure])))
}

findings contains f if {
	some one in unmade.keys
	f := finding.at(one, sprintf("%s asks for key %s of Secret %s, which the operator does not write: %s. %s, since the container is not created.", [one.client, one.key, one.secret, one.reason, one.cure]))
}

findings contains f if {
	some one in unmade.strays
	f := finding.with_severity(finding.at(one, sprintf("%s asks for Secret %s in namespace %s, and the operator makes it in %s: unless something copies it, the container is not created. Move it there, or copy the Secret.", [one.client, one.secret, one.home, k8s.namespace])), "warning")
}

graded(one, found) := finding.with_severity(found, one.level)

graded(one, found) := found if not one.level
