# METADATA
# title: Prepared statements through a pooler that does not follow them
# description: |
#   In transaction mode PgBouncer gives a client another connection to the server for each transaction. A driver that prepares a statement once and runs it later finds it missing there
#   ("prepared statement "S_1" does not exist"), or another client's under the same name ("already exists"), and requests fail now and then, under load first. PgBouncer follows
#   such statements since 1.21 where max_prepared_statements is above 0, which is the default (200) since 1.24. Reported where a client in sight comes by such a pooler and shows what driver it has – JDBC,
#   asyncpg, PDO, Rails or Prisma, which prepare of their own accord – without a word that it is not to, the poolers of CloudNativePG, PGO and Percona's operator among them, and those that a workload runs before their clusters; so it is with programs that are known to prepare (EMQX, Hasura, Keycloak, Mastodon, Vaultwarden, Zammad). Their names begin anew in each connection, so that two clients of one pool collide: an error of Prisma and such programs, whose images say nothing else. Prisma is known by the parameters of its addresses (schema, connection_limit, pool_timeout).
#   Nor does a lock of the session or a LISTEN outlive the transaction there: reported of programs that are known to need one, Authentik and PostgREST, and of migrations by Prisma, Rails, Airflow, golang-migrate
#   and Flyway before 9.2, by the poolers of operators too, and of programs that migrate at each start (Cal.com, Documenso, Ghostfolio, Hindsight, Langfuse, Linkwarden, Rallly, Sure, Umami, Zipline). Rails at large locks
#   for its migrations, and closes statements by name where it has changed tables, and Django opens cursors outside of transactions, unless their settings in the image say otherwise: info.
# related_resources:
#   - https://www.pgbouncer.org/config.html#max_prepared_statements
#   - https://www.pgbouncer.org/changelog.html
#   - https://github.com/chatwoot/charts/issues/119
#   - https://jdbc.postgresql.org/documentation/server-prepare/
#   - https://www.prisma.io/docs/orm/prisma-client/setup-and-configuration/databases-connections/pgbouncer
#   - https://magicstack.github.io/asyncpg/current/faq.html#why-am-i-getting-prepared-statement-errors
#   - https://github.com/goauthentik/authentik/issues/23876
#   - https://docs.djangoproject.com/en/stable/ref/databases/#transaction-pooling-server-side-cursors
#   - https://github.com/ionfury/homelab/pull/1494
#   - https://github.com/zammad/zammad/issues/5413
#   - https://docs.postgrest.org/en/stable/references/listener.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Let PgBouncer follow prepared statements (1.21 or newer with max_prepared_statements = 200), or switch them off in the client.
#   sources: []
package walguard.checks.connections.prepared_statements

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.addresses

findings contains f if {
	some fault in array.concat(addresses.unfollowed, get.list(model.cluster, "prepared"))
	f := object.union(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), {"severity": level | level := fault.level})
}
