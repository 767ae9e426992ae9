# METADATA
# description: |
#   What PostgreSQL knows about its parameters and how it reads their values. Pure functions: no input, no model.
#
#   The catalogue, data.walguard.postgres.parameters, is an object keyed by lower-case name, made from the latest minor
#   release of each major by tests/postgres/catalogue.py. An entry:
#     type       "bool" | "integer" | "real" | "enum" | "string"
#     context    when it may change: "internal" (never: not settable at all) | "postmaster" | "sighup" | "superuser-backend" |
#                "backend" | "superuser" | "user"
#     unit?      "B" | "kB" | "8kB" | "MB" | "ms" | "s" | "min": what a number without a unit counts
#     default?   built-in value as text, in that unit; what initdb, an operator or an image writes comes on top. Absent where
#                it belongs to the build (unix_socket_directories …)
#     min, max?  inclusive, in that unit; absent where there is no limit
#     raised?    the least value but for negative ones: what is below is silently raised to it
#     enum?      the values, in PostgreSQL's spelling; aliases? {other accepted spelling: value}
#     build?     those values of enum that only some builds have (lz4, zstd, io_uring)
#     check?     the further condition PostgreSQL puts on the value, by the names that "refusal" and "forms" below give;
#                for "keywords" with keywords, and booleans: true where a boolean may stand instead
#     name?      canonical spelling, where it is not all lower case (DateStyle)
#     since?     first major that has it, where later than major_min; removed? first major without it
#     successor? what took its place under another name
#     renamed?   another parameter that this name stands for: in every major, or from "removed" on
#     changes?   [entries that took this one's place, each with "from": major], oldest first
#
#   A major outside major_min..major_max is read as the nearest of these. Values of any type may be given everywhere:
#   what is no string, number or entry makes a function undefined, never an error.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html
#   - https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/misc/guc.c
#   - https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/misc/guc-file.l
package walguard.postgres

# METADATA
# description: The oldest major the catalogue was made from.
major_min := 12

# METADATA
# description: The newest major the catalogue was made from.
major_max := 18

# METADATA
# description: The catalogue's entry for a parameter in one major, by any accepted name in any case. Undefined when that major has no such parameter.
entry(name, major) := variant(row, version) if {
	is_string(name)
	version := nearest_major(major)
	row := data.walguard.postgres.parameters[current_name(lower(name), version)]
	object.get(row, "since", major_min) <= version
	object.get(row, "removed", major_max + 1) > version
}

# METADATA
# description: The entry for a parameter at the newest major that has it.
entry_any(name) := variant(row, object.get(row, "removed", major_max + 1) - 1) if {
	is_string(name)
	row := data.walguard.postgres.parameters[current_name(lower(name), major_max)]
}

# METADATA
# description: True when some major of the catalogue has, or still maps, this name.
known(name) if {
	is_string(name)
	data.walguard.postgres.parameters[lower(name)]
}

# METADATA
# description: False for what is fixed when the server is built or the data directory is made (wal_segment_size, data_checksums, block_size …). A server whose postgresql.conf names one does not start.
settable(parameter) := parameter.context != "internal" if is_object(parameter)

# METADATA
# description: |
#   A value as PostgreSQL reads it from postgresql.conf or ALTER SYSTEM: {"ok": true, "value": v}, or {"ok": false, "reason":
#   why it is refused, one clause}. v is a boolean for bool; for integer a whole number in the parameter's own unit, rounded as
#   PostgreSQL rounds; for real a number in that unit; for enum the value in PostgreSQL's spelling ("hot_standby" is "replica");
#   for string the text. Undefined unless parameter is an entry and text a string. Not read: hexadecimal fractions (0x1.8p3).
parse(parameter, text) := result if {
	parameter.type == "bool"
	is_string(text)
	result := accepted(parameter, text, [value | value := boolean(text)])
}

parse(parameter, text) := result if {
	parameter.type == "integer"
	is_string(text)
	result := accepted(parameter, text, [value | value := raised(parameter, integer(text, object.get(parameter, "unit", "")))])
}

parse(parameter, text) := result if {
	parameter.type == "real"
	is_string(text)
	result := accepted(parameter, text, [value | value := real(text, object.get(parameter, "unit", ""))])
}

parse(parameter, text) := result if {
	parameter.type == "enum"
	is_string(text)
	result := accepted(parameter, text, [value | value := choice(parameter, text)])
}

parse(parameter, text) := result if {
	parameter.type == "string"
	is_string(text)
	result := accepted(parameter, text, [text])
}

# METADATA
# description: A parsed integer of a memory parameter in bytes. Negative numbers (-1 is "automatic", "unlimited" or "off") stay as they are. Undefined for other parameters.
bytes(parameter, value) := scaled_up(parameter, value, "memory")

# METADATA
# description: A parsed number of a time parameter in milliseconds; negative ones stay as they are. Undefined for other parameters.
milliseconds(parameter, value) := scaled_up(parameter, value, "time") / 1000 if value >= 0

milliseconds(parameter, value) := scaled_up(parameter, value, "time") if value < 0

# METADATA
# description: A boolean as PostgreSQL reads it – on, off, true, false, yes, no, 1, 0 and their unambiguous prefixes in any case, no spaces. Undefined for all else.
boolean(text) := booleans[lower(text)] if is_string(text)

# METADATA
# description: A memory size in bytes, with the unit that a bare number counts ("kB", "8kB", "MB" …). Undefined when PostgreSQL refuses it or the number exceeds an int in that unit.
memory_bytes(text, unit) := bytes({"unit": unit}, value) if {
	is_string(text)
	units[unit][0] == "memory"
	value := integer(text, unit)
	fits_int(value)
}

# METADATA
# description: A time in milliseconds, with the unit that a bare number counts ("ms", "s", "min"). Undefined when PostgreSQL refuses it.
time_milliseconds(text, unit) := milliseconds({"unit": unit}, value) if {
	is_string(text)
	units[unit][0] == "time"
	value := integer(text, unit)
	fits_int(value)
}

# METADATA
# description: The built-in default as text, in the parameter's own unit (pg_settings.boot_val).
default_text(name, major) := entry(name, major)["default"]

# METADATA
# description: The built-in default, parsed.
default_value(name, major) := value if {
	parameter := entry(name, major)
	value := parse(parameter, parameter["default"]).value
}

# METADATA
# description: |
#   The extension a dotted name belongs to ("pg_stat_statements.max"), {"extension": its name, …} as in extensions.json. Undefined for other names.
extension(name) := data.walguard.postgres.extensions[lower(parts[0])] if {
	is_string(name)
	parts := split(name, ".")
	count(parts) > 1
}

# METADATA
# description: The edition of PostgreSQL that has this parameter where the community's has not, by exact name or prefix. Undefined for all else.
vendor(name) := data.walguard.postgres.vendors.parameters[lower(name)] if is_string(name)

vendor(name) := edition if {
	is_string(name)
	key := lower(name)
	not data.walguard.postgres.vendors.parameters[key]
	some prefix, edition in data.walguard.postgres.vendors.prefixes
	startswith(key, prefix)
}

nearest_major(major) := max([major_min, min([major_max, floor(major)])]) if is_number(major)

renamed(name, major) if {
	row := data.walguard.postgres.parameters[name]
	row.renamed
	object.get(row, "removed", major_min) <= major
}

current_name(name, major) := name if not renamed(name, major)

current_name(name, major) := data.walguard.postgres.parameters[name].renamed if renamed(name, major)

variant(row, _) := row if not row.changes

variant(row, major) := row if {
	row.changes
	row.changes[0].from > major
}

variant(row, major) := later[count(later) - 1] if {
	later := [change | some change in row.changes; change.from <= major]
	count(later) > 0
}

# Every unambiguous prefix of the words of parse_bool(): "o" could be on or off.
booleans := {
	"t": true, "tr": true, "tru": true, "true": true, "y": true, "ye": true, "yes": true, "on": true, "1": true,
	"f": false, "fa": false, "fal": false, "fals": false, "false": false, "n": false, "no": false, "of": false, "off": false, "0": false,
}

# Unit: [what it measures, its size in bytes or microseconds, the size of the next smaller unit that PostgreSQL rounds to].
# 8kB is only ever a parameter's own unit.
units := {
	"B": ["memory", 1, 1],
	"kB": ["memory", 1024, 1],
	"8kB": ["memory", 8192, 0],
	"MB": ["memory", 1048576, 1024],
	"GB": ["memory", 1073741824, 1048576],
	"TB": ["memory", 1099511627776, 1073741824],
	"us": ["time", 1, 1],
	"ms": ["time", 1000, 1],
	"s": ["time", 1000000, 1000],
	"min": ["time", 60000000, 1000000],
	"h": ["time", 3600000000, 60000000],
	"d": ["time", 86400000000, 3600000000],
}

scaled_up(parameter, value, kind) := value * units[parameter.unit][1] if {
	units[parameter.unit][0] == kind
	is_number(value)
	value >= 0
}

scaled_up(parameter, value, kind) := value if {
	units[parameter.unit][0] == kind
	is_number(value)
	value < 0
}

# What parse() answers, given [value] or, for a text that is no value of the type, [].
accepted(parameter, text, values) := {"ok": false, "reason": unreadable(parameter, text)} if count(values) == 0

accepted(parameter, _, values) := {"ok": true, "value": values[0]} if {
	count(values) == 1
	within(parameter, values[0])
	not refusal(parameter, values[0])
}

accepted(parameter, text, values) := {"ok": false, "reason": outside(parameter, text)} if {
	count(values) == 1
	not within(parameter, values[0])
}

accepted(parameter, _, values) := {"ok": false, "reason": reason} if {
	count(values) == 1
	within(parameter, values[0])
	reason := refusal(parameter, values[0])
}

raised(parameter, value) := value if not parameter.raised

raised(parameter, value) := value if {
	parameter.raised
	value < 0
}

raised(parameter, value) := max([value, parameter.raised]) if {
	parameter.raised
	value >= 0
}

within(parameter, value) if {
	parameter.type == "integer"
	fits_int(value)
	value >= object.get(parameter, "min", value)
	value <= object.get(parameter, "max", value)
}

within(parameter, value) if {
	parameter.type == "real"
	value >= object.get(parameter, "min", value)
	value <= object.get(parameter, "max", value)
}

within(parameter, _) if not parameter.type in {"integer", "real"}

fits_int(value) if {
	value <= 2147483647
	value >= -2147483648
}

outside(parameter, text) := sprintf("%s is outside the valid range %s%s", [text, concat(" .. ", limits), counted]) if {
	limits := [sprintf("%v", [limit]) | some key in ["min", "max"]; limit := parameter[key]]
	counted := concat("", [sprintf(", in units of %s", [unit]) | unit := parameter.unit])
}

unreadable(parameter, text) := sprintf("%q is not a boolean: on, off, true, false, yes, no, 1, 0", [text]) if parameter.type == "bool"

unreadable(parameter, text) := sprintf("%q is not one of %s", [text, concat(", ", parameter.enum)]) if parameter.type == "enum"

unreadable(parameter, text) := sprintf("%q is not a number with or without one of the units %s, in this spelling", [text, concat(", ", names)]) if {
	[kind, _, _] := units[parameter.unit]
	names := {"memory": ["B", "kB", "MB", "GB", "TB"], "time": ["us", "ms", "s", "min", "h", "d"]}[kind]
}

unreadable(parameter, text) := sprintf("%q is not a number, and this parameter takes no unit", [text]) if {
	parameter.type in {"integer", "real"}
	not parameter.unit
}

# Enum values compare in any case.
choice(parameter, text) := value if {
	word := lower(text)
	some value in parameter.enum
	lower(value) == word
}

choice(parameter, text) := parameter.aliases[lower(text)]

spaces := " \t\n\u000b\u000c\r"

# An int or a fraction in parse_int()'s grammar, times its unit, in the unit given; undefined when it is none. May exceed an int.
integer(text, unit) := whole(number, suffix, unit, text) if {
	plain := trim(text, spaces)
	body := trim_right(plain, "BkMGTusminhd")
	suffix := substring(plain, count(body), -1)
	number := trim_right(body, spaces)
}

# The usual case, without a regular expression: an optional minus, digits, no leading zero.
whole(number, suffix, unit, _) := converted(digits, 0, suffix, unit) if {
	bare(number)
	digits := to_number(number)
}

whole(number, suffix, unit, _) := 0 - converted(digits, 0, suffix, unit) if {
	startswith(number, "-")
	bare(substring(number, 1, -1))
	digits := to_number(substring(number, 1, -1))
}

whole(number, _, unit, text) := value if {
	not bare(trim_prefix(number, "-"))
	token := scan(text)
	value := token.sign * unusual(token, text, unit)
}

bare(number) if {
	number != ""
	count(number) < 16
	not startswith(number, "0")
	trim_left(number, "0123456789") == ""
}

bare("0") := true

# Sign, number (hexadecimal; or integer part, fraction with its point, exponent), and the unit after it.
number_pattern := `^[ \t-\r]*([+-]?)(0[xX][0-9a-fA-F]+|([0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?)[ \t-\r]*([^ \t-\r]*)[ \t-\r]*$`

scan(text) := token if {
	found := regex.find_all_string_submatch_n(number_pattern, text, 1)
	count(found) == 1
	[_, sign, number, integral, fraction, exponent, suffix] := found[0]
	token := {
		"sign": {"": 1, "+": 1, "-": -1}[sign],
		"number": lower(number),
		"integral": integral,
		"fraction": fraction,
		"exponent": exponent,
		"suffix": suffix,
	}
}

hexadecimal(token) if startswith(token.number, "0x")

# strtol() takes a leading zero for octal. Where it stops at a point or an exponent, PostgreSQL reads the text again, as decimal.
octal(token) if {
	startswith(token.integral, "0")
	token.fraction == ""
	token.exponent == ""
}

# … and where it stops at an 8 or a 9, those are taken for a unit.
broken_octal(token) if {
	startswith(token.integral, "0")
	trim_left(token.integral, "01234567") != ""
}

# A number that begins with its point is one for strtod() alone, which is asked only when nothing stands before the point.
readable(token, _) if token.integral != ""

readable(token, text) if {
	token.integral == ""
	startswith(text, ".")
}

# parse_int() of what is not a plain number.
unusual(token, _, unit) := converted(based(substring(token.number, 2, -1), 4), 0, token.suffix, unit) if hexadecimal(token)

unusual(token, _, unit) := converted(based(token.integral, 3), 0, token.suffix, unit) if {
	octal(token)
	not broken_octal(token)
}

unusual(token, text, unit) := converted(digits, decimals, token.suffix, unit) if {
	not hexadecimal(token)
	not octal(token)
	not broken_octal(token)
	readable(token, text)
	[digits, decimals] := decimal(token)
}

# A number in base 2^width; more digits than an int has are one that is too large.
based(text, _) := huge if count(trim_left(text, "0")) > 11

based(text, width) := sum([value |
	some position in numbers.range(0, count(digits) - 1)
	value := bits.lsh(indexof("0123456789abcdef", substring(digits, position, 1)), width * ((count(digits) - 1) - position))
]) if {
	digits := trim_left(text, "0")
	count(digits) <= 11
}

# More than any int, in any unit.
huge := 1000000000000000000

powers_of_ten := [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000]

# [digits, decimals]: the number is digits / 10^decimals. Exact for 15 digits, as many as a double always keeps. Undefined where
# strtod() reports a range error.
decimal(token) := scaled_down(trim_left(digits, "0"), count(fraction) - shift(token.exponent)) if {
	fraction := trim_left(token.fraction, ".")
	digits := concat("", [token.integral, fraction])
	digits != ""
}

scaled_down("", _) := [0, 0]

scaled_down(digits, decimals) := [to_number(padded), 0] if {
	digits != ""
	decimals <= 0
	count(digits) - decimals <= 18
	padded := concat("", [digits, substring("000000000000000000", 0, 0 - decimals)])
}

scaled_down(digits, decimals) := [huge, 0] if {
	count(digits) - decimals > 18
	count(digits) - decimals <= 308
}

scaled_down(digits, decimals) := [to_number(kept), decimals - (count(digits) - count(kept))] if {
	decimals > 0
	count(digits) - decimals <= 15
	kept := substring(digits, 0, 15)
	decimals - (count(digits) - count(kept)) <= 18
}

scaled_down(digits, decimals) := [to_number(kept), 0] if {
	decimals > 0
	count(digits) - decimals > 15
	count(digits) - decimals <= 18
	kept := substring(digits, 0, count(digits) - decimals)
}

# Too small to round to anything but 0.
scaled_down(digits, decimals) := [0, 0] if {
	digits != ""
	decimals - (count(digits) - min([15, count(digits)])) > 18
	count(digits) - decimals > -307
}

# The exponent as a number; what has more than three digits is out of a double's range.
shift("") := 0

shift(exponent) := direction * magnitude(trim_left(trim_left(exponent, "eE+-"), "0")) if {
	exponent != ""
	direction := {true: -1, false: 1}[contains(exponent, "-")]
}

magnitude("") := 0

magnitude(digits) := to_number(digits) if {
	digits != ""
	count(digits) <= 3
}

magnitude(digits) := 1000 if count(digits) > 3

# digits / 10^decimals with a unit, as a whole number in the parameter's own unit. As convert_to_base_unit() does, a fraction
# is first rounded to the next smaller unit ("30.1GB" is 30822MB), then to the parameter's.
converted(digits, decimals, "", _) := rounded(digits, powers_of_ten[decimals])

converted(digits, decimals, suffix, unit) := rounded(dividend, divisor) if {
	[dividend, divisor] := ratio(digits, decimals, suffix, unit)
	dividend <= 2147483649 * divisor
}

converted(digits, decimals, suffix, unit) := huge if {
	[dividend, divisor] := ratio(digits, decimals, suffix, unit)
	dividend > 2147483649 * divisor
}

ratio(digits, 0, suffix, unit) := [digits * size, units[unit][1]] if {
	[kind, size, smaller] := units[suffix]
	smaller > 0
	units[unit][0] == kind
}

ratio(digits, decimals, suffix, unit) := [rounded(digits * (size / smaller), powers_of_ten[decimals]) * smaller, units[unit][1]] if {
	decimals > 0
	[kind, size, smaller] := units[suffix]
	smaller > 0
	smaller < size
	units[unit][0] == kind
}

# A fraction of the smallest unit; a millionth of it is exact enough.
ratio(digits, decimals, suffix, unit) := [rounded(digits, powers_of_ten[decimals - kept]), powers_of_ten[kept] * units[unit][1]] if {
	decimals > 0
	[kind, size, smaller] := units[suffix]
	smaller == size
	units[unit][0] == kind
	kept := min([decimals, 6])
}

# Division to the nearest whole number, halves to the even one, as rint() does.
rounded(dividend, divisor) := quotient if {
	rest := dividend % divisor
	quotient := (dividend - rest) / divisor
	rest * 2 < divisor
}

rounded(dividend, divisor) := quotient + 1 if {
	rest := dividend % divisor
	quotient := (dividend - rest) / divisor
	rest * 2 > divisor
}

rounded(dividend, divisor) := quotient + (quotient % 2) if {
	rest := dividend % divisor
	quotient := (dividend - rest) / divisor
	rest * 2 == divisor
}

# A number in parse_real()'s grammar: always decimal but for 0x, no rounding to whole units of the parameter.
real(text, _) := to_number(text) if bare(text)

real(text, unit) := token.sign * value if {
	not bare(text)
	token := scan(text)
	value := magnitude_of(token, unit)
}

magnitude_of(token, unit) := fraction_of(based(substring(token.number, 2, -1), 4), 0, token.suffix, unit) if hexadecimal(token)

magnitude_of(token, unit) := fraction_of(digits, decimals, token.suffix, unit) if {
	not hexadecimal(token)
	[digits, decimals] := decimal(token)
	digits < huge
}

# A number too large to be taken apart. With a unit it is in no parameter's range.
magnitude_of(token, _) := value if {
	not hexadecimal(token)
	[digits, _] := decimal(token)
	digits == huge
	value := to_number(concat("", [trim_left(token.integral, "0"), trim_right(token.fraction, "."), token.exponent]))
}

fraction_of(digits, decimals, "", _) := digits / powers_of_ten[decimals]

fraction_of(digits, decimals, suffix, unit) := dividend / divisor if [dividend, divisor] := ratio(digits, decimals, suffix, unit)

# What PostgreSQL says against a value of the right type and range, by the entry's check. Undefined when nothing.
refusal(parameter, true) := "the server cannot turn it on any more" if parameter.check == "off_only"

refusal(parameter, true) := "no build for Linux supports it" if parameter.check == "not_on_linux"

refusal(parameter, value) := sprintf("%d is not a multiple of 16", [value]) if {
	parameter.check == "multiple_of_16"
	value % 16 != 0
}

refusal(parameter, value) := sprintf("%d is neither 0 nor at least 128", [value]) if {
	parameter.check == "zero_or_128"
	value > 0
	value < 128
}

refusal(parameter, 0) := "0 is not allowed" if parameter.check == "not_zero"

refusal(parameter, value) := sprintf("%q is not %s", [value, forms[parameter.check].is]) if {
	not regex.match(forms[parameter.check].pattern, value)
}

refusal(parameter, value) := sprintf("%q is not a comma-separated list of %s", [value, concat(", ", parameter.keywords)]) if {
	parameter.check == "keywords"
	not boolean_instead(parameter, value)
	not keyword_list(parameter, value)
}

# log_connections has kept the booleans it once took.
boolean_instead(parameter, value) if {
	parameter.booleans
	boolean(value) in {true, false}
}

keyword_list(parameter, value) if {
	regex.match(forms.identifiers.pattern, value)
	words := {trim(trim(word, spaces), "\"") | some word in split(lower(value), ",")} - {""}
	count(words - {word | some word in parameter.keywords}) == 0
}

# Text that must have a form: check → pattern and its name.
forms := {
	"access_method": {"is": "a name", "pattern": `^(?s:.+)$`},
	"function_names": {"is": "a list of function names", "pattern": `^[0-9A-Za-z_, \n\t]*$`},
	"identifiers": {"is": "a comma-separated list of names", "pattern": concat("", [`^`, blank, `*(?:`, identifier, `(?:`, blank, `*,`, blank, `*`, identifier, `)*)?`, blank, `*$`])},
	"immediate": {"is": "\"immediate\" or empty", "pattern": `^(?:immediate)?$`},
	"lsn": {"is": "a log sequence number such as 16/B374D848", "pattern": `^(?:[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8})?$`},
	"restore_point": {"is": "a name of at most 63 bytes", "pattern": `^(?s:.{0,63})$`},
	"slot_name": {"is": "a replication slot's name: at most 63 lower-case letters, digits and underscores", "pattern": `^[a-z0-9_]{0,63}$`},
	"slot_names": {"is": "a comma-separated list of replication slots", "pattern": concat("", [`^`, blank, `*(?:`, slot, `(?:`, blank, `*,`, blank, `*`, slot, `)*)?`, blank, `*$`])},
	"standby_names": {"is": "a list of standbys such as ANY 1 (a, b)", "pattern": concat("", [
		`^(?:`, blank, `*(?:`, standbys, `|(?:(?i:any|first)`, blank, `+)?0*[1-9][0-9]*`, blank, `*\(`, blank, `*`, standbys, blank, `*\))`, blank, `*)?$`,
	])},
}

blank := `[ \t\n\x0B\f\r]`

identifier := `(?:"(?:[^"]|"")*"|[^", \t\n\x0B\f\r][^, \t\n\x0B\f\r]*)`

slot := `(?:"[a-z0-9_]+"|[A-Za-z0-9_]+)`

standby := `(?:"(?:[^"]|"")+"|[A-Za-z_\x80-\x{10FFFF}][A-Za-z0-9_$\x80-\x{10FFFF}]*|[0-9]+|\*)`

standbys := concat("", [standby, `(?:`, blank, `*,`, blank, `*`, standby, `)*`])

# METADATA
# description: |
#   A postgresql.conf as PostgreSQL's lexer reads it: [{"name": in lower case, "value": unquoted, "line": from 1}] in the order
#   of the file, the last of a name wins. include, include_if_exists and include_dir are entries like others. A line that is a
#   syntax error, which keeps the server from starting, is {"error": what is wrong, "line"}.
conf(text) := [setting |
	is_string(text)
	some index, line in split(text, "\n")
	body := trim_left(line, " \t\r")
	body != ""
	not startswith(body, "#")
	setting := conf_line(body, index + 1)
]

# Name, then "=", space or nothing, then one value, then at most a comment. The tokens are those of guc-file.l; a character
# beyond ASCII is a letter there.
conf_pattern := concat("", [
	`^([A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}]*(?:\.[A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}]*)?)`,
	`(?:(?:[ \t\r]*=[ \t\r]*|[ \t\r]+)(`, conf_value, `)|('(?:[^'\\]|\\.|'')*'|\+`, conf_digits, `))[ \t\r]*(?:#.*)?$`,
])

conf_digits := `(?:0x[0-9a-fA-F]+[a-zA-Z]*|[0-9]+[a-zA-Z]*|[0-9]*\.[0-9]*(?:[Ee][+-]?[0-9]+)?)`

conf_value := concat("", [`'(?:[^'\\]|\\.|'')*'|[A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}._:/-]*|[+-]?`, conf_digits])

# Two words with a point between them are a name to the lexer, and no value.
conf_qualified := `^[A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}]*\.[A-Za-z_\x80-\x{10FFFF}][A-Za-z_0-9\x80-\x{10FFFF}]*$`

conf_line(body, line) := setting if {
	found := regex.find_all_string_submatch_n(conf_pattern, body, 1)
	count(found) == 1
	written := concat("", [found[0][2], found[0][3]])
	not regex.match(conf_qualified, written)
	setting := {"name": lower(found[0][1]), "value": conf_unquoted(written), "line": line}
}

conf_line(body, line) := {"error": sprintf("syntax error: %s", [body]), "line": line} if not regex.match(conf_pattern, body)

conf_line(body, line) := {"error": sprintf("syntax error: the value needs quotes: %s", [body]), "line": line} if {
	found := regex.find_all_string_submatch_n(conf_pattern, body, 1)
	count(found) == 1
	regex.match(conf_qualified, concat("", [found[0][2], found[0][3]]))
}

conf_unquoted(written) := written if not startswith(written, "'")

conf_unquoted(written) := replace(substring(written, 1, count(written) - 2), "''", "'") if {
	startswith(written, "'")
	not contains(written, "\\")
}

conf_unquoted(written) := concat("", [unescaped(piece) |
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

unescaped(piece) := character(based(substring(piece, 1, -1), 3)) if octal_escape(piece)

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

# Printable ASCII; no value of a parameter needs another character by its number.
character(code) := substring(" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~", code - 32, 1) if {
	code >= 32
	code < 127
}

character(code) := "?" if code < 32

character(code) := "?" if code >= 127

# METADATA
# description: |
#   Up to three parameters of a major that a name was perhaps meant to be, the best first: what took the name's place, then by
#   the share of letter triples in common. [] when nothing is near. Costs about a thousand times an entry(): ask for names that
#   are known to be wrong, and not for hundreds.
nearest(name, major) := array.slice(array.concat(heirs, others), 0, 3) if {
	is_string(name)
	key := replace(replace(lower(name), "-", "_"), " ", "_")
	count(key) < 64
	heirs := [heir |
		heir := data.walguard.postgres.parameters[key].successor
		entry(heir, major)
	]
	triples := trigrams(key)
	words := {word | some word in split(key, "_"); count(word) > 2}
	ranking := {[0 - score, candidate] |
		some candidate, row in data.walguard.postgres.parameters
		akin(key, words, candidate)
		not row.renamed
		row.context != "internal"
		entry(candidate, major)
		not candidate in heirs
		score := similarity(triples, trigrams(candidate))
		score >= 400
	}
	others := [pair[1] | some pair in array.slice(sort(ranking), 0, 3)]
}

# A cheap sieve before similarity(): the same beginning, the same end, or a word in common.
akin(key, _, candidate) if startswith(candidate, substring(key, 0, 2))

akin(key, _, candidate) if {
	count(key) > 4
	endswith(candidate, substring(key, count(key) - 4, -1))
}

akin(_, words, candidate) if {
	some word in split(candidate, "_")
	word in words
}

trigrams(key) := {substring(padded, start, 3) | some start in numbers.range(0, count(padded) - 3)} if padded := concat("", ["  ", key, " "])

# Dice's coefficient, per mille.
similarity(some_triples, other_triples) := ((2000 * count(some_triples & other_triples)) - rest) / total if {
	total := count(some_triples) + count(other_triples)
	rest := (2000 * count(some_triples & other_triples)) % total
}
