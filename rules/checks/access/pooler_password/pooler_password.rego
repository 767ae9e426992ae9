# METADATA
# title: The pooler cannot log in to the server
# description: |
#   Since PostgreSQL 14 passwords are stored as SCRAM secrets, for which a client needs the password itself. The image edoburu/pgbouncer puts MD5 sums into its
#   userlist.txt unless AUTH_TYPE says otherwise, so that every client of the pooler gets "server login failed: wrong password type".
# related_resources:
#   - https://github.com/edoburu/docker-pgbouncer/blob/master/entrypoint.sh
#   - https://www.pgbouncer.org/config.html#authentication-file-format
#   - https://github.com/edoburu/docker-pgbouncer/issues/93
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Set AUTH_TYPE to scram-sha-256 in the pooler's environment.
#   sources: []
package walguard.checks.access.pooler_password

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	sums := model.cluster.pooler_sums
	f := finding.at(sums, sprintf("The pooler logs in with MD5 sums (AUTH_TYPE %s), and the server has SCRAM secrets: every client gets \"server login failed: wrong password type\". Set AUTH_TYPE to scram-sha-256.", [sums.value]))
}
