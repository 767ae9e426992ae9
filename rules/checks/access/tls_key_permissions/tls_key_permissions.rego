# METADATA
# title: A server or a client cannot take its private key
# description: |
#   PostgreSQL takes a private key only when it is its own with mode 0600 or less, or root's with 0640 or less and readable through its
#   group; with any other it does not start: "private key file has group or world access", or "Permission denied". Files of a Secret
#   belong to root and have mode 0644 unless defaultMode says otherwise; fsGroup makes them readable for the group of the pod. Smallstep's autocert writes keys with mode 0644 too, unless the pod has an
#   annotation for the mode. A client whose driver is libpq or lib/pq asks the same of the key in sslkey or PGSSLKEY, and does not connect; a warning where the driver is not known.
# related_resources:
#   - https://www.postgresql.org/docs/current/ssl-tcp.html#SSL-SETUP
#   - https://postgres-operator.readthedocs.io/en/latest/user/#custom-tls-certificates
#   - https://github.com/smallstep/autocert/issues/53
#   - https://github.com/postgres/postgres/blob/master/src/interfaces/libpq/fe-secure-openssl.c
#   - https://github.com/lib/pq/blob/master/ssl_permissions.go
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Mount the Secret with defaultMode 0640 and set fsGroup to the group of postgres (spiloFSGroup in Zalando clusters).
#   sources: []
package walguard.checks.access.tls_key_permissions

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.addresses

findings contains f if {
	key := model.cluster.tls_key
	f := finding.with_severity(
		finding.at(key, sprintf("The server cannot take its TLS key: %s. %s.", [key.reason, key.cure])),
		severities[key.certain],
	)
}

findings contains f if {
	some key in addresses.open_keys
	f := finding.with_severity(
		finding.at(key, sprintf("%s cannot take its TLS key: %s. %s.", [key.client, key.reason, key.cure])),
		severities[key.certain],
	)
}

# What the operator's configuration says may be out of sight.
severities := {true: "error", false: "warning"}
