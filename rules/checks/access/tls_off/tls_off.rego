# METADATA
# title: Passwords and data cross the network unencrypted
# description: |
#   The operator would give the server a certificate and TLS, and a parameter switches it off, or a line of pg_hba.conf is for
#   connections without TLS from everywhere (hostnossl). Whoever can see the network between the pods then sees every query and its
#   result. PostgreSQL's own default, off without a certificate, is not reported.
# related_resources:
#   - https://www.postgresql.org/docs/current/ssl-tcp.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave ssl on and use hostssl lines; clients without TLS fail visibly.
#   sources: []
package walguard.checks.access.tls_off

import data.walguard.lib.finding
import data.walguard.lib.hba
import data.walguard.model

findings contains f if {
	model.cluster.defaults.ssl == "on"
	setting := model.written.ssl
	setting.text in {"off", "false", "no", "0"}
	f := finding.with_parameter(
		finding.at(setting, sprintf("ssl=%s switches off the TLS that the operator sets up: passwords and data cross the network unencrypted. Set it to on.", [setting.text])),
		object.union(setting, {"origin": "written"}), "on",
	)
}

rules := hba.reachable(hba.rules(model.cluster.hba))

findings contains f if {
	some rule in rules
	rule.type == "hostnossl"
	not rule.method in {"reject", "gss"}
	hba.everywhere(rule)
	f := object.union(
		{
			"message": sprintf("\"%s\" is for connections without TLS from everywhere. Use hostssl.", [rule.text]),
			"path": rule.path,
		},
		object.union(object.filter(rule, ["resource"]), {"line": n | n := rule.number}),
	)
}
