# METADATA
# title: Users cannot log in through the pooler
# description: |
#   A pooler needs the password of a user before it opens a connection, and asks the server for its secret. CrunchyData's and Percona's operators leave superusers out of that
#   query, since PgBouncer's own user would otherwise be as good as one: an application whose user has the option SUPERUSER gets "no such user" or "password authentication
#   failed" from PgBouncer, and in by the primary's Service. It is reported where every user of the cluster is a superuser, or a workload logs in as one through it. Users of LDAP have no secret in the server at all.
#   PgBouncer refuses startup parameters that it does not follow: extra_float_digits, which JDBC and the drivers of exporters always send, and search_path, which JDBC makes of currentSchema, unless ignore_startup_parameters names it.
#   A pgbouncer.ini of one's own without listen_addr leaves it to the Unix socket (an error where a Service leads to it), and one with a comment
#   behind a number is not read at all: PgBouncer knows comments as lines of their own. Nor does anybody find PgBouncer at a port other than its own: edoburu's image listens on 5432 unless LISTEN_PORT says
#   another, Bitnami's on 6432 (PGBOUNCER_PORT), and a Service or a probe that looks elsewhere is an error.
#   A pooler that knows some databases alone – [databases] without "*", DB_NAME of edoburu's image, PGBOUNCER_DATABASE of Bitnami's ("postgres" unless it is set), the pools of PgCat, [[databases]] of PgDog – refuses a
#   client beside it that asks for another one (an error). Pgpool-II knows the servers of its list alone: a StatefulSet of repmgr that has more pods has some that it never asks, and one that has fewer leaves it asking for some that are not there.
#   PgBouncer does not start with a setting that it does not know or a value that it cannot read ("cannot load config file"), wherever the operator takes it from: an error.
#   So do PgCat and PgDog with a table that lacks what they want or a mode that they do not know, and Odyssey with a storage of no type, or a user without authentication, pool or storage. PgCat has a pool for each user of its own.
#   edoburu's image makes such settings of its variables POOL_SIZE, TIMEZONE and CLIENT_ENCODING. Bitnami's images of PgBouncer and Pgpool-II check their variables and stop at what is missing or contradicts another one.
#   Bitnami's Pgpool-II answers SCRAM by pool_passwd, which has PGPOOL_POSTGRES_USERNAME and the users of PGPOOL_POSTGRES_CUSTOM_USERS alone: a client beside it that logs in as another is refused (an error).
#   An auth_user that userlist.txt knows by its SCRAM secret alone cannot log in to the server for auth_query until a client has logged in as the same user (an error where nobody else is in the list).
#   Quotes belong to the value in pgbouncer.ini: a list or a file in them is another one. A pooler that goes to the background (pgbouncer -d, pgpool without -n) ends its container, Bitnami's and edoburu's images write their
#   configuration into a root filesystem that may not be read-only, and Bitnami's takes a file from /bitnami/pgbouncer/conf. Pgpool-II does not start with a port below 1024 or a word that it does not know in pgpool.conf.
#   An exporter comes to PgBouncer's console (the database pgbouncer) as a user of admin_users or stats_users only.
#   Pgpool-II, and PgBouncer before 1.23, hand no connection for replication on: Barman (streaming_conninfo), pg_basebackup and pg_receivewal have to ask the server itself (an error).
#   These operators' PgBouncer comes over TLS: lines of pg_hba that are all hostnossl, or server_tls_sslmode=disable, keep everybody out.
#   The import of one database brings user_search of a source with a Pooler, with another owner, who may not read the secrets: releases before 1.28 take it for their own.
#   A Pooler of CloudNativePG that is called as one of the cluster's Services takes that Service over, and with it what standbys and PgBouncer connect to.
#   In the template of a Pooler of CloudNativePG PgBouncer is the container called pgbouncer: one of another name runs beside it, without a configuration (an error).
# related_resources:
#   - https://github.com/CrunchyData/postgres-operator/issues/3525
#   - https://github.com/CrunchyData/postgres-operator/issues/3915
#   - https://docs.percona.com/percona-operator-for-postgresql/latest/limitations.html
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/6826
#   - https://github.com/pgbouncer/pgbouncer/issues/89
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/4964
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/8164
#   - https://www.pgbouncer.org/config.html#auth_query
#   - https://www.pgbouncer.org/config.html#ignore_startup_parameters
#   - https://www.pgbouncer.org/config.html#listen_addr
#   - https://github.com/prometheus-community/pgbouncer_exporter/issues/99
#   - https://github.com/bitnami/containers/issues/4468
#   - https://github.com/edoburu/docker-pgbouncer/issues/1
#   - https://github.com/pachyderm/pachyderm/pull/6825
#   - https://github.com/postgresml/pgcat/issues/746
#   - https://github.com/bitnami/charts/issues/3431
#   - https://github.com/edoburu/docker-pgbouncer/issues/132
#   - https://github.com/bitnami/containers/blob/main/bitnami/pgpool/4/debian-12/rootfs/opt/bitnami/scripts/libpgpool.sh
#   - https://github.com/postgresml/pgcat/blob/main/src/config.rs
#   - https://github.com/yandex/odyssey/issues/955
#   - https://github.com/pgbouncer/pgbouncer/issues/774
#   - https://github.com/zalando/postgres-operator/issues/1029
#   - https://github.com/apache/airflow/issues/33206
#   - https://github.com/bitnami/charts/issues/22990
#   - https://github.com/bitnami/charts/issues/16396
#   - https://github.com/bitnami/bitnami-docker-pgbouncer/issues/10
#   - https://github.com/pgpool/pgpool2/blob/master/src/config/pool_config_variables.c
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Give applications users without SUPERUSER, or let them connect to the primary's Service.
#   sources: []
package walguard.checks.access.pooler_login

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some fault in get.list(model.cluster, "pooler_faults")
	f := graded(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), fault)
}

graded(f, fault) := finding.with_severity(f, fault.level)

graded(f, fault) := f if not fault.level
