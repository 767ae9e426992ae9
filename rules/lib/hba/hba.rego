# METADATA
# description: |
#   Lines of pg_hba.conf. A line is {"line": text, "path", "resource"?, "number"? (from 1, in the text at the path)}; they are in the order in
#   which the server tries them, and the first that matches decides.
# related_resources:
#   - https://www.postgresql.org/docs/current/auth-pg-hba-conf.html
package walguard.lib.hba

import data.walguard.lib.get
import data.walguard.lib.script

# METADATA
# description: A list of lines at a path of an object. Who writes them into the file puts line breaks in as they are.
listed(parent, path) := joined([{"line": line, "path": array.concat(path, [i])} |
	some i, entry in get.list(parent, path)
	is_string(entry)
	some line in split(entry, "\n")
])

# METADATA
# description: The lines of a text; place is what all of them have in common.
of_text(text, place) := [entry |
	some entry in joined([object.union({"line": line, "number": i + 1}, place) | some i, line in split(text, "\n")])
	trim_space(entry.line) != ""
]

# One that ends with a backslash goes on in the next, be it a comment (since PostgreSQL 14).
joined(lines) := lines if not broken(lines)

joined(lines) := [object.union(first, {"line": concat("", [trim_suffix(trim_right(lines[k].line, "\r"), "\\") | some k in numbers.range(i, last)])}) |
	some i, first in lines
	not goes_on(lines, i - 1)
	last := min(array.concat([j | some j, _ in lines; j >= i; not goes_on(lines, j)], [count(lines) - 1]))
] if {
	broken(lines)
}

broken(lines) if {
	some i, _ in lines
	goes_on(lines, i)
}

goes_on(lines, i) if endswith(trim_right(lines[i].line, "\r"), "\\")

# METADATA
# description: |
#   Lines that put another file in their place (since PostgreSQL 16), as {"file", "path", "resource"?, "number"?}.
included(lines) := [object.union(object.filter(entry, ["path", "resource", "number"]), {"file": concat(" ", array.slice(words, 1, count(words)))}) |
	some entry in lines
	startswith(trim_space(entry.line), "include")
	words := words_of(entry.line)
	words[0] in {"include", "include_dir", "include_if_exists"}
]

# METADATA
# description: |
#   What a script of the shell puts into pg_hba.conf, as it is written there: lines with the methods trust and ident, include and its like; "trust" or "ident" for each command that puts the
#   word in the place of another or into a line by printf, and "?" for what nobody can read. Trust on loopback is how images work, and left out.
in_script(text) := array.concat(array.concat(written_lines(text), array.concat(directives(text), default_method(text))), array.concat(put_in_place(text), unreadable(text))) if {
	regex.match(`hba|HOST_AUTH_METHOD`, text)
} else := []

# As it stands there, and as a shell and printf read it.
written_lines(text) := array.concat(plain, [line | some line in lines_of(as_read(text)); not line in plain]) if plain := lines_of(in_one_piece(text))

lines_of(text) := [line |
	some found in regex.find_all_string_submatch_n(`\b(host(?:no)?(?:ssl|gssenc)?[ \t]+[^\s"']+[ \t]+[^\s"']+[ \t]+[^\s"']+(?:[ \t]+[0-9.]+)?[ \t]+(?:trust\b|ident(?:[\s"']|$)))`, text, -1)
	line := concat(" ", words_of(trim(found[1], `"'`)))
	not for_itself(line)
]

as_read(text) := regex.replace(strings.replace_n({`\n`: "\n", `\t`: " "}, regex.replace(replace(script.filled(text, {}), "\\\n", " "), `\\\\\\n`, " ")), `["'\\]`, "")

default_method(text) := ["host all all all trust" | regex.match(`\bPOSTGRES_HOST_AUTH_METHOD=["']?trust\b`, text)]

directives(text) := [concat(" ", [found[1], found[2]]) |
	some pattern in [
		`\b(include(?:_dir|_if_exists)?)[ \t]+\\?["']?([^\s"';&|]+)[^\n;&|]*(?:>>?|\|\s*tee\s(?:-a\s+)?)\s*["']?[^\s;&|]*hba\b`,
		`\bsed\s[^\n;&|]*\b?[0-9$/][aic]\\?[ \t]*(include(?:_dir|_if_exists)?)[ \t]+["']?([^\s"';&|]+)[^\n;&|]*hba\b`,
	]
	some found in regex.find_all_string_submatch_n(pattern, text, -1)
]

put_in_place(text) := [method |
	some method in ["trust", "ident"]
	contains(text, method)
	some pattern in array.concat(by_sed, [
		`\bawk\b[^\n]*(?:sub\([^)\n]*|[^=!~]=[ \t]*)"%s"`,
		`[$][{]\w+/[^}\n]*/[^}\n/]*\b%s[}]`,
		`\bprintf\b[^\n]*\bhost[^\n]*%%s[^\n]*\b%s\b`,
	])
	regex.match(sprintf(pattern, [method]), text)
]

# By any mark between the two.
by_sed := [replace(`\bsed\b[^\n;]*[\s"';}]s[MARK](?:[^MARK\n\\]|\\.)*[MARK](?:[^MARK\n\\]|\\.)*(?:\b|\\[0-9])%s\b`, "MARK", mark) |
	some mark in ["/", "|", "#", ",", "@", "!", ":", "_", "~"]
]

# What is decoded or fetched on its way into the file.
unreadable(text) := ["?" | regex.match(`\b(base64|base32|xxd|openssl|curl|wget)\s[^\n;]*(>>?|\|\s*tee\s(-a\s+)?|\s-[oO]\s*)\s*["']?[^\s;&|]*hba\b`, text)]

# The server takes quotes around a word away, and a backslash at the end of a line.
in_one_piece(text) := regex.replace(replace(text, "\\\n", " "), `([ \t,])\\?"([^"\s]+?)\\?"`, "$1$2")

for_itself(line) if {
	some rule in rules([{"line": line}])
	own(rule)
}

# METADATA
# description: |
#   Lines as {"type", "databases", "users", "address"? (with a mask after a slash), "method", "options", and what the line had}; comments,
#   lines that include a file and what is no rule are left out.
rules(lines) := [rule |
	some entry in lines
	rule := parsed(entry)
]

parsed(entry) := object.union(object.filter(entry, ["path", "resource", "number"]), {
	"text": concat(" ", words),
	"type": words[0],
	"databases": split(words[1], ","),
	"users": split(words[2], ","),
	"method": words[3],
	"options": array.slice(words, 4, count(words)),
}) if {
	words := words_of(entry.line)
	words[0] == "local"
}

parsed(entry) := object.union(object.filter(entry, ["path", "resource", "number"]), {
	"text": concat(" ", words),
	"type": words[0],
	"databases": split(words[1], ","),
	"users": split(words[2], ","),
	"address": address(words),
	"method": words[after],
	"options": array.slice(words, after + 1, count(words)),
}) if {
	words := words_of(entry.line)
	words[0] in {"host", "hostssl", "hostnossl", "hostgssenc", "hostnogssenc"}
	after := {true: 5, false: 4}[masked(words)]
}

# METADATA
# description: The words of a line. A list of names goes on behind a comma and a space; what stands in quotes is no comment and no blank.
words_of(line) := [replace(regex.replace(word, `,[\s,]*`, ","), `"`, "") |
	some word in regex.find_n(`(?:"[^"]*"?|[^\s,"])+(?:,[\s,]*(?:"[^"]*"?|[^\s,"])+)*`, regex.find_n(`^(?:"[^"]*"?|[^"#])*`, line, 1)[0], -1)
]

# An address and its mask may be two words.
address(words) := words[3] if masked(words) == false

address(words) := concat("/", [words[3], words[4]]) if masked(words)

masked(words) := regex.match(`^[0-9a-fA-F.:]*[.:][0-9a-fA-F.:]*$`, words[4])

# METADATA
# description: True for addresses of the whole world. With a mask of nothing, no part of the address is compared.
everywhere(rule) if regex.match(`^all$|^[0-9:][0-9a-fA-F.:]*/(0+|0+(\.0+){3}|[0:]*::[0:]*)$`, rule.address)

# METADATA
# description: True for addresses of the server itself.
own(rule) if rule.type == "local"

own(rule) if rule.address in {"samehost", "localhost", "127.0.0.1/32", "127.0.0.1/255.255.255.255", "::1/128", "127.0.0.0/8"}

# METADATA
# description: True of a rule that lets in who has a certificate alone.
certified(rule) if rule.method == "cert"

certified(rule) if {
	some option in rule.options
	option in {"clientcert=1", "clientcert=verify-ca", "clientcert=verify-full"}
}

# METADATA
# description: True where everything that a later rule lets in is decided by an earlier one.
covers(earlier, later) if {
	connection_covered(earlier.type, later.type)
	addresses_covered(earlier, later)
	names_covered(earlier.databases, later.databases, "replication")
	names_covered(earlier.users, later.users, "")
}

connection_covered("host", _) := true

connection_covered(type, type) := true

addresses_covered(earlier, later) if {
	everywhere(earlier)
	same_family(earlier.address, later)
}

addresses_covered(earlier, later) if earlier.address == later.address

addresses_covered(earlier, later) if {
	earlier.type == "local"
	later.type == "local"
}

# The socket has no address, and addresses of version 4 are none of version 6.
same_family(all, later) if {
	all == "all"
	later.type != "local"
}

same_family(all, later) if {
	regex.match(`^[^:]+/`, all)
	regex.match(`^[0-9.]+/[0-9.]+$`, later.address)
}

same_family(all, later) if {
	contains(all, ":")
	contains(later.address, ":")
}

# "all" is every database, but not replication.
names_covered(some_names, wanted, special) if {
	not_named := {name | some name in wanted} - {name | some name in some_names}
	not_covered(some_names, not_named, special) == set()
}

not_covered(some_names, not_named, special) := not_named & {special} if "all" in some_names

not_covered(some_names, not_named, _) := not_named if not "all" in some_names

# METADATA
# description: The rules that some connection can reach, that is all that no earlier one covers.
reachable(all) := [rule |
	some i, rule in all
	count([1 | some j, earlier in all; j < i; covers(earlier, rule)]) == 0
]
