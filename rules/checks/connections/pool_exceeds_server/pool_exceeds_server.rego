# METADATA
# title: The poolers open more connections than the server has
# description: |
#   Every instance of PgBouncer opens default_pool_size connections for each pair of user and database; a pooler of three instances with a pool
#   of 50 opens 150 for one pair. When that is more than max_connections less what is reserved, clients that the pooler has accepted
#   are refused by the server – "sorry, too many clients already" – under load only. One pair is counted, so that it is more with several.
# related_resources:
#   - https://www.pgbouncer.org/config.html#default_pool_size
#   - https://www.postgresql.org/docs/current/runtime-config-connection.html#GUC-MAX-CONNECTIONS
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Lower the pool size or the number of pooler instances, or raise max_connections.
#   sources: [S0, S3]
#   formulas:
#     - available_connections == max_connections - reserved_connections
#     - pool_connections > available_connections
package walguard.checks.connections.pool_exceeds_server

import data.walguard.lib.budget.connections as plan
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	pooler.connections > plan.available
	f := raised(finding.with_facts(
		finding.at(pooler, sprintf("The poolers open up to %d connections for one user on one database, and the server has %d (max_connections %d less %d reserved): clients are refused under load. %s.", [
			pooler.connections,
			plan.available,
			plan.most.value,
			plan.reserved,
			cure,
		])),
		{"max_connections": plan.most.value, "reserved_connections": plan.reserved, "pool_connections": pooler.connections, "available_connections": plan.available},
	))
}

pooler := model.cluster.pooler

cure := sprintf("Make the pools smaller, or set max_connections to %d", [plan.holding(pooler.connections)])

cure := "Make the pools smaller" if not plan.holding(pooler.connections)

raised(f) := finding.with_suggested_parameter(f, plan.most, sprintf("%d", [plan.holding(pooler.connections)])) if plan.holding(pooler.connections)

raised(f) := f if not plan.holding(pooler.connections)
