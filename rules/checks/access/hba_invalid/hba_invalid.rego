# METADATA
# title: A line of pg_hba.conf cannot be read
# description: |
#   One line that PostgreSQL cannot read spoils the whole file: a server that starts says "could not load pg_hba.conf" and ends, and one that runs keeps the rules
#   it has ("pg_hba.conf was not reloaded"), so that the mistake shows at the next restart. The messages were seen on servers of 12, 17 and 18; a method that
#   the server was built without is not known here. So it is with options behind the method: one that there is not or that belongs to another method, clientcert on a line that is not
#   hostssl, and clientcert=1, which 14 no longer takes.
# related_resources:
#   - https://www.postgresql.org/docs/current/auth-pg-hba-conf.html
#   - https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/libpq/hba.c
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the line as type, databases, users, address (not for local) and method.
#   sources: []
package walguard.checks.access.hba_invalid

import data.walguard.lib.finding
import data.walguard.lib.hba
import data.walguard.lib.placeholder
import data.walguard.model

findings contains f if {
	some entry in model.cluster.hba
	not unread(entry.line)
	words := hba.words_of(entry.line)
	not startswith(words[0], "include")
	told := mistake(words)
	place := object.union(object.filter(entry, ["path", "resource"]), {"line": number | number := entry.number})
	f := finding.at(place, sprintf("\"%s\" in pg_hba.conf cannot be read: %s. PostgreSQL does not start with it; %s.", array.concat([concat(" ", words)], told)))
}

# Names with spaces, other files, and what an operator or a chart puts in.
unread(line) if {
	some mark in [`"`, "@", "$"]
	contains(line, mark)
}

unread(line) if placeholder.holds(line)

# What is wrong, and what to do about it; of several mistakes the first.
mistake(words) := [sprintf("%s is no type of connection", [words[0]]), sprintf("begin it with %s", [began(words[0])])] if {
	not words[0] in types
} else := [sprintf("it names no %s", [expected[count(words)]]), "a line has a type, databases, users, an address (not for local) and a method"] if {
	count(words) < fewest(words[0])
} else := [sprintf("%s are several addresses", [words[3]]), "write a line for each"] if {
	remote(words)
	contains(words[3], ",")
} else := [sprintf("%s is a name with a mask", [words[3]]), "write the name alone, or addresses"] if {
	remote(words)
	regex.match(`^[^:/]*[a-zA-Z_*-][^:/]*/`, words[3])
} else := [sprintf("%s has no mask that there is", [words[3]]), sprintf("write bits behind the slash, at most %d", [bits(words[3])])] if {
	remote(words)
	not fits(words[3])
} else := [sprintf("%s has no mask", [words[3]]), sprintf("write %s", [masked(words[3])])] if {
	remote(words)
	regex.match(`^([0-9]+\.){3}[0-9]+$|^[0-9a-fA-F:]*:[0-9a-fA-F:]*$`, words[3])
	not address_has_mask(words)
} else := ["it names no method", "end it with scram-sha-256, or reject"] if {
	not method(words)
} else := [sprintf("%s is no method", [method(words)]), sprintf("write %s", [nearest(method(words))])] if {
	not method(words) in methods
} else := [sprintf("%s works on local sockets alone", [method(words)]), "take scram-sha-256, or begin the line with local"] if {
	remote(words)
	method(words) == "peer"
} else := [sprintf("%s works with hostssl alone", [method(words)]), "begin the line with hostssl"] if {
	method(words) == "cert"
	words[0] != "hostssl"
} else := [sprintf("%s stands behind the method, and is no option in the form name=value", [odd(words)[0]]), "take it out"] if {
	count(odd(words)) > 0
} else := refused_option(words[0], method(words), [word | some word in words; contains(word, "=")])

# parse_hba_auth_opt and parse_hba_line of hba.c: names of options, what they are for, and what must be said.
refused_option(type, way, options) := [sprintf("%s is no option", [name_of(unknown[0])]), "take it out"] if {
	unknown := [option | some option in options; not methods_of[name_of(option)]; not startswith(option, "validator.")]
	count(unknown) > 0
} else := [sprintf("%s is an option of hostssl alone", [name_of(plain[0])]), "begin the line with hostssl"] if {
	plain := [option | some option in options; name_of(option) in {"clientcert", "clientname"}]
	count(plain) > 0
	type != "hostssl"
} else := [sprintf("%s is none of the method %s", [name_of(strange[0]), way]), "take it out"] if {
	strange := [option | some option in options; count(methods_of[name_of(option)]) > 0; not way in methods_of[name_of(option)]]
	count(strange) > 0
} else := [sprintf("%s is no value", [old[0]]), sprintf("write clientcert=%s", [{true: "verify-full", false: "verify-ca"}[way == "cert"]])] if {
	old := [option | some option in options; name_of(option) == "clientcert"; not value_of(option) in values_of_clientcert(way)]
	count(old) > 0
} else := ["ldap has neither ldapbasedn nor ldapprefix or ldapsuffix", "add one"] if {
	way == "ldap"
	count([1 | some option in options; name_of(option) in {"ldapbasedn", "ldapprefix", "ldapsuffix", "ldapurl"}]) == 0
} else := ["ldap has ldapprefix or ldapsuffix beside options of a search", "leave one of the two ways"] if {
	way == "ldap"
	count([1 | some option in options; name_of(option) in {"ldapprefix", "ldapsuffix"}]) > 0
	count([1 | some option in options; name_of(option) in {"ldapbasedn", "ldapbinddn", "ldapbindpasswd", "ldapsearchattribute", "ldapsearchfilter"}]) > 0
} else := [sprintf("%s has no %s", [way, lacking[0]]), sprintf("add %s=", [lacking[0]])] if {
	lacking := [name | some name in needed_by[way]; count([1 | some option in options; name_of(option) == name]) == 0]
	count(lacking) > 0
}

name_of(option) := split(option, "=")[0]

value_of(option) := substring(option, indexof(option, "=") + 1, -1)

# Releases before 14 know 0, 1 and no-verify too, and the method cert verifies in full.
values_of_clientcert("cert") := {"verify-full"} | {value | some value in ["1", "verify-ca"]; not recent}

values_of_clientcert(way) := {"verify-ca", "verify-full"} | {value | some value in ["0", "1", "no-verify"]; not recent} if way != "cert"

recent if model.major >= 14

needed_by := {"oauth": ["issuer", "scope"], "radius": ["radiusservers", "radiussecrets"]}

# An empty set is every method.
methods_of := object.union_n([
	{"map": {"ident", "peer", "gss", "sspi", "cert", "oauth"}, "clientcert": set(), "clientname": set(), "krb_realm": {"gss", "sspi"}, "include_realm": {"gss", "sspi"}, "compat_realm": {"sspi"}, "upn_username": {"sspi"}},
	{name: {"pam"} | some name in ["pamservice", "pam_use_hostname"]},
	{sprintf("ldap%s", [name]): {"ldap"} | some name in ["url", "tls", "scheme", "server", "port", "binddn", "bindpasswd", "searchattribute", "searchfilter", "basedn", "prefix", "suffix"]},
	{sprintf("radius%s", [name]): {"radius"} | some name in ["servers", "ports", "secrets", "identifiers"]},
	{name: {"oauth"} | some name in ["issuer", "scope", "validator", "delegate_ident_mapping"]},
])

types := {"local", "host", "hostssl", "hostnossl", "hostgssenc", "hostnogssenc"}

began(word) := lower(word) if lower(word) in types

began(word) := "local, host or hostssl" if not lower(word) in types

remote(words) if words[0] in (types - {"local"})

# Only a line for sockets ends with its fourth word.
expected := {1: "database", 2: "user", 3: "address"}

fewest("local") := 3

fewest(type) := 4 if type != "local"

address_has_mask(words) if {
	remote(words)
	regex.match(`^([0-9]+\.){3}[0-9]+$|:`, words[4])
}

method(words) := words[3] if not remote(words)

method(words) := words[4] if {
	remote(words)
	not address_has_mask(words)
}

method(words) := words[5] if address_has_mask(words)

# To ident and peer, what the system says; bsd, pam and others where the server was built with them.
methods := {"trust", "reject", "md5", "password", "scram-sha-256", "gss", "sspi", "ident", "peer", "pam", "bsd", "ldap", "radius", "cert", "oauth"}

nearest(word) := lower(word) if lower(word) in methods

nearest(word) := "scram-sha-256" if not lower(word) in methods

odd(words) := [word |
	some i, word in words
	i > {true: 5, false: {true: 4, false: 3}[is_remote(words)]}[has_mask(words)]
	not contains(word, "=")
]

is_remote(words) := words[0] != "local"

has_mask(words) := count([1 | address_has_mask(words)]) > 0

# Whether the mask behind the slash is one; what has none, or is a name, is looked at elsewhere.
fits(address) if not regex.match(`^[0-9.]+/|:.*/`, address)

fits(address) if {
	given := split(address, "/")[1]
	regex.match({32: `^0*([12]?[0-9]|3[0-2])$`, 128: `^0*([1-9]?[0-9]|1[01][0-9]|12[0-8])$`}[bits(address)], given)
}

bits(address) := 32 if not contains(address, ":")

bits(address) := 128 if contains(address, ":")

masked(address) := concat("", [address, "/0"]) if address in {"0.0.0.0", "::"}

masked(address) := sprintf("%s/%d", [address, bits(address)]) if not address in {"0.0.0.0", "::"}
