# METADATA
# title: A line of pg_hba.conf is never reached
# description: |
#   PostgreSQL takes the first line of pg_hba.conf that matches a connection, and no other. A line behind one for all databases, all users and all addresses, or for the same
#   addresses or the socket, decides nothing: the user it was written for is rejected, or let in without what it asks for. So does the line that CloudNativePG writes for LDAP behind those of pg_hba. Nor does a line for some networks keep the others out
#   where the operator lets in everybody with a password behind it, as CloudNativePG does: that is info, since it may be meant.
# related_resources:
#   - https://www.postgresql.org/docs/current/auth-pg-hba-conf.html
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/7156
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the special lines before the general one.
#   sources: []
package walguard.checks.access.hba_unreached

import data.walguard.lib.finding
import data.walguard.lib.hba
import data.walguard.lib.placeholder
import data.walguard.model

rules := hba.rules(model.cluster.hba)

findings contains f if {
	some i, later in rules
	earlier := [rule |
		some j, rule in rules
		j < i
		hba.covers(rule, later)
	]
	count(earlier) > 0
	verdict(earlier[0].method) != verdict(later.method)
	not harmless(earlier[0].method, later.method)
	not regex.match(`streaming_replica\s.*\scert\b`, later.text)
	not placeholder.holds(later.text)
	not placeholder.holds(earlier[0].text)
	f := finding.at(later, sprintf("\"%s\" decides nothing: \"%s\" before it matches every such connection. %s.", [later.text, earlier[0].text, cure(later)]))
}

# What the operator writes behind the user's lines for a setting of its own.
findings contains f if {
	behind := model.cluster.hba_behind
	later := hba.rules([{"line": behind.value, "path": behind.path}])[0]
	earlier := [rule | some rule in rules; hba.covers(rule, later)]
	count(earlier) > 0
	count([1 | some rule in rules; placeholder.holds(rule.text)]) == 0
	f := finding.at(later, sprintf("\"%s\", which the operator writes behind those of pg_hba, decides nothing: \"%s\" there matches every such connection. Narrow that line to the users who have a password.", [later.text, earlier[0].text]))
}

# What lets some addresses in keeps no other one out where the operator lets in all of them behind it.
findings contains f if {
	rest := model.cluster.hba_rest.value
	let_in := [rule | some rule in rules; rule.method != "reject"; not hba.own(rule)]
	narrow := [rule | some rule in let_in; verdict(rule.method) == "password"; not hba.everywhere(rule)]
	count(narrow) > 0
	count([1 | some rule in let_in; hba.everywhere(rule)]) == 0
	count([1 | some rule in rules; rule.method == "reject"]) == 0
	count([1 | some rule in rules; placeholder.holds(rule.text)]) == 0
	f := finding.with_severity(
		finding.at(narrow[0], sprintf("\"%s\" shuts no address out: the operator writes \"%s\" behind it. If no other address is to be let in, end with \"host all all all reject\".", [narrow[0].text, rest])),
		"info",
	)
}

# In front it would shut out everybody whom the other one lets in.
cure(later) := "Remove it, or narrow the line before it" if shuts_out(later)

cure(later) := "Move it up" if not shuts_out(later)

shuts_out(later) if {
	later.method == "reject"
	hba.everywhere(later)
	"all" in later.databases
	"all" in later.users
}

# What asks for a password lets in whom another such line would.
verdict(method) := "password" if method in {"md5", "scram-sha-256", "password"}

verdict(method) := method if not method in {"md5", "scram-sha-256", "password"}

# Whoever was to be let in without a password is let in with one.
harmless(earlier, "trust") if earlier != "reject"
