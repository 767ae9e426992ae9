# METADATA
# description: |
#   Patroni's configuration (patroni.yaml) as Helm writes it – block style, two blanks a level. It is read line by line, because engines
#   differ in YAML and the lines are wanted for findings; what is written in another style is not read.
# related_resources:
#   - https://patroni.readthedocs.io/en/latest/yaml_configuration.html
package walguard.lib.patroni

import data.walguard.lib.get
import data.walguard.lib.hba as lines_of_hba

# METADATA
# description: True when a text is written so, as far as it concerns PostgreSQL.
readable(text) if {
	is_string(text)
	every header in ["bootstrap:", "  dcs:", "    postgresql:", "      parameters:"] {
		header in split(text, "\n")
	}
}

# METADATA
# description: |
#   The parameters in Patroni's order of precedence – of the whole cluster, then of this member –, each with its line; place is
#   what all of them have in common. A value over several lines, or of no scalar type, is null.
parameters(text, place) := array.concat(array.concat(of_initdb(lines, place), entries(lines, below(lines, server(lines), "      parameters:"), 8, place)), array.concat(
	[entry | some entry in entries(lines, below(lines, member(lines), "  parameters:"), 4, place); not shared_only(entry.name)],
	array.concat(
		of_standby(entries(lines, below(lines, server(lines), "      recovery_conf:"), 8, place)),
		of_standby(entries(lines, below(lines, member(lines), "  recovery_conf:"), 4, place)),
	),
)) if {
	not json.is_valid(text)
	lines := split(text, "\n")
}

parameters(text, place) := found if {
	json.is_valid(text)
	given := json.unmarshal(text)
	found := [object.union({"name": name, "value": value}, place) |
		some part in [["bootstrap", "dcs", "postgresql"], ["postgresql"]]
		some field in ["parameters", "recovery_conf"]
		some name, value in get.map(given, array.concat(part, [field]))
		not field_of_standby(field, name)
		count([1 | part == ["postgresql"]; field == "parameters"; shared_only(name)]) == 0
	]
}

# METADATA
# description: True of what Patroni takes from the configuration of the whole cluster alone and gives the server on its command line (postgresql/config.py, CMDLINE_OPTIONS).
shared_only(name) if get.lower_case(name) in {
	"max_connections", "max_locks_per_transaction", "max_prepared_transactions", "max_replication_slots", "max_wal_senders", "max_worker_processes", "track_commit_timestamp",
	"wal_keep_segments", "wal_keep_size", "wal_level", "wal_log_hints",
}

# METADATA
# description: |
#   Entries where Patroni reads no parameter, each with its "reason" and its line: beside parameters instead of below it, and of one member where they hold for the whole cluster
#   and stand there with another value or not at all.
misplaced(text, place) := array.concat(
	[object.union(entry, {"reason": "Patroni reads parameters below postgresql.parameters only"}) |
		some entry in array.concat(
			entries(lines, server(lines), 6, place),
			array.concat(entries(lines, cluster(lines), 4, place), entries(lines, member(lines), 2, place)),
		)
	],
	[object.union(entry, {"reason": "Patroni takes it from bootstrap.dcs.postgresql.parameters, and not from the part of a single member"}) |
		some entry in entries(lines, below(lines, member(lines), "  parameters:"), 4, place)
		shared_only(entry.name)
		count([1 |
			some other in entries(lines, below(lines, server(lines), "      parameters:"), 8, place)
			get.lower_case(other.name) == get.lower_case(entry.name)
			get.text(other.value) == get.text(entry.value)
		]) == 0
	],
) if {
	is_string(text)
	not json.is_valid(text)
	lines := split(text, "\n")
}

misplaced(text, place) := array.concat(
	[object.union({"name": name, "value": value, "reason": "Patroni reads parameters below postgresql.parameters only"}, place) |
		some part in [["bootstrap", "dcs", "postgresql"], ["bootstrap", "dcs"], ["postgresql"]]
		some name, value in get.map(given, part)
	],
	[object.union({"name": name, "value": value, "reason": "Patroni takes it from bootstrap.dcs.postgresql.parameters, and not from the part of a single member"}, place) |
		some name, value in get.map(given, ["postgresql", "parameters"])
		shared_only(name)
		count([1 | get.text(object.get(given, ["bootstrap", "dcs", "postgresql", "parameters", name], null)) == get.text(value)]) == 0
	],
) if {
	is_string(text)
	json.is_valid(text)
	given := json.unmarshal(text)
}

# Patroni writes all of recovery_conf into postgresql.conf of a standby (config.py, _write_recovery_params), what belongs to recovery or not.
of_standby(found) := [entry | some entry in found; not field_of_standby("recovery_conf", entry.name)]

# METADATA
# description: True of what recovery_conf is made for.
field_of_standby("recovery_conf", name) if regex.match(`^(recovery_.*|restore_command|archive_cleanup_command|primary_conninfo|primary_slot_name|(promote_)?trigger_file|standby_mode|pause_at_recovery_target)$`, name)

# initdb writes what it is told by --set.
of_initdb(lines, place) := [object.union({"name": found[0][1], "value": trim(found[0][2], `"' `), "line": i + 1}, place) |
	some i, line in lines
	found := regex.find_all_string_submatch_n(`^[ \t]*-[ \t]*["']?set["']?[ \t]*:[ \t]*["']?([A-Za-z_.]+)=(.*)$`, line, 1)
	count(found) == 1
]

# METADATA
# description: |
#   The lines of pg_hba.conf that Patroni writes (walguard.lib.hba) – those of the member, else those of the whole cluster, else those that a new one begins with.
hba(text, place) := lines_of_hba.joined([object.union(entry, {"line": line}) |
	some entry in items_of_hba(text, place)
	some line in split(replace(entry.line, `\n`, "\n"), "\n")
])

items_of_hba(text, place) := [object.union({"line": item, "number": i + 1}, place) |
	lines := split(text, "\n")
	heads := [at | some at, line in lines; regex.match(`^ *pg_hba:[ \r]*$`, line)]
	head := array.concat(
		[at | some at in heads; within(at, member(lines))],
		array.concat([at | some at in heads; within(at, server(lines))], heads),
	)[0]
	indent := count(lines[head]) - count(trim_left(lines[head], " "))
	ends := [k |
		some k, line in lines
		k > head
		regex.match(`^ *[^ #\r]`, line)
		leading := count(line) - count(trim_left(line, " "))
		ended(line, leading, indent)
	]
	end := min(array.concat(ends, [count(lines)]))
	some i, line in lines
	i > head
	i < end
	startswith(trim_left(line, " "), "- ")
	next := min(array.concat([k | some k, other in lines; k > i; startswith(trim_left(other, " "), "- ")], [end]))
	following := [trim_space(other) | some other in array.slice(lines, i + 1, min([next, end])); not regex.match(`^\s*(#|[{][{]|$)`, other)]
	item := whole(trim_space(substring(trim_left(line, " "), 2, -1)), following, text)
	is_string(item)
] if {
	contains(text, "pg_hba:")
	not json.is_valid(text)
} else := [object.union({"line": item}, place) |
	given := json.unmarshal(text)
	item := array.concat(
		get.list(given, ["postgresql", "pg_hba"]),
		array.concat(get.list(given, ["bootstrap", "dcs", "postgresql", "pg_hba"]), get.list(given, ["bootstrap", "pg_hba"])),
	)[_]
	is_string(item)
] if {
	json.is_valid(text)
} else := []

# An item may go on in the next lines, or be what stands elsewhere.
whole(opening, following, _) := concat("\n", following) if startswith(opening, "|")

whole(opening, following, _) := concat(" ", following) if startswith(opening, ">")

whole(opening, _, text) := scalar(found[1]) if {
	startswith(opening, "*")
	some found in regex.find_all_string_submatch_n(sprintf(`&%s[ \t]+(\S[^\n]*)`, [regex.replace(opening, `\W`, "")]), text, 1)
}

whole(opening, following, _) := scalar(concat(" ", array.concat([opening], following))) if not regex.match(`^[|>*]`, opening)

# The items of a list may stand as far in as its name.
ended(_, leading, indent) if leading < indent

ended(line, leading, indent) if {
	leading == indent
	not startswith(trim_left(line, " "), "- ")
}

within(at, span) if {
	at >= span[0]
	at < span[1]
}

member(lines) := below(lines, [0, count(lines)], "postgresql:")

# METADATA
# description: |
#   True where a text says something of parameters that is not read: in another style (flow, other blanks, quoted keys, merged maps), or as a file of
#   its own (custom_conf).
unread(text) if {
	not json.is_valid(text)
	some line in split(text, "\n")
	regex.match(`^[ \t]*(- )?["']?(parameters|recovery_conf)["']?[ \t]*:|^[ \t]*["']?(bootstrap|dcs|postgresql)["']?[ \t]*:[ \t]*\S|^[ \t]*["'](bootstrap|dcs|postgresql)["'][ \t]*:|^[ \t]*["']?<<["']?[ \t]*:|\bparameters["']?[ \t]*:[ \t]*\{|\bcustom_conf\b`, line)
	not regex.match(`^( {2}| {6})(parameters|recovery_conf):[ \r]*$|^ {4,8}recovery_conf:[ \r]*$|^[ \t]*#`, line)
}

unread(text) if {
	json.is_valid(text)
	contains(text, `"custom_conf"`)
}

# The last of two of a name counts, and the first one is what is read here.
unread(text) if {
	not json.is_valid(text)
	lines := [trim_right(line, " \r") | some line in split(text, "\n")]
	some header in ["bootstrap:", "postgresql:", "  dcs:", "  parameters:", "    postgresql:", "      parameters:"]
	count([1 | some line in lines; line == header]) > 1
}

# It begins with a mark that is no part of the first word.
unread(text) if startswith(text, "\ufeff")

# METADATA
# description: |
#   Where it puts the data and the WAL, by a path from the root, in whatever style: [{"name", "value", "line"}].
places(text) := [{"name": found[1], "value": found[2], "line": i + 1} |
	some i, line in split(text, "\n")
	regex.match(`data_dir|wal|xlogdir`, line)
	some found in regex.find_all_string_submatch_n(`(?:^[ \t]*(?:-[ \t]+)?|[{,][ \t]*)["']?(data_dir|waldir|waldi|wald|xlogdir)["']?[ \t]*:[ \t]*["']?(/[^"'\s#,}]*)`, line, -1)
]

# METADATA
# description: |
#   A setting of the whole cluster that stands below bootstrap.dcs (synchronous_mode) or below its postgresql (use_pg_rewind), as text.
#   Undefined when it is not written.
setting(text, name) := get.text(found[count(found) - 1]) if {
	lines := split(text, "\n")
	found := [entry.value |
		some entry in array.concat(entries(lines, cluster(lines), 4, {}), entries(lines, server(lines), 6, {}))
		entry.name == name
	]
	count(found) > 0
}

cluster(lines) := below(lines, below(lines, [0, count(lines)], "bootstrap:"), "  dcs:")

server(lines) := below(lines, cluster(lines), "    postgresql:")

entries(lines, span, indent, place) := [object.union({"name": name, "value": value, "line": i + 1}, place) |
	some i, line in lines
	i >= span[0]
	i < span[1]
	count(line) - count(trim_left(line, " ")) == indent
	colon := indexof(line, ":")
	colon > 0
	name := trim(substring(line, 0, colon), ` "'`)
	not startswith(name, "#")
	name != "<<"
	not startswith(name, "- ")
	value := scalar(trim_space(substring(line, colon + 1, -1)))
]

# The lines below a header that stands in a span, as [first, last); none where it does not stand there.
below(lines, span, header) := [at + 1, end] if {
	at := min([i | some i, line in lines; i >= span[0]; i < span[1]; trim_right(line, " \r") == header])
	indent := substring("          ", 0, (count(header) - count(trim_left(header, " "))) + 1)
	ends := [i | some i, line in lines; i > at; i < span[1]; trim_space(line) != ""; not startswith(line, indent)]
	end := min(array.concat(ends, [span[1]]))
}

below(lines, span, header) := [0, 0] if {
	count([i | some i, line in lines; i >= span[0]; i < span[1]; trim_right(line, " \r") == header]) == 0
}

scalar(written) := json.unmarshal(without_comment(written, `^"(?:[^"\\]|\\.)*"`)) if startswith(written, `"`)

scalar(written) := replace(substring(inside, 1, count(inside) - 2), "''", "'") if {
	startswith(written, "'")
	inside := without_comment(written, `^'(?:[^']|'')*'`)
}

# A comment behind the closing mark is no part of the value.
without_comment(written, quotes) := found[1] if {
	some found in regex.find_all_string_submatch_n(sprintf(`(%s)\s+#.*$`, [quotes]), written, 1)
} else := written

scalar(written) := bare(trim_space(split(written, " #")[0])) if not quoted(written)

quoted(written) if startswith(written, `"`)

quoted(written) if startswith(written, "'")

bare(word) := word if not nothing(word)

bare(word) := null if nothing(word)

nothing("") := true

nothing(word) if substring(word, 0, 1) in {"|", ">", "[", "{", "&", "*", "!", "~"}
