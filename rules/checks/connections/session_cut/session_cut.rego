# METADATA
# title: A proxy cuts sessions that are silent for a moment
# description: |
#   HAProxy closes a connection over which nothing comes for timeout client, or from the server for timeout server, and nginx's stream module after proxy_timeout; what is copied from a setup for HTTP has 50 s or a minute
#   there. A session of PostgreSQL is silent for longer: in a pool between two requests, and in a query until its first row. Clients then see "SSL SYSCALL error: EOF detected" or "server closed the connection
#   unexpectedly", and keepalives of TCP do not count. timeout tunnel takes the place of both once the connection stands. Patroni's own example has 30 minutes; the bound of 5 is a heuristic. Looked at are files in ConfigMaps and Secrets whose servers are
#   the cluster's.
# related_resources:
#   - https://docs.haproxy.org/3.0/configuration.html#4.2-timeout%20tunnel
#   - https://nginx.org/en/docs/stream/ngx_stream_proxy_module.html#proxy_timeout
#   - https://github.com/patroni/patroni/blob/master/haproxy.cfg
#   - https://github.com/zalando/spilo/issues/430
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Let silent sessions stand longer than the pools of the clients keep them, 30 minutes for example, and have keepalives end what is dead.
#   sources: []
#   settings:
#     least_seconds: {default: 300, description: Seconds that a session may be silent. A heuristic.}
package walguard.checks.connections.session_cut

import data.walguard.lib.finding
import data.walguard.lib.settings
import data.walguard.model.proxies

findings contains f if {
	some one in proxies.patience
	one.seconds < settings.number("connections/session_cut", "least_seconds")
	f := finding.at(one, sprintf("%s closes connections that are silent for %d s (%s): idle sessions of a pool, and queries that take longer. %s.", [one.who, one.seconds, one.by, one.cure]))
}
