# METADATA
# title: Two sides set the password, or none
# description: |
#   CloudNativePG writes the password of the database's owner from its Secret (bootstrap.initdb.secret, or CLUSTER-app) whenever a primary starts, and that of a managed role from
#   the role's Secret. A role that is both has now the one password and now the other, and applications fail with "password authentication failed" after a
#   restart; the managed role's lasts, so that it is an error where a program takes CLUSTER-app. The password of postgres is set to NULL unless enableSuperuserAccess is on, so that an owner called postgres cannot log in; and a managed role whose Secret
#   names another user keeps no password at all, nor does postgres where superuserSecret is somebody else's, or is not read for want of enableSuperuserAccess (an error where a program takes it). A program that logs in as the owner with a Secret that somebody else makes (its password, or a whole address) meets the generated password
#   at the next start of a primary. A role with a password and without login: true, or with a validUntil that is past, lets nobody in (warnings). Zalando's operator, told to rotate postgres or standby by new roles, writes the password of another role into the Secret that their pods read.
#   Bitnami's charts, and those that bring their PostgreSQL along, keep a password that they made up by looking for its Secret, which `helm template` cannot: Argo CD and kustomize write a new one at every sync, and the data directory keeps the first. Silent where Argo CD
#   ignores the difference of Secrets and respects that (RespectIgnoreDifferences=true).
# related_resources:
#   - https://cloudnative-pg.io/documentation/current/declarative_role_management/
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/internal/management/controller/instance_controller.go
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/6762
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/9993
#   - https://github.com/zalando/postgres-operator/issues/2780
#   - https://github.com/bitnami/charts/issues/28893
#   - https://github.com/bitnami/charts/blob/main/bitnami/common/templates/_secrets.tpl
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Let one Secret say the password of a role, and let a role of its own own the database.
#   sources: []
package walguard.checks.access.contested_login

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some fault in get.list(model.cluster, "contested_logins")
	f := finding.with_severity(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), fault.level)
}
