# METADATA
# description: What initdb decides once and for all – WAL segment size and data checksums – from its command line or its defaults.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-initdb.html
package walguard.lib.initdb

import data.walguard.lib.cluster
import data.walguard.lib.fact
import data.walguard.lib.placeholder

# METADATA
# description: |
#   WAL segment size as walguard.model has it, from a value that counts megabytes. What is no whole number stays text.
segment(value, path) := {"value": number, "unit": "MB", "origin": "written", "path": path} if number := cluster.whole(value)

segment(value, path) := {"value": value, "unit": "MB", "origin": "written", "path": path} if {
	is_string(value)
	not cluster.whole(value)
	not placeholder.unknown(value)
}

# METADATA
# description: The size that initdb takes when it is told none.
default_segment(path) := {"value": 16, "unit": "MB", "origin": "postgres", "path": path}

# METADATA
# description: The size in a list of options, the last of --wal-segsize=N and --wal-segsize N; the default without one.
option_segment(options, path) := segment(given[count(given) - 1].value, given[count(given) - 1].path) if {
	given := segment_options(options, path)
	count(given) > 0
}

option_segment(options, path) := default_segment(path) if {
	count(segment_options(options, path)) == 0
	count([1 | some option in options; placeholder.unknown(option)]) == 0
}

segment_options(options, path) := [{"value": value, "path": array.concat(path, [i])} |
	some i, option in options
	value := segment_value(options, i, option)
]

segment_value(_, _, option) := substring(option, count("--wal-segsize="), -1) if startswith(option, "--wal-segsize=")

segment_value(_, _, option) := trim_space(substring(option, count("--wal-segsize "), -1)) if startswith(option, "--wal-segsize ")

segment_value(options, i, "--wal-segsize") := options[i + 1]

# METADATA
# description: |
#   Data checksums from a list of options, the last word counts; without one those of the major (a number, or null for an
#   unknown one, which leaves the fact undefined).
option_checksums(options, path, _) := fact.written(given[count(given) - 1].value, given[count(given) - 1].path) if {
	given := checksum_options(options, path)
	count(given) > 0
}

option_checksums(options, path, major) := default_checksums(major, path) if {
	count(checksum_options(options, path)) == 0
	count([1 | some option in options; placeholder.unknown(option)]) == 0
}

checksum_options(options, path) := [{"value": value, "path": array.concat(path, [i])} |
	some i, option in options
	value := checksum_word(option)
]

checksum_word(option) if regex.match(`^--data-(c(h(e(c(k(s(u(ms?)?)?)?)?)?)?)?)?$`, option)

checksum_word(option) := false if without_checksums(option)

# METADATA
# description: True of the option of initdb that leaves data checksums out, and of its beginnings.
without_checksums(option) if regex.match(`^--no-d(a(t(a(-(c(h(e(c(k(s(u(ms?)?)?)?)?)?)?)?)?)?)?)?)?$`, option)

# Short options may stand in one word.
checksum_word(option) if regex.match(`^-[dgnNsSW]*k[dgknNsSW]*([AcDELTUX].*)?$`, option)

# METADATA
# description: Data checksums of a cluster made by initdb without a word about them; on since PostgreSQL 18.
default_checksums(major, path) := {"value": major >= 18, "origin": "postgres", "path": path} if is_number(major)

# METADATA
# description: |
#   The parameters that initdb writes into postgresql.conf (since PostgreSQL 16), [{"name", "value", "path"}]: --set=name=value and -c name=value, of
#   which the option and its value may be one word or two. getopt takes every beginning of an option that means one thing only, and short
#   options in one word (-kc).
settings(options, path) := [{"name": name, "value": substring(assignment, at + 1, -1), "path": array.concat(path, [i])} |
	some i, option in options
	regex.match(`^-(-se|[dgknNsSW]*c)`, option)
	assignment := assignment_at(options, i, option)
	at := indexof(assignment, "=")
	at > 0
	name := replace(trim_space(substring(assignment, 0, at)), "-", "_")
]

assignment_at(_, _, option) := trim_space(regex.replace(option, `^--set?[= ]`, "")) if regex.match(`^--set?[= ].`, option)

assignment_at(_, _, option) := trim_space(regex.replace(option, clustered, "")) if regex.match(concat("", [clustered, "."]), option)

assignment_at(options, i, option) := options[i + 1] if regex.match(concat("", [clustered, "$"]), option)

assignment_at(options, i, option) := options[i + 1] if option in {"--set", "--se"}

# getopt's list of initdb: those before the last take no argument.
clustered := `^-[dgknNsSW]*c`

# METADATA
# description: |
#   The directories that options name for the WAL (-X, --waldir and its beginnings), [{"name": "waldir", "value", "path"}], the last of which counts.
wal_directories(options, path) := [{"name": "waldir", "value": value, "path": array.concat(path, [i])} |
	some i, option in options
	value := directory_at(options, i, option, `^(--wald(ir|i)?|-[dgknNsSW]*X)`)
]

# METADATA
# description: The directories that options name for the files that initdb copies, postgresql.conf.sample among them (-L), in the same form.
inputs(options, path) := [{"name": "-L", "value": value, "path": array.concat(path, [i])} |
	some i, option in options
	value := directory_at(options, i, option, `^-[dgknNsSW]*L`)
]

directory_at(_, _, option, pattern) := trim_left(regex.replace(option, pattern, ""), "= ") if regex.match(concat("", [pattern, `[= ]*/`]), option)

directory_at(options, i, option, pattern) := options[i + 1] if regex.match(concat("", [pattern, `$`]), option)

# METADATA
# description: The options in a text that a shell reads, or that is split at blanks alone.
words(text, "shell") := [regex.replace(parts[0], `['"]`, "") |
	some parts in regex.find_all_string_submatch_n(`(?:[^ \t\n'"]|'[^']*'|"[^"]*")+`, text, -1)
]

words(text, "blanks") := [parts[0] | some parts in regex.find_all_string_submatch_n(`[^ \t\n]+`, text, -1)]

# METADATA
# description: True of a text that makes a shell do more than pass options on.
commands(text) if regex.match("[$`;|&<>(){}\\\\]", text)
