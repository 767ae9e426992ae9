# METADATA
# description: |
#   What PostgreSQL knows about its parameters and how it reads their values. Pure functions: no input, no model.
#
#   The catalogue, data.walguard.postgres.parameters, is an object keyed by lower-case name, made from a server of each major by
#   tests/postgres/catalogue.py, or from its source by tests/postgres/source.py: walguard.postgres.releases says which. An entry:
#     type       "bool" | "integer" | "real" | "enum" | "string"
#     context    when it may change: "internal" (never: not settable at all) | "postmaster" | "sighup" | "superuser-backend" |
#                "backend" | "superuser" | "user"
#     unit?      "B" | "kB" | "8kB" | "MB" | "ms" | "s" | "min": what a number without a unit counts
#     default?   built-in value as text, in that unit; what initdb, an operator or an image writes comes on top. Absent where
#                it belongs to the build (unix_socket_directories …)
#     min, max?  inclusive, in that unit; absent where there is no limit
#     raised?    the least value but for negative ones: what is below is silently raised to it
#     enum?      the values, in PostgreSQL's spelling; aliases? {other accepted spelling, in lower case: value}
#     build?     those values of enum that only some builds have (lz4, zstd, io_uring)
#     check?     the further condition PostgreSQL puts on the value, by the names that "refusal" and "forms" below give;
#                for "keywords" with keywords, and booleans: true where a boolean may stand instead
#     name?      canonical spelling, where it is not all lower case (DateStyle)
#     since?     first major that has it, where later than major_min; removed? first major without it
#     minors?    {major as text: first minor release that has it}, where it was added to stable releases
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

import data.walguard.lib.get
import data.walguard.postgres.lexer
import data.walguard.postgres.number
import data.walguard.postgres.similar

# METADATA
# description: The oldest major the catalogue was made from.
major_min := 12

# METADATA
# description: The newest major the catalogue was made from.
major_max := 19

# Nearly every name is written as the catalogue has it.
row_of(name) := row if {
	row := data.walguard.postgres.parameters[name]
} else := data.walguard.postgres.parameters[get.lower_case(name)]

# METADATA
# description: The catalogue's entry for a parameter in one major, by any accepted name in any case. Undefined when that major has no such parameter.
entry(name, major) := row if {
	row := row_of(name)
	not row.since
	not row.removed
	not row.changes
	not row.renamed
	is_number(major)
} else := found if {
	is_number(major)
	found := in_major(row_of(name), major)
}

# METADATA
# description: The entry for a parameter at the newest major that has it.
entry_any(name) := found if {
	is_string(name)
	row := row_of(name)
	found := newest(row)
}

# METADATA
# description: True when some major of the catalogue has, or still maps, this name.
known(name) if {
	is_string(name)
	row_of(name)
}

# METADATA
# description: |
#   False for what is fixed when the server is built or the data directory is made (wal_segment_size, data_checksums,
#   block_size …). A server whose postgresql.conf names one does not start.
settable(parameter) := parameter.context != "internal" if is_object(parameter)

# METADATA
# description: |
#   A value as PostgreSQL reads it from postgresql.conf or ALTER SYSTEM: {"ok": true, "value": v}, or {"ok": false, "reason":
#   why it is refused, one clause}. v is a boolean for bool; for integer a whole number in the parameter's own unit, rounded as
#   PostgreSQL rounds; for real a number in that unit; for enum the value in PostgreSQL's spelling ("hot_standby" is "replica");
#   for string the text. Undefined unless parameter is an entry and text a string. What only a server can judge passes: names
#   of locales, roles, tablespaces and files, and of time zones all that some server may know.
parse(parameter, text) := {"ok": true, "value": value} if {
	parameter.type == "bool"
	not parameter.check
	value := booleans[get.lower_case(text)]
} else := {"ok": true, "value": value} if {
	parameter.type == "integer"
	not parameter.check
	not parameter.raised
	value := number.plain(text, object.get(parameter, "unit", ""))
	value >= parameter.min
	value <= parameter.max
} else := {"ok": true, "value": value} if {
	parameter.type == "enum"
	value := get.lower_case(text)
	value in parameter.enum
} else := result if {
	is_string(text)
	values := [value | value := read(parameter, text)]
	result := answer(parameter, text, values)
}

# METADATA
# description: |
#   A parsed integer of a memory parameter in bytes. Negative numbers (-1 is "automatic", "unlimited" or "off") stay as they
#   are. Undefined for other parameters.
bytes(parameter, value) := value * memory_units[parameter.unit] if {
	is_number(value)
	value >= 0
}

bytes(parameter, value) := value if {
	memory_units[parameter.unit]
	is_number(value)
	value < 0
}

# METADATA
# description: A parsed number of a time parameter in milliseconds; negative ones stay as they are. Undefined for other parameters.
milliseconds(parameter, value) := value * time_units[parameter.unit] if {
	is_number(value)
	value >= 0
}

milliseconds(parameter, value) := value if {
	time_units[parameter.unit]
	is_number(value)
	value < 0
}

# METADATA
# description: |
#   A boolean as PostgreSQL reads it – on, off, true, false, yes, no, 1, 0 and their unambiguous prefixes in any case, no
#   spaces. Undefined for all else.
boolean(text) := booleans[get.lower_case(text)] if is_string(text)

# METADATA
# description: |
#   A memory size in bytes, with the unit that a bare number counts ("B", "kB", "8kB", "MB"). Undefined when PostgreSQL refuses
#   it for a parameter of that unit, for one because it exceeds an int.
memory_bytes(text, unit) := bytes({"unit": unit}, value) if {
	is_string(text)
	value := number.integer(text, unit)
	number.fits_int(value)
}

# METADATA
# description: |
#   A time in milliseconds, with the unit that a bare number counts ("ms", "s", "min"). Undefined when PostgreSQL refuses it
#   for a parameter of that unit.
time_milliseconds(text, unit) := milliseconds({"unit": unit}, value) if {
	is_string(text)
	value := number.integer(text, unit)
	number.fits_int(value)
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
#   The extension that a name with a point belongs to, by what stands before the point ("cron.database_name"):
#   {"extension": "pg_cron", "preload"?: true where it must be in shared_preload_libraries}. Undefined for other names.
extension(name) := data.walguard.postgres.extensions[get.lower_case(parts[0])] if {
	is_string(name)
	parts := split(name, ".")
	count(parts) > 1
}

# METADATA
# description: |
#   The edition of PostgreSQL that has a parameter the community's servers refuse: {"edition": its name}. Undefined for all
#   else, and what the community's servers know.
vendor(name) := row if {
	is_string(name)
	not known(name)
	row := data.walguard.postgres.vendors[get.lower_case(name)]
}

vendor(name) := row if {
	is_string(name)
	not known(name)
	not data.walguard.postgres.vendors[get.lower_case(name)]
	some prefix, row in data.walguard.postgres.vendors
	row.prefix
	startswith(get.lower_case(name), prefix)
}

# METADATA
# description: |
#   A postgresql.conf as PostgreSQL's lexer reads it: [{"name": in lower case, "value": unquoted, "line": from 1}] in the order
#   of the file, the last of a name wins. include, include_if_exists and include_dir are entries like others. A line that is a
#   syntax error, which keeps the server from starting, is {"error": what is wrong, "line"}. Undefined for what is no string.
conf(text) := lexer.settings(text) if is_string(text)

# METADATA
# description: |
#   Up to three parameters of a major that a name was perhaps meant to be, the best first: what took the name's place, then the
#   names most alike. [] when nothing is near. Costs about a thousand times an entry(): ask for names that are known to be
#   wrong, and not for hundreds.
nearest(name, major) := array.slice(array.concat(heirs, others), 0, 3) if {
	is_string(name)
	key := replace(replace(get.lower_case(name), "-", "_"), " ", "_")
	heirs := [heir | heir := successor(key); entry(heir, major)]
	candidates := {candidate |
		some candidate in similar.sieve(key, data.walguard.postgres.parameters)
		parameter := entry(candidate, major)
		parameter.context != "internal"
		not data.walguard.postgres.parameters[candidate].renamed
	}
	others := similar.ranked(key, candidates - {heir | some heir in heirs})
}

# METADATA
# description: |
#   The parameter of a major version that a misspelt name means beyond doubt, by its letters. What took the place of another one is not meant
#   by its name. Undefined where there is none.
meant(name, major) := candidate if {
	names := nearest(name, major)
	key := get.lower_case(name)
	not successor(key)
	candidate := similar.evident(key, names)
}

# What took the place of a parameter, for those of the catalogue and for those gone before it begins.
successor(name) := data.walguard.postgres.parameters[name].successor

successor(name) := {
	"checkpoint_segments": "max_wal_size",
	"min_parallel_relation_size": "min_parallel_table_scan_size",
	"replication_timeout": "wal_sender_timeout",
	"unix_socket_directory": "unix_socket_directories",
}[name]

# The entry as it stood in a major.
in_major(row, major) := row if {
	not row.changes
	not row.renamed
	object.get(row, "since", 0) <= major
	object.get(row, "removed", 1000) > major
}

in_major(row, major) := array.concat([row], later)[count(later)] if {
	row.changes
	object.get(row, "since", 0) <= major
	object.get(row, "removed", 1000) > major
	later := [change | some change in row.changes; change.from <= major]
}

in_major(row, major) := row if {
	row.renamed
	object.get(row, "removed", 0) > major
}

in_major(row, major) := heir if {
	row.renamed
	object.get(row, "removed", 0) <= major
	heir := in_own_name(data.walguard.postgres.parameters[row.renamed], major)
}

# A parameter that others were renamed to has no other name itself.
in_own_name(row, major) := array.concat([row], later)[count(later)] if {
	object.get(row, "since", 0) <= major
	object.get(row, "removed", 1000) > major
	later := [change | some change in object.get(row, "changes", []); change.from <= major]
}

newest(row) := row.changes[count(row.changes) - 1] if row.changes

newest(row) := row if {
	not row.changes
	not row.renamed
}

newest(row) := in_own_name(data.walguard.postgres.parameters[row.renamed], major_max) if row.renamed

# Every unambiguous prefix of the words of parse_bool(): "o" could be on or off.
booleans := {
	"t": true, "tr": true, "tru": true, "true": true, "y": true, "ye": true, "yes": true, "on": true, "1": true,
	"f": false, "fa": false, "fal": false, "fals": false, "false": false, "n": false, "no": false, "of": false, "off": false, "0": false,
}

# METADATA
# description: 'What a unit of a parameter counts, "bytes" or "milliseconds", and how many.'
kinds := object.union(
	{unit: ["bytes", size] | some unit, size in memory_units},
	{unit: ["milliseconds", size] | some unit, size in time_units},
)

# Units of parameters in bytes and in milliseconds.
memory_units := {"B": 1, "kB": 1024, "8kB": 8192, "MB": 1048576}

time_units := {"ms": 1, "s": 1000, "min": 60000}

# The value of a text, undefined where PostgreSQL refuses it.
read(parameter, text) := value if {
	not parameter.check
	value := typed(parameter, text)
}

read(parameter, text) := value if {
	parameter.check
	value := typed(parameter, text)
	not refusal(parameter, value)
}

typed(parameter, text) := value if {
	parameter.type == "integer"
	value := raised(parameter, number.integer(text, object.get(parameter, "unit", "")))
	number.fits_int(value)
	value >= object.get(parameter, "min", value)
	value <= object.get(parameter, "max", value)
}

typed(parameter, text) := booleans[get.lower_case(text)] if parameter.type == "bool"

# The values themselves are found in parse().
typed(parameter, text) := parameter.aliases[get.lower_case(text)] if parameter.type == "enum"

typed(parameter, text) := value if {
	parameter.type == "real"
	value := number.real(text, object.get(parameter, "unit", ""))
	value >= object.get(parameter, "min", value)
	value <= object.get(parameter, "max", value)
}

typed(parameter, text) := text if parameter.type == "string"

raised(parameter, value) := value if not parameter.raised

raised(parameter, value) := max([value, parameter.raised]) if value >= 0

raised(_, value) := value if value < 0

answer(_, _, values) := {"ok": true, "value": values[0]} if count(values) == 1

answer(parameter, text, values) := {"ok": false, "reason": objection(parameter, text)} if count(values) == 0

objection(parameter, text) := sprintf("%q is not a boolean: on, off, true, false, yes, no, 1, 0", [text]) if {
	parameter.type == "bool"
	not readable_boolean(text)
}

objection(parameter, text) := sprintf("%q is not one of %s", [text, concat(", ", parameter.enum)]) if parameter.type == "enum"

objection(parameter, text) := sprintf("%q is not a number, and this parameter takes no unit", [text]) if {
	parameter.type in {"integer", "real"}
	not parameter.unit
	not numeric(parameter, text)
}

objection(parameter, text) := sprintf("%q is not a number with or without one of the units %s, in this spelling", [text, concat(", ", names)]) if {
	parameter.type in {"integer", "real"}
	not numeric(parameter, text)
	names := {"memory": ["B", "kB", "MB", "GB", "TB"], "time": ["us", "ms", "s", "min", "h", "d"]}[number.kind(parameter.unit)]
}

objection(parameter, text) := sprintf("%s is outside the valid range %s%s", [text, concat(" .. ", limits), counted]) if {
	parameter.type in {"integer", "real"}
	numeric(parameter, text)
	not typed(parameter, text)
	limits := [sprintf("%v", [limit]) | some key in ["min", "max"]; limit := parameter[key]]
	counted := concat("", [sprintf(", in units of %s", [unit]) | unit := parameter.unit])
}

objection(parameter, text) := refusal(parameter, typed(parameter, text)) if parameter.check

readable_boolean(text) if booleans[get.lower_case(text)] in {true, false}

numeric(parameter, text) if {
	parameter.type == "integer"
	is_number(number.integer(text, object.get(parameter, "unit", "")))
}

numeric(parameter, text) if {
	parameter.type == "real"
	is_number(number.real(text, object.get(parameter, "unit", "")))
}

# What PostgreSQL says against a value of the right type and range, by the entry's check. Undefined when nothing.
refusal(parameter, true) := "the server cannot turn it on any more" if parameter.check == "off_only"

refusal(parameter, true) := "no build for Linux supports it" if parameter.check == "not_on_linux"

refusal(parameter, false) := "the server cannot turn it off any more" if parameter.check == "on_only"

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

refusal(parameter, value) := sprintf("%q is not a level, or a list of one level and process:level pairs", [value]) if {
	parameter.check == "log_levels"
	not log_levels(value)
}

# One level for all processes, and at most one for each kind of process: "warning, autovacuum:debug1".
log_levels(value) if {
	words := [trim_space(word) | some word in split(get.lower_case(value), ",")]
	every word in words {
		regex.match(log_level, word)
	}
	count([word | some word in words; not contains(word, ":")]) == 1
	kinds_named := [split(word, ":")[0] | some word in words; contains(word, ":")]
	count(kinds_named) == count({kind | some kind in kinds_named})
}

log_level := concat("", [
	`^(?:(?:archiver|autovacuum|backend|bgworker|bgwriter|checkpointer|checksums|ioworker|postmaster|slotsyncworker|startup|syslogger|`,
	`walreceiver|walsender|walsummarizer|walwriter):)?(?:debug[1-5]?|info|notice|warning|error|log|fatal|panic)$`,
])

# log_connections has kept the booleans it once took.
boolean_instead(parameter, value) if {
	parameter.booleans
	readable_boolean(value)
}

keyword_list(parameter, value) if {
	regex.match(identifiers, value)
	words := {trim(trim_space(word), "\"") | some word in split(get.lower_case(value), ",")} - {""}
	count(words - {word | some word in parameter.keywords}) == 0
}

# Text that must have a form: check → pattern and its name.
forms := {
	"access_method": {"is": "a name", "pattern": `^(?s:.+)$`},
	"date_style": {"is": "a list of ISO, SQL, Postgres or German, and DMY, MDY or YMD", "pattern": concat("", [`(?i)^`, blank, `*(?:`, date_word, `(?:`, blank, `*,`, blank, `*`, date_word, `)*)?`, blank, `*$`])},
	"directories": {"is": "a comma-separated list of directories", "pattern": `^\s*((?:"(?:[^"]|"")*"|[^",\s][^,]*)\s*(,\s*(?:"(?:[^"]|"")*"|[^",\s][^,]*)\s*)*)?$`},
	"function_names": {"is": "a list of function names", "pattern": `^[0-9A-Za-z_, \n\t]*$`},
	"identifiers": {"is": "a comma-separated list of names", "pattern": identifiers},
	"immediate": {"is": "\"immediate\" or empty", "pattern": `^(?:immediate)?$`},
	"lsn": {"is": "a log sequence number such as 16/B374D848", "pattern": `^(?:[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8})?$`},
	"resource_managers": {"is": "a comma-separated list of names", "pattern": identifiers},
	"restore_point": {"is": "a name of at most 63 bytes", "pattern": `^(?s:.{0,63})$`},
	"slot_name": {"is": "a replication slot's name: at most 63 lower-case letters, digits and underscores", "pattern": `^[a-z0-9_]{0,63}$`},
	"slot_names": {"is": "a comma-separated list of replication slots", "pattern": concat("", [`^`, blank, `*(?:`, slot, `(?:`, blank, `*,`, blank, `*`, slot, `)*)?`, blank, `*$`])},
	"standby_names": {"is": "a list of standbys such as ANY 1 (a, b)", "pattern": concat("", [
		`^(?:`, blank, `*(?:`, standbys, `|(?:(?:[Aa][Nn][Yy]|[Ff][Ii][Rr][Ss][Tt])`, blank, `+)?0*[1-9][0-9]*`, blank, `*\(`, blank, `*`, standbys, blank, `*\))`, blank, `*)?$`,
	])},
}

blank := `[ \t\n\x0B\f\r]`

date_word := `"?(?:iso|sql|postgres[a-z]*|german|ymd|dmy|mdy|euro[a-z]*|us|noneuro[a-z]*|default)"?`

identifier := `(?:"(?:[^"]|"")*"|[^", \t\n\x0B\f\r][^, \t\n\x0B\f\r]*)`

identifiers := concat("", [`^`, blank, `*(?:`, identifier, `(?:`, blank, `*,`, blank, `*`, identifier, `)*)?`, blank, `*$`])

slot := `(?:"[a-z0-9_]+"|[A-Za-z0-9_]+)`

standby := `(?:"(?:[^"]|"")+"|[A-Za-z_\x80-\x{10FFFF}][A-Za-z0-9_$\x80-\x{10FFFF}]*|[0-9]+|\*)`

standbys := concat("", [standby, `(?:`, blank, `*,`, blank, `*`, standby, `)*`])
