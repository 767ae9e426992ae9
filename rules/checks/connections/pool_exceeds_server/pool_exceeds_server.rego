# METADATA
# title: Poolers or clients open more connections than the server has, or clients more than the pooler takes
# description: |
#   Every instance of PgBouncer opens default_pool_size connections for each pair of user and database; a pooler of three instances with a pool
#   of 50 opens 150 for one pair. When that is more than max_connections less what is reserved, clients that the pooler has accepted
#   are refused by the server – "sorry, too many clients already" – under load only. One pair is counted (of a pgbouncer.ini, with its reserve_pool_size, one user for each of its databases), so that it is more with several. Pools that only the reserved connections exceed are info.
#   Each of its num_init_children, 32 by default, opens one in every instance of Pgpool-II: four instances are 128.
#   Pgpool-II keeps a connection for each of PGPOOL_MAX_POOL pairs in each of its children, and its manual asks for
#   num_init_children × max_pool within max_connections less the reserved ones; where the server refuses, its own health check fails too.
#   PgBouncer itself takes max_client_conn clients in each instance, 100 unless it is told otherwise (1000 with StackGres), and refuses the others ("no more connections allowed").
#   Programs without a pooler between open the pools of their own: what their variables ask for is counted for every pod, for the most that an autoscaler starts, and for those that a
#   rollout runs beside them: info where these alone are too many. Read are the variables of Spring, Quarkus, Keycloak, Grafana, n8n, Airflow, Gitea, Hasura and PostgREST, and names such as DB_POOL_SIZE and DB_MAX_CONNS,
#   from ConfigMaps as well; Spring Boot opens 10 (Hikari) where no size is seen, and a Job so many for each of its pods at once. Several web nodes of Concourse have 65 each unless they are told otherwise. With Bitnami's Pgpool the pools of clients are counted against its children.
# related_resources:
#   - https://www.pgpool.net/docs/latest/en/html/runtime-config-connection-pooling.html
#   - https://github.com/bitnami/charts/issues/4219
#   - https://github.com/bitnami/charts/issues/9805
#   - https://www.pgbouncer.org/config.html#default_pool_size
#   - https://www.pgbouncer.org/config.html#max_client_conn
#   - https://github.com/hiero-ledger/hiero-mirror-node/pull/9197
#   - https://github.com/pgbouncer/pgbouncer/issues/293
#   - https://github.com/concourse/concourse/issues/9434
#   - https://github.com/brettwooldridge/HikariCP/blob/dev/src/main/java/com/zaxxer/hikari/HikariConfig.java
#   - https://github.com/mercedes-benz/sechub/issues/1822
#   - https://www.postgresql.org/docs/current/runtime-config-connection.html#GUC-MAX-CONNECTIONS
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Lower the pool size or the number of pooler instances, or raise max_connections (max_client_conn).
#   sources: [S0, S3]
#   formulas:
#     - available_connections == max_connections - reserved_connections
#     - pool_connections > available_connections
package walguard.checks.connections.pool_exceeds_server

import data.walguard.lib.budget.connections as plan
import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model.addresses

findings contains f if {
	pooler.connections > plan.available
	f := found(pooler.connections, sprintf("The poolers open up to %d connections for one user on each database, and the server has %d (max_connections %d less %d reserved): clients are refused under load. %s.", [
		pooler.connections,
		plan.available,
		plan.most.value,
		plan.reserved,
		cure(pooler.connections, "Make the pools smaller"),
	]))
}

findings contains f if {
	pooler.connections <= plan.available
	pooler.cached > plan.available
	f := found(pooler.cached, sprintf("Pgpool-II keeps up to %d connections (PGPOOL_NUM_INIT_CHILDREN × PGPOOL_MAX_POOL in each instance), and the server has %d (max_connections %d less %d reserved): with several users or databases clients and health checks are refused. %s.", [
		pooler.cached,
		plan.available,
		plan.most.value,
		plan.reserved,
		cure(pooler.cached, "Lower PGPOOL_MAX_POOL"),
	]))
}

# Of programs without a pooler between.
findings contains f if {
	some pool in addresses.pools
	pool.connections > plan.available
	f := graded(
		finding.with_facts(
			finding.at(pool, sprintf("Clients may open %d connections (%s), and the server has %d (max_connections %d less %d reserved): under load some are refused. %s.", [
				pool.connections,
				text.list(pool.clients, "and"),
				plan.available,
				plan.most.value,
				plan.reserved,
				cure(pool.connections, "Make the pools smaller"),
			])),
			{"max_connections": plan.most.value, "reserved_connections": plan.reserved, "pool_connections": pool.connections, "available_connections": plan.available},
		),
		pool.lasting, plan.available,
	)
}

# Of programs before a pooler that counts its clients.
findings contains f if {
	some crowd in addresses.crowds
	f := graded(
		finding.with_facts(
			finding.at(crowd.limit, sprintf("Clients may open %d connections (%s), and the pooler takes %d (%s): under load the others are refused. %s.", [
				crowd.connections,
				text.list(crowd.clients, "and"),
				crowd.limit.clients,
				crowd.limit.written,
				sprintf(crowd.limit.cure, [enough(ceil(crowd.connections / crowd.limit.each))]),
			])),
			{"client_connections": crowd.connections, "accepted_connections": crowd.limit.clients},
		),
		crowd.lasting, crowd.limit.clients,
	)
}

# Numbers that people write.
enough(needed) := min([n | some n in plan.amounts; n >= needed]) if needed <= max(plan.amounts)

enough(needed) := needed if needed > max(plan.amounts)

found(connections, message) := raised(
	graded(
		finding.with_facts(
			finding.at(pooler, message),
			{"max_connections": plan.most.value, "reserved_connections": plan.reserved, "pool_connections": connections, "available_connections": plan.available},
		),
		connections,
		plan.most.value,
	),
	connections,
)

# As many as the server has with the reserved ones: somebody counted, and a few are refused when every connection of the pools is busy. Nor do the pods that a rollout adds for a while hold all of theirs.
graded(f, connections, most) := finding.with_severity(f, "info") if connections <= most

graded(f, connections, most) := f if connections > most

pooler := addresses.pooler

cure(connections, smaller) := sprintf("%s, or set max_connections to %d", [smaller, plan.holding(connections)])

cure(connections, smaller) := smaller if not plan.holding(connections)

raised(f, connections) := finding.with_suggested_parameter(f, plan.most, sprintf("%d", [plan.holding(connections)])) if plan.holding(connections)

raised(f, connections) := f if not plan.holding(connections)
