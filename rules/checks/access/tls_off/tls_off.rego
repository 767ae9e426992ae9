# METADATA
# title: Passwords and data cross the network unencrypted
# description: |
#   The operator would give the server a certificate and TLS, and a parameter switches it off, or a line of pg_hba.conf is for
#   connections without TLS from everywhere (hostnossl). Whoever can see the network between the pods then sees every query and its
#   result. PostgreSQL's own default, off without a certificate, is not reported. Info of a client that asks for no TLS (sslmode=disable) where the server speaks it and lets it in without, as CloudNativePG's does,
#   unless a service mesh may encrypt what it sends.
# related_resources:
#   - https://www.postgresql.org/docs/current/ssl-tcp.html
#   - https://github.com/KBVE/kbve/pull/13394
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave ssl on and use hostssl lines; clients without TLS fail visibly.
#   sources: []
package walguard.checks.access.tls_off

import data.walguard.lib.finding
import data.walguard.lib.hba
import data.walguard.model
import data.walguard.model.addresses

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

findings contains f if {
	some one in addresses.unencrypted
	f := finding.with_severity(finding.at(one, sprintf("Container %s connects without TLS (%s), although the server offers it: queries and results cross the network unencrypted. %s.", [one.client, one.asks, encrypt(one.asks)])), "info")
}

encrypt(asks) := "Write require instead of disable" if endswith(asks, "=disable")

encrypt(asks) := "Turn TLS on there" if not endswith(asks, "=disable")
