# METADATA
# description: A postgresql.conf inside a resource – the texts of ConfigMaps, of OpsRequests, of a PostgresServer – read into the forms of walguard.model.
package walguard.lib.conf

import data.walguard.lib.placeholder
import data.walguard.postgres

# METADATA
# description: The directives that make the server read other files. They are no parameters.
includes := {"include", "include_if_exists", "include_dir"}

# METADATA
# description: |
#   The parameters of a text as walguard.model wants them, each with its "line" in the text. place: what all of them have in
#   common, {"path" of the text, "resource"?, …}. What is a syntax error has no name, and is left out (see errors).
settings(text, place) := [object.union({"name": entry.name, "value": entry.value, "line": entry.line}, place) |
	some line in postgres.conf(text)
	entry := read(line, text)
	not entry.name in includes
]

read(line, _) := line if not line.error

# "work_mem = ${WORK_MEM}" names its parameter, though PostgreSQL cannot read it before it is filled in.
read(line, text) := {"name": found[0][1], "value": trim(found[0][2], "'"), "line": line.line} if {
	line.error
	body := body_of(line, text)
	placeholder.holds(body)
	found := regex.find_all_string_submatch_n(`^[ \t]*([A-Za-z_][A-Za-z_0-9.]*)(?:[ \t]*=[ \t]*|[ \t]+)(.*[^ \t\r])`, body, 1)
	count(found) == 1
}

body_of(line, text) := split(text, "\n")[line.line - 1]

# METADATA
# description: |
#   The lines of a text that keep the server from starting, {"reason", "line"} and the place. A line with a placeholder is not what the
#   server will read.
errors(text, place) := [object.union({"reason": entry.error, "line": entry.line}, place) |
	some entry in postgres.conf(text)
	entry.error
	not placeholder.holds(body_of(entry, text))
]

# METADATA
# description: True when a text names other files, so that a parameter that is not in it may have any value.
includes_more(text) if placeholder.whole(text)

includes_more(text) if {
	some entry in postgres.conf(text)
	entry.name in includes
}

# METADATA
# description: What a text includes, [{"name" of the directive, "value", "line"}], in its order.
inclusions(text) := [entry | some entry in postgres.conf(text); entry.name in includes]

# METADATA
# description: The lines of a text behind one and before another one, at their places.
between(text, first, last) := concat("\n", [shown(i + 1, line, first, last) | some i, line in split(text, "\n")])

shown(number, line, first, last) := line if {
	number > first
	number < last
} else := ""

# METADATA
# description: '"line 11 of conf.d/a.conf" of what stands in a file, "line 3" of what stands in a resource.'
line(entry) := sprintf("line %d of %s", [entry.first_line + (entry.line - 1), entry.file]) if entry.file

line(entry) := sprintf("line %d", [entry.line]) if not entry.file

# METADATA
# description: 'The names in a value of shared_preload_libraries and its like: {"pg_cron", "pgaudit"} of "pg_cron, ''pgaudit''".'
names(value) := {trim(name, ` "'`) | some name in split(value, ",")} - {""}
