# METADATA
# title: A script of the first start is passed over or fails
# description: |
#   docker-entrypoint.sh of the official image runs the files of /docker-entrypoint-initdb.d that end in .sh, .sql, .sql.gz, .sql.xz or .sql.zst, and looks into no directory
#   below it. In the images of PostGIS, TimescaleDB and Supabase scripts of their own lie there, which a volume mounted at the directory hides. A ConfigMap that is mounted at /docker-entrypoint-initdb.d/config does nothing, and neither does a key called "init". Bitnami's image runs scripts as the user of the
#   application where there is one, who is no superuser: CREATE ROLE and CREATE EXTENSION of what is not trusted (pg_stat_statements, dblink) are denied, and the start goes on without it.
#   An init container that fills a volume only when it is empty finds lost+found in the root of a new one of the ext family, and copies nothing (an error).
#   What a command of one's own writes into the data directory before it calls docker-entrypoint.sh makes initdb refuse the directory.
#   The official image runs scripts as postgres, beside a server that listens on its socket alone, and stops at the first error: psql with a host, without the user that POSTGRES_USER names or the database
#   that POSTGRES_DB names, apt-get, CRLF, a mode that only root may read, and statements of other databases (CREATE DATABASE IF NOT EXISTS, USE, AUTO_INCREMENT) end the first start (errors), and the next one passes over all scripts.
#   A variable of psql (:password) in a file of SQL, for which the image sets none, and a name in the quotes of a string (CREATE USER 'app', as MySQL has it) are a syntax error that ends the first start, and later ones pass over all scripts.
#   Flux replaces ${X} in a script by nothing where its Kustomization has values, and none for X (an error).
#   A volume with such a script that no container mounts does nothing, the images of Supabase need their own superuser supabase_admin, and CREATE USER of a variable that names the superuser of the image fails (errors).
#   Either way users, databases and extensions are missing, and the scripts run once only, on an empty volume. CloudNativePG sends the SQL of bootstrap.initdb over a connection of
#   its own: commands of psql such as \connect or \gexec, the rows of COPY FROM stdin, and CREATE DATABASE or ALTER SYSTEM beside other statements of one entry or file are errors,
#   with which the cluster never comes up (an error). postInitSQL runs in database postgres, where an extension that the tables of the application need, or a table, is of no use: an error, a warning where a superuser may make
#   them elsewhere, and of default privileges and rights in schema public.
#   So does databaseInitSQL of CrunchyData's and Percona's operators, until it says \c and the name of another database.
#   postInitSQL and postInitTemplateSQL come before the database of the application, of which they cannot speak yet (an error). SQL of the first start runs as postgres: a schema or a table that it creates is the superuser's,
#   and the application has no permission for it unless something grants it (a warning; info of a schema alone, and of databaseInitSQL).
#   pg_cron can be created in the database of cron.database_name alone, postgres unless that says another (an error where CloudNativePG or the entrypoint sends the statement to another).
#   CloudNativePG also drops the extensions that it manages, pg_stat_statements and pgaudit, where no parameter of theirs is set, whoever created them (a warning).
# related_resources:
#   - https://github.com/docker-library/postgres/blob/master/docker-entrypoint.sh
#   - https://github.com/bitnami/containers/tree/main/bitnami/postgresql#initializing-a-new-instance
#   - https://github.com/helm/charts/issues/11449
#   - https://github.com/docker-library/postgres/issues/130
#   - https://github.com/docker-library/postgres/issues/474
#   - https://github.com/docker-library/postgres/issues/271
#   - https://github.com/supabase-community/supabase-kubernetes/issues/248
#   - https://github.com/supabase-community/supabase-kubernetes/issues/100
#   - https://github.com/n8n-io/n8n-kubernetes-hosting/pull/2
#   - https://github.com/n8n-io/n8n-hosting/pull/186
#   - https://cloudnative-pg.io/documentation/current/bootstrap/#executing-queries-after-initialization
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/2023
#   - https://cloudnative-pg.io/documentation/current/postgresql_conf/#managed-extensions
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/9953
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/6318
#   - https://github.com/CrunchyData/postgres-operator/issues/3029
#   - https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Mount the scripts in /docker-entrypoint-initdb.d itself, under names that end in .sh or .sql, and run what needs a superuser as one. For CloudNativePG write plain SQL, that of the application in postInitApplicationSQL; begin databaseInitSQL with \c and the name of the database.
#   sources: []
package walguard.checks.workload.init_script

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some fault in get.list(model.cluster, "script_faults")
	f := object.union(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), {"severity": level | level := fault.level})
}
