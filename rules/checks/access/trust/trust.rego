# METADATA
# title: Anybody may log in without a password
# description: |
#   The method trust in pg_hba.conf asks for nothing: whoever reaches the port is any user he names, superuser included. In Kubernetes
#   every pod reaches it unless a NetworkPolicy says otherwise, and one vulnerable web application is enough. It is an error for all
#   addresses and users, a warning for a network or for single users. Trust on the socket and on loopback is how images and operators
#   work and is not reported; nor is it with a client certificate (clientcert=verify-full). More than three lines of one severity in one place are one finding. The method ident over the network asks the
#   client's own machine who he is, which any pod can answer as it likes: a warning. A script of a container that writes a line with trust, ident or include is a
#   warning too, as is a ConfigMap with such lines whose server is not in sight, and lines that stand where walguard does not read (include, hba_file) are named. A pooler asks its clients itself: auth_type trust or any of PgBouncer, and lines with trust in
#   the file that it reads, are an error in front of an operator's cluster, a warning where a workload runs one by itself (also Pgpool-II, PgCat, PgDog, Odyssey), and no matter on loopback.
# related_resources:
#   - https://www.postgresql.org/docs/current/auth-trust.html
#   - https://www.postgresql.org/docs/current/auth-ident.html
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#postgres_host_auth_method
#   - https://www.pgbouncer.org/config.html#auth_type
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Use scram-sha-256 instead of trust, with a password from a Secret.
#   sources: []
package walguard.checks.access.trust

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.pooling
import data.walguard.model
import data.walguard.model.containers

rules := hba.reachable(hba.rules(model.cluster.hba))

trusting := [object.union(rule, {"severity": severity}) |
	some rule in rules
	rule.method == "trust"
	not hba.own(rule)
	not certified(rule)
	severity := severity_of(rule)
]

# Of many lines in one place the first speaks for all.
findings contains f if {
	some i, rule in trusting
	alike := [j | some j, other in trusting; whereabouts(other) == whereabouts(rule)]
	speaks(i, alike)
	f := finding.with_severity(
		located(rule, sprintf("\"%s\" lets %s %s without a password%s. Use scram-sha-256 instead of trust.", [rule.text, from(rule), deed(rule), so_do(alike)])),
		rule.severity,
	)
}

whereabouts(rule) := [rule.severity, object.get(rule, "resource", {}), [key | some key in rule.path; is_string(key)]]

speaks(_, alike) if count(alike) <= one_by_one

speaks(i, alike) if i == alike[0]

so_do(alike) := "" if count(alike) <= one_by_one

so_do(alike) := sprintf(", and %d more lines are as open", [count(alike) - 1]) if count(alike) > one_by_one

# Lines that are told each at its place.
one_by_one := 3

# Who answers on port 113 of the client's address says who he is.
findings contains f if {
	some rule in rules
	rule.method == "ident"
	rule.type != "local"
	not hba.own(rule)
	severity_of(rule)
	f := finding.with_severity(
		located(rule, sprintf("\"%s\" lets %s %s: ident asks the client's own machine for his name, and any pod can answer. Use scram-sha-256 instead of ident.", [rule.text, from(rule), deed(rule)])),
		"warning",
	)
}

# A pooler asks its clients itself, and logs in to the server with what it has or looks up.
findings contains f if {
	some one in get.list(model.cluster, "open_poolers")
	f := finding.with_severity(
		finding.at(one, sprintf("%s lets anyone who reaches it log in without a password (%s), as any user that it knows. %s.", [one.pooler, one.text, one.cure])),
		object.get(one, "level", "error"),
	)
}

findings contains f if {
	some one in get.list(model.cluster, "pooler_lines")
	some rule in pooling.open_lines(one.lines)
	severity := severity_of(rule)
	f := finding.with_severity(
		located(rule, sprintf("\"%s\" of %s lets %s %s without a password. Use scram-sha-256 or md5 instead of trust.", [rule.text, one.pooler, from(rule), deed(rule)])),
		severity,
	)
}

# What a container, or a script of the first start, adds to the file.
findings contains f if {
	some door in array.concat(get.list(model.cluster, "hba_added"), containers.doors)
	f := finding.with_severity(finding.at(door, deed_of_door(door)), "warning")
}

deed_of_door(door) := sprintf("%s lets clients log in without a password%s. Use scram-sha-256 instead of trust.", [door.source, quoted(door)]) if {
	not regex.match(`^(\?$|include|ident$)|\sident$`, door.text)
}

deed_of_door(door) := sprintf("Who logs in without a password is also up to what walguard does not read: %s writes %s into pg_hba.conf. Write the lines where it reads them.", [lower_first(door.source), subject]) if {
	regex.match(`^(\?$|include)`, door.text)
	subject := {true: sprintf("%q", [door.text]), false: "what it decodes or fetches"}[startswith(door.text, "include")]
}

deed_of_door(door) := sprintf("%s has the method ident written into pg_hba.conf: it asks the client's own machine for his name, and any pod can answer. Use scram-sha-256 instead.", [door.source]) if {
	regex.match(`^ident$|\sident$`, door.text)
}

lower_first(text) := concat("", [lower(substring(text, 0, 1)), substring(text, 1, -1)])

quoted(door) := sprintf(" (\"%s\")", [concat(" ", hba.words_of(door.text))]) if door.text != "trust"

quoted(door) := " (it puts trust in the place of another method)" if door.text == "trust"

# Lines that nobody sees.
findings contains f if {
	some place in array.concat([object.union(entry, {"source": sprintf("%s, which the file includes", [entry.file]), "severity": "warning"}) | some entry in hba.included(get.list(model.cluster, "hba"))], get.list(model.cluster, "hba_unread"))
	f := finding.with_severity(
		located(place, sprintf("Who logs in without a password is also up to %s, which walguard does not read. Write the lines where it reads them.", [place.source])),
		object.get(place, "severity", inventory.unread),
	)
}

# The server takes another file than the one whose lines are read.
findings contains f if {
	setting := model.written.hba_file
	not model.cluster.hba_file_read
	not setting.name in object.keys(get.map(model.cluster, "managed"))
	f := finding.with_severity(
		finding.at(setting, sprintf("Who logs in without a password is up to %s (hba_file), which walguard does not read. Write the lines where it reads them.", [setting.text])),
		inventory.unread,
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

# All names below a domain; the server asks for the name of the address, and of a pod behind a headless Service that is one of the cluster's.
network(rule) if startswith(rule.address, ".")

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
