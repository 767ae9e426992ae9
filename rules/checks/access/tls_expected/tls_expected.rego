# METADATA
# title: A client insists on TLS that the server does not have
# description: |
#   PostgreSQL's default is ssl=off, and the official image leaves it so. A client with sslmode=require, or a stricter one, then gives up: "server does not support SSL, but
#   SSL was required". postgres_exporter's driver asks for it unless its address says otherwise ("pq: SSL is not enabled on the server"): the exporter
#   runs and pg_up is 0. Looked at are the variables of the containers beside the server, and of Deployments and StatefulSets that name one of its Services.
#   A cluster that is copied from another one, or follows it, does not come up where sslmode=verify-full meets a certificate without the name of the host, or verify-ca and verify-full no
#   certificate of an authority.
# related_resources:
#   - https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-SSLMODE-STATEMENTS
#   - https://pkg.go.dev/github.com/lib/pq#hdr-Connection_String_Parameters
#   - https://github.com/prometheus-community/postgres_exporter/issues/45
#   - https://github.com/IBM/ibm-common-service-operator/pull/2866
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write sslmode=disable for a client in the same pod, or give the server a certificate (ssl, ssl_cert_file, ssl_key_file).
#   sources: []
package walguard.checks.access.tls_expected

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some one in get.list(model.cluster, "tls_wanted")
	f := finding.at(one, sprintf("Container %s insists on TLS (%s), and the server has ssl=off: every connection fails. Write sslmode=disable there, or give the server a certificate.", [one.client, one.asks]))
}

findings contains f if {
	some one in get.list(model.cluster, "unproven_hosts")
	f := finding.with_severity(finding.at(one, sprintf("%s: this cluster cannot be copied from there. %s.", [one.reason, one.cure])), "error")
}
