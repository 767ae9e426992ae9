# METADATA
# title: A line of pg_hba.conf cannot be read
# description: |
#   One line that PostgreSQL cannot read spoils the whole file: a server that starts says "could not load pg_hba.conf" and ends, and one that runs keeps the rules
#   it has ("pg_hba.conf was not reloaded"), so that the mistake shows at the next restart. The messages were seen on servers of 12, 17 and 18; a method that
#   the server was built without is not known here.
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
}

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
