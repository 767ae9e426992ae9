# METADATA
# title: A user may create nothing in schema public of its own database
# description: |
#   Since PostgreSQL 15 only the owner of a database creates tables in its schema public. PGO's databases belong to postgres, and the users of spec.users get ALL on the database,
#   which lets them create schemas, not tables in public: applications and their migrations fail with "permission denied for schema public". PGO creates a schema with the name of
#   the user, which stands before public in search_path, where the resource is annotated with autoCreateUserSchema, and Percona's operator unless autoCreateUserSchema is false. So it is with scripts of the first start of a plain server that
#   create a user and a database and GRANT ALL PRIVILEGES ON DATABASE, which was enough before 15, or a user and a database of one name and no more. A GRANT on schema public counts in the
#   database where it is given: psql that nobody tells of another one is in the first. Silent where SQL may grant it (databaseInitSQL), where the
#   cluster is restored or comes from another one, of a server that runs already, and of superusers. It is info of these operators' users, who may have been granted it by hand, which no manifest shows; a warning where a workload among the files takes the Secret of such a user, or a script gives everything but that, and an error where a program among the files logs in as the user.
# related_resources:
#   - https://www.postgresql.org/docs/15/release-15.html
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/postgres/users.go
#   - https://access.crunchydata.com/documentation/postgres-operator/latest/tutorials/basic-setup/user-management
#   - https://github.com/CrunchyData/postgres-operator/issues/3568
#   - https://github.com/jfrog/charts/issues/1900
#   - https://github.com/bitnami/charts/issues/15977
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Annotate the resource with postgres-operator.crunchydata.com/autoCreateUserSchema "true", or grant CREATE on schema public by databaseInitSQL; let the user of a plain server own its database.
#   sources: []
package walguard.checks.access.schema_public

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	model.major >= 15
	some user in get.list(model.cluster, "schemaless_users")
	f := graded(user, finding.at(user, sprintf("User %s may create nothing in schema public of %s since PostgreSQL 15 (\"permission denied for schema public\"). %s.", [user.name, text.list(user.databases, "and"), user.cure])))
}

graded(user, f) := finding.with_severity(f, user.level) if {
	user.level
} else := f
