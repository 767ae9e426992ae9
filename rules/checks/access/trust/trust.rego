# METADATA
# title: Anybody may log in without a password
# description: |
#   The method trust in pg_hba.conf asks for nothing: whoever reaches the port is any user he names, superuser included. In Kubernetes
#   every pod reaches it unless a NetworkPolicy says otherwise, and one vulnerable web application is enough. It is an error for all
#   addresses and users, a warning for a network or for single users. Trust on the socket and on loopback is how images and operators
#   work and is not reported; nor is it with a client certificate (clientcert=verify-full).
# related_resources:
#   - https://www.postgresql.org/docs/current/auth-trust.html
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#postgres_host_auth_method
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Use scram-sha-256 instead of trust, with a password from a Secret.
#   sources: []
package walguard.checks.access.trust

import data.walguard.lib.finding
import data.walguard.lib.hba
import data.walguard.model

rules := hba.reachable(hba.rules(model.cluster.hba))

findings contains f if {
	some rule in rules
	rule.method == "trust"
	not hba.own(rule)
	not certified(rule)
	severity := severity_of(rule)
	f := finding.with_severity(
		located(rule, sprintf("\"%s\" lets %s %s without a password. Use scram-sha-256 instead of trust.", [rule.text, from(rule), deed(rule)])),
		severity,
	)
}

located(rule, message) := object.union({"message": message, "path": rule.path}, object.union(
	object.filter(rule, ["resource"]),
	{"line": n | n := rule.number},
))

certified(rule) if {
	some option in rule.options
	option in {"clientcert=verify-ca", "clientcert=verify-full", "clientcert=1"}
}

severity_of(rule) := "error" if {
	hba.everywhere(rule)
	powerful(rule)
}

severity_of(rule) := "warning" if {
	hba.everywhere(rule)
	not powerful(rule)
}

severity_of(rule) := "warning" if network(rule)

powerful(rule) if {
	some user in rule.users
	user in {"all", "postgres"}
}

# A network of more than one address.
network(rule) if {
	not hba.everywhere(rule)
	contains(rule.address, "/")
	not endswith(rule.address, "/32")
	not endswith(rule.address, "/128")
	not endswith(rule.address, "/255.255.255.255")
}

network(rule) if rule.address == "samenet"

from(rule) := "anyone who reaches the port" if hba.everywhere(rule)

from(rule) := sprintf("anyone in %s", [rule.address]) if not hba.everywhere(rule)

deed(rule) := sprintf("log in as %s", [users(rule)]) if not replication(rule)

deed(rule) := "copy the whole server" if {
	replication(rule)
	"all" in rule.users
}

deed(rule) := sprintf("copy the whole server as %s", [users(rule)]) if {
	replication(rule)
	not "all" in rule.users
}

# Connections for replication alone: all data, in the form of files and WAL, and no SQL.
replication(rule) if {
	count(rule.databases) > 0
	every database in rule.databases {
		database == "replication"
	}
}

users(rule) := "any user" if "all" in rule.users

users(rule) := concat(", ", rule.users) if not "all" in rule.users
