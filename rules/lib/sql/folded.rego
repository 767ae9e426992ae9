package walguard.lib.sql

import data.walguard.lib.get

# METADATA
# description: |
#   A text with the strings of its SQL put together as far as they are constants: 'a' || 'b', those that follow each other on lines of their own, concat, concat_ws, array_to_string, replace, reverse,
#   chr and format, psql's variables that \set or -v gives, and variables of PL/pgSQL that get one value. What format takes from elsewhere stands there as ${}.
# related_resources:
#   - https://www.postgresql.org/docs/current/functions-string.html#FUNCTIONS-STRING-FORMAT
#   - https://www.postgresql.org/docs/current/app-psql.html#APP-PSQL-INTERPOLATION
folded(text) := single(once(once(declared(interpolated(text))))) if {
	regex.match(foldable, text)
} else := text

foldable := `(?i)\|\||\bconcat(_ws)?\s*\(|\b(format|array_to_string|replace|reverse|chr)\s*\(|'[ \t]*\n\s*'|\\set\s|(-v|--set|--variable)[= ]?\s*["']?[a-z_]\w*=|\b(execute|perform)\b|''\w`

once(text) := together(formatted(joined_by(replaced(reversed(together(bare(characters(text))))))))

literal := `'(?:[^']|'')*'`

# An argument that is no constant has no more than one call in it.
argument := `(?:'(?:[^']|'')*'|[^,()'\[\]]+(?:\([^()']*\))?[^,()'\[\]]*)`

inner(one) := substring(one, 1, count(one) - 2)

# Types and functions that leave a name as it is.
bare(text) := regex.replace(
	regex.replace(text, `'\s*::\s*"?(?:text|varchar|name|unknown|char|regclass|regrole|regnamespace)\b"?`, "'"),
	sprintf(`(?i)\b(?:pg_catalog\.)?(?:quote_ident|quote_literal|quote_nullable|lower|upper|btrim|ltrim|rtrim|trim|initcap|concat|text)\s*\(\s*(%s)\s*\)`, [literal]),
	"$1",
)

together(text) := regex.replace(regex.replace(text, `'\s*\|\|\s*'`, ""), `'[ \t]*\n\s*'`, "")

characters(text) := strings.replace_n(
	{found[0]: sprintf("'%s'", [of_code(concat("", [substring(digits, floor(n / 16), 1), substring(digits, n % 16, 1)]))]) |
		digits := "0123456789abcdef"
		some found in regex.find_all_string_submatch_n(`(?i)\bchr\s*\(\s*([0-9]{2,3})\s*\)`, text, -1)
		n := to_number(found[1])
		n > 31
		n < 127
		n != 39
	},
	text,
)

reversed(text) := strings.replace_n({found[0]: sprintf("'%s'", [strings.reverse(inner(found[1]))]) | some found in regex.find_all_string_submatch_n(sprintf(`(?i)\breverse\s*\(\s*(%s)\s*\)`, [literal]), text, -1)}, text)

replaced(text) := strings.replace_n(
	{found[0]: sprintf("'%s'", [replace(inner(found[1]), inner(found[2]), inner(found[3]))]) |
		some found in regex.find_all_string_submatch_n(sprintf(`(?i)\breplace\s*\(\s*(%s)\s*,\s*(%s)\s*,\s*(%s)\s*\)`, [literal, literal, literal]), text, -1)
		count(found[2]) > 2
	},
	text,
)

# concat, concat_ws and array_to_string, each of constants alone.
joined_by(text) := strings.replace_n(
	object.union_n([
		{found[0]: sprintf("'%s'", [concat("", constants(found[1]))]) |
			some found in regex.find_all_string_submatch_n(sprintf(`(?i)\bconcat\s*\(\s*(%s(?:\s*,\s*%s)*)\s*\)`, [literal, literal]), text, -1)
		},
		{found[0]: sprintf("'%s'", [concat(inner(found[1]), constants(found[2]))]) |
			some found in regex.find_all_string_submatch_n(sprintf(`(?i)\bconcat_ws\s*\(\s*(%s)\s*,\s*(%s(?:\s*,\s*%s)*)\s*\)`, [literal, literal, literal]), text, -1)
		},
		{found[0]: sprintf("'%s'", [concat(inner(found[2]), constants(found[1]))]) |
			some found in regex.find_all_string_submatch_n(sprintf(`(?i)\barray_to_string\s*\(\s*array\s*\[\s*(%s(?:\s*,\s*%s)*)\s*\]\s*,\s*(%s)\s*\)`, [literal, literal, literal]), text, -1)
		},
	]),
	text,
)

constants(list) := [inner(one) | some one in regex.find_n(literal, list, -1)]

formatted(text) := strings.replace_n(
	{found[0]: sprintf("'%s'", [filled_in(inner(found[1]), [trim_space(one) | some one in regex.find_n(argument, found[2], -1); trim_space(one) != ""])]) |
		some found in regex.find_all_string_submatch_n(sprintf(`(?i)\bformat\s*\(\s*(%s)((?:\s*,\s*%s)*)\s*\)`, [literal, argument]), text, -1)
	},
	text,
)

specifier := `[%](?:[0-9]+[$])?-?[0-9]*[ILs]|[%][%]`

filled_in(form, arguments) := concat("", array.concat([beside[0]], [part |
	some i, one in specifiers
	some part in [said_by(one, arguments, count([1 | some j, other in specifiers; j < i; regex.match(`^[%][-0-9]*[ILs]$`, other)])), beside[i + 1]]
])) if {
	specifiers := regex.find_n(specifier, form, -1)
	beside := regex.split(specifier, form)
}

said_by("%%", _, _) := "%"

said_by(one, arguments, position) := value_of(arguments[position_of(one, position)]) if {
	one != "%%"
} else := "${}" if {
	one != "%%"
}

position_of(one, _) := to_number(regex.find_n(`[0-9]+`, one, 1)[0]) - 1 if contains(one, "$")

position_of(one, position) := position if not contains(one, "$")

value_of(one) := inner(one) if startswith(one, "'")

# A word in the quotes of a string that stands in another one: = ''off''.
single(text) := regex.replace(text, `''(\w[\w.-]*)''`, "$1")

# What psql puts in.
interpolated(text) := concat("", [put_by_psql(one, values) | some one in regex.find_n(`::|:["']?[A-Za-z_]\w*["']?|[^:]+|:`, text, -1)]) if {
	regex.match(giving, text)
	given := [[concat("", [found[1], found[3]]), regex.replace(trim_space(concat("", [found[2], found[4]])), `["']`, "")] | some found in regex.find_all_string_submatch_n(giving, text, -1)]
	values := {name: said[0] |
		some [name, _] in given
		said := [value | some [other, value] in given; other == name]
		count(said) == 1
		not regex.match(`[\x60:$\\]`, said[0])
	}
} else := text

giving := `\\set\s+([A-Za-z_]\w*)[ \t]+([^\n\\]+)|(?:\s-v|--set|--variable)[= ]?\s*["']?([A-Za-z_]\w*)=("[^"\n]*"|'[^'\n]*'|[^\s"']+)`

put_by_psql(one, values) := object.get(values, trim(one, `:"'`), one) if regex.match(`^:["']?[A-Za-z_]`, one)

put_by_psql(one, _) := one if not regex.match(`^:["']?[A-Za-z_]`, one)

# A variable of a block that has one value from its declaration on.
declared(text) := strings.replace_n(
	{use[0]: sprintf("%s%s%s", [use[1], value, use[2]]) |
		some found in regex.find_all_string_submatch_n(sprintf(`(?i)\b([a-z_]\w*)\s+(?:constant\s+)?(?:text|varchar|name|character\s+varying)\s*(?:not\s+null\s*)?(?::=|=|\bdefault\b)\s*(%s)\s*;`, [literal]), text, -1)
		value := found[2]
		count(regex.find_n(sprintf(`(?i)\b%s\s*:?=`, [found[1]]), text, 2)) == 0
		some use in regex.find_all_string_submatch_n(sprintf(`(?i)(\bexecute\s+|\|\|\s*|,\s*|\(\s*)%s(\s*(?:\|\||,|\)|;))`, [found[1]]), text, -1)
	},
	text,
) if {
	regex.match(`(?i)\bdeclare\b`, text)
} else := text

# METADATA
# description: |
#   True of a text that runs a statement out of a variable, a table or what a function is given, or leaves open which parameter of a database one sets, beside the name of one with which data is lost. What it sets
#   for its own session, and what it asks, is no matter.
obscured(text) if {
	regex.match(losing, text)
	said := regex.replace(folded(plain(text)), own_session, " ")
	regex.match(losing, said)
	regex.match(obscure, regex.replace(said, `(?i)\bexecute\s+(function|procedure|on)\b`, " "))
	not said_plainly(said)
}

losing := `(?i)\b(synchronous_commit|fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure|session_replication_role|data_sync_retry|hba_file)\b`

own_session := `(?im)\braise\s+(\w+\s+)?'(?:[^']|'')*'|(^|;|\bbegin\b)\s*set\s+(local\s+|session\s+)?(synchronous_commit|session_replication_role)\b[^;]*|\bshow\s+\w+|\bcurrent_setting\s*\([^()]*\)|\bset_config\s*\([^()]*\)|\bpg_settings\b[^;]*`

obscure := concat("|", [
	`(?i)\bexecute\s+[a-z_(][^;]*;`,
	`(?i)\bexecute\s+'(?:[^']|'')*'\s*\|\|[^;]*;`,
	`(?i)\balter\s+(database\s+[^\s;]+|(role|user)\s+all(\s+in\s+database\s+[^\s;]+)?)\s+set\s+\\?"?[$]`,
])

# All that it names is in statements that are read.
said_plainly(said) if {
	not regex.match(`(?i)\bset\s+\\?"?[$]`, said)
	read := {get.lower_case(setting.name) | some setting in settings_in(said, {})}
	every name in {get.lower_case(one) | some one in regex.find_n(losing, said, -1)} {
		name in read
	}
}

# Whatever follows, it is a statement of this kind, and of no parameters.
harmless := `(?i)\bexecute\s+(immediate\s+)?(format\s*\(\s*)?'\s*((create|drop)\s+(or\s+replace\s+)?(unique\s+|temp\s+|temporary\s+|materialized\s+|unlogged\s+)?(table|index|view|schema|sequence|trigger|type|policy)|grant|revoke|comment|analyze|vacuum|reindex|refresh|truncate|insert|update|delete|select|alter\s+(table|schema|index|view|materialized|sequence|type|policy))\s[^;]*`
