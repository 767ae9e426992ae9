# METADATA
# description: postgresql.conf, token by token as the lexer of PostgreSQL (guc-file.l) reads it.
# related_resources:
#   - https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/misc/guc-file.l
package walguard.postgres.lexer

import data.walguard.lib.get
import data.walguard.postgres.number

# METADATA
# description: |
#   A postgresql.conf as PostgreSQL's lexer reads it: [{"name": in lower case, "value": unquoted, "line": from 1}] in the order
#   of the file, the last of a name wins. include, include_if_exists and include_dir are entries like others. A line that is a
#   syntax error, which keeps the server from starting, is {"error": what is wrong, "line"}.
settings(text) := [setting |
	is_string(text)
	some index, line in split(text, "\n")
	body := trim_left(line, " \t\r")
	body != ""
	not startswith(body, "#")
	setting := setting_of(body, index + 1)
]

# Name, then "=", space or nothing, then one value, then at most a comment. The tokens are those of guc-file.l; a character
# beyond ASCII is a letter there.
line_pattern := concat("", [
	`^([A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}]*(?:\.[A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}]*)?)`,
	`(?:(?:[ \t\r]*=[ \t\r]*|[ \t\r]+)(`, value_pattern, `)|('(?:[^'\\]|\\.|'')*'|\+`, digits, `))[ \t\r]*(?:#.*)?$`,
])

digits := `(?:0x[0-9a-fA-F]+[a-zA-Z]*|[0-9]+[a-zA-Z]*|[0-9]*\.[0-9]*(?:[Ee][+-]?[0-9]+)?)`

value_pattern := concat("", [`'(?:[^'\\]|\\.|'')*'|[A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}._:/-]*|[+-]?`, digits])

# Two words with a point between them are a name to the lexer, and no value.
qualified_name := `^[A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}]*\.[A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}]*$`

setting_of(body, line) := setting if {
	found := regex.find_all_string_submatch_n(line_pattern, body, 1)
	count(found) == 1
	written := concat("", [found[0][2], found[0][3]])
	not regex.match(qualified_name, written)
	setting := {"name": get.lower_case(found[0][1]), "value": unquoted(written), "line": line}
}

setting_of(body, line) := {"error": sprintf("syntax error: %s", [body]), "line": line} if not regex.match(line_pattern, body)

setting_of(body, line) := {"error": sprintf("syntax error: the value needs quotes: %s", [body]), "line": line} if {
	found := regex.find_all_string_submatch_n(line_pattern, body, 1)
	count(found) == 1
	regex.match(qualified_name, concat("", [found[0][2], found[0][3]]))
}

unquoted(written) := written if not startswith(written, "'")

unquoted(written) := replace(substring(written, 1, count(written) - 2), "''", "'") if {
	startswith(written, "'")
	not contains(written, "\\")
}

unquoted(written) := concat("", [unescaped(piece) |
	some piece in regex.find_n(`\\[0-7][0-7]?[0-7]?|\\.|''|[^'\\]+`, substring(written, 1, count(written) - 2), -1)
]) if {
	startswith(written, "'")
	contains(written, "\\")
}

unescaped(piece) := piece if {
	not startswith(piece, "\\")
	piece != "''"
}

unescaped("''") := "'"

unescaped(piece) := escapes[substring(piece, 1, -1)] if {
	startswith(piece, "\\")
	escapes[substring(piece, 1, -1)]
}

unescaped(piece) := character(number.based(substring(piece, 1, -1), 3)) if octal_escape(piece)

unescaped(piece) := substring(piece, 1, -1) if {
	startswith(piece, "\\")
	not escapes[substring(piece, 1, -1)]
	not octal_escape(piece)
}

escapes := {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

octal_escape(piece) if {
	startswith(piece, "\\")
	indexof("01234567", substring(piece, 1, 1)) >= 0
}

# ASCII from 1 on; no value of a parameter needs another character by its number.
ascii := "\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u0009\u000a\u000b\u000c\u000d\u000e\u000f\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\u007f"

character(code) := substring(ascii, code - 1, 1) if {
	code > 0
	code < 128
}

character(0) := "?"

character(code) := "?" if code > 127
