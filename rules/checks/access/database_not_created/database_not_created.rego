# METADATA
# title: A database is not created as it is written
# description: |
#   The operator creates the databases and roles of the resource when the server runs, and what it cannot create it passes over with a line in its
#   log or tries again at every sync ("SyncFailed"): the cluster is there, and applications find no database or no permission. Zalando's operator passes over
#   names with anything but letters, digits and underscores, and cannot prepare a database that another entry gives to another owner. It keeps the names of protected_role_names (admin and cron_admin)
#   and of its own roles for itself: such a user gets no role, no Secret and no database. A user with a namespace in front is a role with the whole name, which an owner is called by too (an error).
#   A variable of an image that names one database (POSTGRES_DB) takes "a,b" for one name.
#   CloudNativePG creates no Subscription whose source the cluster does not describe, whose role may not replicate there, or that is for the cluster itself; one may look for its publication in another database than it is in, or copy
#   once more what the import of the cluster has brought (errors). It imports a single database into that of bootstrap.initdb ("app" where none is written), and
#   makes "app" after a recovery too: what was restored belongs to the roles of the source, and the Secret of the new cluster gives no access to it.
#   An owner, a role in inRoles or the owner of a tablespace that neither initdb nor managed.roles makes does not exist either, unless somebody creates it by hand.
#   Its Database creates extensions without CASCADE: postgis_topology needs postgis beside it; info where the owner may create the other one (vector, cube).
#   An import of the type monolith with roles reads pg_authid of its source, which only a superuser may: Amazon RDS and Azure make nobody one, and the cluster is never created (an error).
#   Before release 1.28 the databases of a cluster with a Pooler grant to its role, which the import leaves out: an error where such a release is in sight, and a warning where the image of the source is older than it.
#   A Database copies template1, of whose encoding and locale it has to be unless it names template0 (an error), as one in a tablespace that the cluster does not have. Neither is a schema applied whose owner does not exist, nor a server without its wrapper.
#   A cluster that is copied from another one in sight needs a role that may replicate there, and the Secret of a superuser that it has made (errors).
#   A program that creates a database or a role itself needs CREATEDB or CREATEROLE, which the users that operators create for applications do not have unless it is written. Backstage creates a database for each of its plugins, Temporal's auto-setup its two, and Immich and Chatwoot extensions that only a superuser may (errors). Debezium streams from a slot as a role with REPLICATION, and
#   creates a publication for all tables as a superuser alone (errors; a warning where nothing says that it is to).
# related_resources:
#   - https://www.postgresql.org/docs/current/role-attributes.html
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-permissions
#   - https://github.com/CrunchyData/postgres-operator/issues/2858
#   - https://github.com/zalando/postgres-operator/blob/master/pkg/cluster/database.go
#   - https://github.com/zalando/postgres-operator/issues/1855
#   - https://github.com/zalando/postgres-operator/issues/1684
#   - https://cloudnative-pg.io/docs/current/recovery#configure-the-application-database
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/9771
#   - https://cloudnative-pg.io/docs/current/declarative_database_management#managing-extensions-in-a-database
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/6639
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/6654
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write a name that the operator takes, once; give the role that creates databases CREATEDB.
#   sources: []
package walguard.checks.access.database_not_created

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.decoders
import data.walguard.model.programs

findings contains f if {
	some entry in get.list(model.cluster, "uncreated")
	f := object.union(
		finding.at(entry, sprintf("%s. %s.", [entry.reason, entry.cure])),
		{"severity": level | level := entry.level},
	)
}

findings contains f if {
	some one in programs.denied_statements
	f := finding.at(one, sprintf("%s creates %s as %s, who has no %s: permission denied. Give the role %s, or create it as a superuser.", [one.client, one.what, one.role, one.option, one.option]))
}

findings contains f if {
	some one in programs.denied_habits
	f := finding.with_severity(
		finding.at(one, sprintf("%s creates %s as %s, who has no %s: permission denied. Give the role %s, or create it as a superuser.", [one.client, one.what, one.role, one.option, one.option])),
		one.level,
	)
}

findings contains f if {
	some one in decoders.denied
	f := finding.with_severity(finding.at(one, sprintf("%s %s. %s.", [one.who, one.outcome, one.cure])), one.level)
}
