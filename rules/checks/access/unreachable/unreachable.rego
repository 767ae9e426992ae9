# METADATA
# title: The server listens on the loopback only
# description: |
#   PostgreSQL's default for listen_addresses is localhost. The official image puts '*' into the file that initdb makes, but a
#   postgresql.conf of one's own that takes its place and does not say so leaves the default: other pods get "connection refused",
#   while probes inside the pod succeed. It is reported where a Service leads to the pods.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-connection.html#GUC-LISTEN-ADDRESSES
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#database-configuration
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write listen_addresses = '*'; pg_hba.conf decides who may log in.
#   sources: []
package walguard.checks.access.unreachable

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	model.cluster.served.value
	only := model.cluster.loopback_only
	f := finding.at(only, sprintf("%s: no other pod can connect, though a Service leads here. Set listen_addresses = '*'.", [reasons[only.origin]]))
}

reasons := {
	"written": sprintf("listen_addresses=%s", [model.cluster.loopback_only.value]),
	"postgres": "This postgresql.conf takes the place of the image's and has no listen_addresses, so the server listens on localhost only",
}
