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

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	pooler.connections > available
	f := finding.with_facts(
		finding.at(pooler, sprintf("%s: its poolers open up to %d connections for one user on one database, and the server has %d (max_connections %d less %d reserved): clients are refused under load. Make the pools smaller, or raise max_connections", [
			model.title,
			pooler.connections,
			available,
			connections.value,
			reserved,
		])),
		{"max_connections": connections.value, "reserved_connections": reserved, "pool_connections": pooler.connections, "available_connections": available},
	)
}

pooler := model.cluster.pooler

connections := model.parameter("max_connections")

superusers := model.parameter("superuser_reserved_connections")

role := model.changed("reserved_connections")

others := role.value

others := 0 if not role.value

reserved := superusers.value + others

available := connections.value - reserved
