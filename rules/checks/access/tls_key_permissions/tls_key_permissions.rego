# METADATA
# title: The server cannot take its private key
# description: |
#   PostgreSQL takes a private key only when it is its own with mode 0600 or less, or root's with 0640 or less and readable through its
#   group; with any other it does not start: "private key file has group or world access", or "Permission denied". Files of a Secret
#   belong to root and have mode 0644 unless defaultMode says otherwise; fsGroup makes them readable for the group of the pod. Smallstep's autocert writes keys with mode 0644 too, unless the pod has an
#   annotation for the mode.
# related_resources:
#   - https://www.postgresql.org/docs/current/ssl-tcp.html#SSL-SETUP
#   - https://postgres-operator.readthedocs.io/en/latest/user/#custom-tls-certificates
#   - https://github.com/smallstep/autocert/issues/53
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Mount the Secret with defaultMode 0640 and set fsGroup to the group of postgres (spiloFSGroup in Zalando clusters).
#   sources: []
package walguard.checks.access.tls_key_permissions

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	key := model.cluster.tls_key
	f := finding.with_severity(
		finding.at(key, sprintf("The server cannot take its TLS key: %s. %s.", [key.reason, key.cure])),
		severities[key.certain],
	)
}

# What the operator's configuration says may be out of sight.
severities := {true: "error", false: "warning"}
