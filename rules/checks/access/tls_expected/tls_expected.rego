# METADATA
# title: Client and server do not agree on TLS
# description: |
#   PostgreSQL's default is ssl=off, and the official image leaves it so. A client with sslmode=require, or a stricter one, then gives up: "server does not support SSL, but
#   SSL was required" (an error). postgres_exporter's driver asks for it unless its address says otherwise ("pq: SSL is not enabled on the server"): the exporter
#   runs and pg_up is 0. The same driver is that of golang-migrate and dbmate. So do programs whose variables say so in words of their own (DATABASE_SSL=true, DB_SSL_MODE=require), and Outline unless PGSSLMODE is disable. The other way round, Zalando's and CrunchyData's operators let nobody in without TLS unless pg_hba lines of one's own say otherwise: a client with
#   sslmode=disable is rejected ("no encryption", "SSL required" of their PgBouncer), and so is a PgBouncer whose server_tls_sslmode is disable, the default before its release 1.20. Of a plain server its pg_hba.conf says so. A client certificate in place of a password counts only where a line of pg_hba has the method cert; where the first line for a client wants a certificate (cert, clientcert=verify-full), one that has none is refused. Looked at are the variables of the containers beside the server, and of Deployments and StatefulSets that name one of its Services, or take its host from the Secret that the operator makes.
#   A cluster that is copied from another one, or follows it, does not come up where sslmode=verify-full meets a certificate without the name of the host, or verify-ca and verify-full no
#   certificate of an authority. Certificates that an operator creates itself are renewed only as long as the manifest does not name their Secrets: named there, they count as somebody's own and expire.
#   One that cert-manager makes for the names of another Service alone, such as the operator's webhook, proves nothing to clients of the cluster.
#   So does a client that verifies the name of a Pooler of CloudNativePG, or of a Service of one's own before its pods: their certificate has the names of the operator's Services and those of serverAltDNSNames (an error). A certificate of one's own may lack those of the operator's Services themselves (an error).
#   Nor do programs on node-postgres come through that verify it by sslmode=require, which is verify-full to it, or by words of their own (n8n, Flowise) without the CA that the operator makes (an error; of what is
#   known to be Node.js alone an info).
#   Neither do programs get in whose own default is to go without TLS and whose variables do not ask for it: Concourse, Directus, Flowise, Gitea, Grafana, Harbor, Kong, n8n, Temporal, Vikunja.
#   Databases of DigitalOcean, Aiven and Neon let nobody in without TLS, and Azure's do not by default; looked at are clients that are reviewed by themselves and call one of their hosts.
#   RDS does so by default since 15: what says that it goes without is a warning there.
# related_resources:
#   - https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-SSLMODE-STATEMENTS
#   - https://pkg.go.dev/github.com/lib/pq#hdr-Connection_String_Parameters
#   - https://github.com/prometheus-community/postgres_exporter/issues/45
#   - https://github.com/zalando/postgres-operator/issues/2020
#   - https://github.com/zalando/postgres-operator/issues/2734
#   - https://github.com/zalando/postgres-operator/issues/2620
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/2490
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/3301
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/5098
#   - https://github.com/IBM/ibm-common-service-operator/pull/2866
#   - https://cloudnative-pg.io/documentation/current/certificates/
#   - https://github.com/KBVE/kbve/pull/7689
#   - https://github.com/skyportal/skyportal/pull/6801
#   - https://github.com/Unleash/helm-charts/pull/145
#   - https://node-postgres.com/features/ssl
#   - https://github.com/brianc/node-postgres/issues/2375
#   - https://github.com/outline/outline/issues/1501
#   - https://www.pgbouncer.org/config.html#server_tls_sslmode
#   - https://github.com/n8n-io/n8n/issues/7413
#   - https://neon.com/docs/connect/connect-securely
#   - https://aiven.io/developer/query-a-postgresql-database
#   - https://github.com/MicrosoftDocs/azure-docs/blob/main/articles/postgresql/flexible-server/how-to-connect-tls-ssl.md
#   - https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/PostgreSQL.Concepts.General.SSL.html
#   - https://github.com/casdoor/casdoor-helm/issues/24
#   - https://github.com/chainloop-dev/chainloop/issues/266
#   - https://github.com/burningalchemist/sql_exporter/issues/122
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write sslmode=disable for a client in the same pod, or give the server a certificate (ssl, ssl_cert_file, ssl_key_file); sslmode=require for a server that rejects the rest.
#   sources: []
package walguard.checks.access.tls_expected

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.addresses

findings contains f if {
	some one in get.list(model.cluster, "tls_wanted")
	f := object.union(
		finding.at(one, sprintf("Container %s insists on TLS (%s), and the server has ssl=off: every connection fails. %s there, or give the server a certificate.", [one.client, one.asks, without(one.asks)])),
		{"severity": level_of | level_of := one.level},
	)
}

without(asks) := "Set PGSSLMODE to disable" if startswith(asks, "no PGSSLMODE")

without(asks) := "Write sslmode=disable" if {
	regex.match(`(?i)sslmode`, asks)
	not startswith(asks, "no PGSSLMODE")
}

without(asks) := "Turn it off" if not regex.match(`(?i)sslmode`, asks)

findings contains f if {
	some one in addresses.plain
	f := finding.with_severity(finding.at(one, sprintf("Container %s connects without TLS (%s), and %s lets nobody in without it%s: every connection is refused. %s.", [one.client, one.asks, one.of, one.because, encrypt(one.asks)])), level(one))
}

findings contains f if {
	some one in addresses.plain_by_default
	f := finding.with_severity(finding.at(one, sprintf("Container %s connects without TLS, the default of %s, and %s lets nobody in without it%s: every connection is refused. %s.", [one.client, one.program, one.of, one.because, one.cure])), level(one))
}

findings contains f if {
	some one in array.concat(addresses.poolers, addresses.poolers_by_variables)
	f := finding.with_severity(finding.at(one, sprintf("%s connects without TLS (%s), and the server lets nobody in without it (\"%s\"): all logins through it fail. Set server_tls_sslmode to require.", [one.client, one.asks, model.cluster.tls_only.value])), "error")
}

level(one) := object.get(one, "level", "error")

encrypt(asks) := "Write require instead of disable" if endswith(asks, "=disable")

encrypt(asks) := "Turn TLS on there" if not endswith(asks, "=disable")

findings contains f if {
	some one in addresses.certificates
	f := finding.at(one, sprintf("Container %s logs in with a certificate and no password, and no line of pg_hba.conf takes one (\"%s\" decides): every connection is refused. Add a line such as \"hostssl DATABASE USER all cert\", or give the client the password.", [one.client, model.cluster.password_only.value]))
}

findings contains f if {
	some one in addresses.uncertified
	f := finding.with_severity(finding.at(one, sprintf("Container %s has no client certificate, and the first line of pg_hba.conf for it wants one (\"%s\"): every connection is refused. Give it one (PGSSLCERT and PGSSLKEY), or write scram-sha-256 there.", [one.client, one.text])), "error")
}

findings contains f if {
	some one in addresses.misnamed
	f := finding.with_severity(finding.at(one, sprintf("Container %s verifies the name of its host (%s), and the certificate of %s has no name %s: every connection fails. %s.", [one.client, one.asks, one.of, one.host, one.cure])), "error")
}

findings contains f if {
	some one in addresses.untrusting
	f := finding.with_severity(finding.at(one, sprintf("Container %s verifies the certificate (%s) and has no CA of the server: \"self-signed certificate\". %s.", [one.client, one.asks, one.cure])), one.level)
}

findings contains f if {
	some one in get.list(model.cluster, "unproven_hosts")
	f := finding.with_severity(finding.at(one, sprintf("%s: this cluster cannot be copied from there. %s.", [one.reason, one.cure])), "error")
}

findings contains f if {
	one := model.cluster.misissued
	f := finding.at(one, sprintf("%s: clients with sslmode=verify-full give up. %s.", [one.reason, one.cure]))
}

findings contains f if {
	one := model.cluster.unrenewed
	f := finding.at(one, sprintf("%s names %s, which the operator creates itself: named there they count as the user's, and nobody renews them; they expire after %d days. Remove %s, or name Secrets of your own.", [one.field, one.secrets, one.days, one.field]))
}
