# METADATA
# title: Many connections and no pooler
# description: |
#   Every connection is a process with memory and a place in every snapshot of its own; throughput falls long before max_connections is
#   reached, and a reconnecting application takes the server with it. A pooler serves thousands of clients with some dozens of connections,
#   which was what made throughput steady in S0 and S3. Reported only where no pooler exists: the operator's resource has none, and all
#   objects were read. A pooler that is deployed in another way goes unnoticed unless it is a PgBouncer whose file is among the objects. The bound of 500 is a heuristic.
#   S0 says that huge pages have similar effects; they only make page tables smaller.
# related_resources:
#   - https://www.pgbouncer.org/
#   - https://wiki.postgresql.org/wiki/Number_Of_Database_Connections
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Deploy a pooler (PgBouncer; the operators have one) and lower max_connections to 100 to 200.
#   sources: [S0, S3]
#   settings:
#     connections: {default: 500, description: max_connections from which a pooler is expected. A heuristic.}
package walguard.checks.connections.pooler_missing

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.model.addresses

findings contains f if {
	model.cluster.pooler.value == false
	count(addresses.bouncers) == 0
	not model.cluster.follows
	setting := model.changed("max_connections")
	setting.origin == "written"
	setting.value >= settings.number("connections/pooler_missing", "connections")
	f := finding.at(setting, sprintf("%s connections (max_connections) and no pooler: each is a process, and throughput falls long before so many are busy. Use a pooler (PgBouncer) and allow 100 to 200 connections.", [setting.text]))
}
