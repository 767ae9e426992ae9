# METADATA
# title: The pooler cannot log in to the server
# description: |
#   Since PostgreSQL 14 passwords are stored as SCRAM secrets, for which a client needs the password itself. The image edoburu/pgbouncer puts MD5 sums into its
#   userlist.txt unless AUTH_TYPE says otherwise, so that every client of the pooler gets "server login failed: wrong password type". So do the images of Pgpool-II where they are told md5:
#   "failed to authenticate with backend using SCRAM, valid password not found". The same comes of sums in an auth_file of one's own, as a command makes them by md5sum, and of a pool_passwd as pg_md5 writes it.
#   Looked at are poolers before a workload, and those that a workload runs before a cluster of CloudNativePG, PGO or Percona's operator. Services that run the server keep such secrets by default too: a warning, since theirs is not among the files.
# related_resources:
#   - https://github.com/edoburu/docker-pgbouncer/blob/master/entrypoint.sh
#   - https://www.pgbouncer.org/config.html#authentication-file-format
#   - https://github.com/edoburu/docker-pgbouncer/issues/93
#   - https://github.com/edoburu/docker-pgbouncer/issues/131
#   - https://github.com/bitnami/charts/issues/9476
#   - https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/PostgreSQL_Password_Encryption_configuration.html
#   - https://github.com/pgbouncer/pgbouncer/issues/787
#   - https://github.com/airflow-helm/charts/issues/556
#   - https://www.pgpool.net/docs/latest/en/html/auth-methods.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set AUTH_TYPE (of Pgpool-II PGPOOL_AUTHENTICATION_METHOD or PGPOOL_PASSWORD_ENCRYPTION_METHOD) to scram-sha-256 in the pooler's environment.
#   sources: []
package walguard.checks.access.pooler_password

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.addresses

findings contains f if {
	some sums in array.concat(addresses.sums, [known | known := model.cluster.pooler_sums])
	f := object.union(
		finding.at(sums, sprintf("The pooler logs in with MD5 sums (%s), and %s: every client gets \"%s\". %s.", [sums.value, object.get(sums, "server", "the server has SCRAM secrets"), answer[startswith(sums.variable, "PGPOOL")], cure(sums)])),
		{"severity": level | level := sums.level},
	)
}

cure(sums) := sums.cure

cure(sums) := sprintf("Set %s to scram-sha-256", [sums.variable]) if not sums.cure

answer := {false: "server login failed: wrong password type", true: "failed to authenticate with backend using SCRAM"}
