# METADATA
# description: The command line of a container, as far as it starts a PostgreSQL server.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-postgres.html
package walguard.operators.workload.command

import data.walguard.lib.get

# METADATA
# description: |
#   The words that the server gets, [{"text", "path": below the container}], [] where the image's own command stands. What stands before the
#   server (an init, env, gosu, a shell's script) is passed over. Undefined when the container starts something else (psql, sleep).
server(container) := started(array.concat(of(container, "command"), of(container, "args")))

started([]) := []

started(words) := words if startswith(words[0].text, "-")

started(words) := words if program(words[0].text) in servers

started(words) := array.slice(words, places[0], count(words)) if {
	program(words[0].text) in (wrappers | entrypoints)
	places := server_places(words)
	count(places) > 0
}

# The entrypoint gives options, and nothing at all, to the server.
started(words) := rest if {
	program(words[0].text) in (wrappers | entrypoints)
	count(server_places(words)) == 0
	entered := [i | some i, word in words; program(word.text) in entrypoints]
	rest := array.slice(words, entered[0] + 1, count(words))
	only_options(rest)
}

started(words) := controlled(words) if {
	program(words[0].text) == "pg_ctl"
	starts(concat(" ", [word.text | some word in words]))
}

started(words) := array.concat(array.concat(others_of(found, words[at].path), server_words(found[count(found) - 1], words[at].path)), passed_on(script, array.slice(words, at + 2, count(words)))) if {
	at := script_place(words)
	script := replace(words[at].text, "\\\n", "")
	found := calls(script)
	count(found) > 0
	is_server(found[count(found) - 1])
}

# Servers that a script starts before the last one.
others_of(found, path) := [word |
	some i, match in found
	i < count(found) - 1
	is_server(match)
	some word in server_words(match, path)
]

# METADATA
# description: What of a shell's script starts no server that is read here, "" where nothing is left, or no shell.
rest(container) := strings.replace_n({match[0]: "\n" | some match in calls(script)}, script) if {
	words := array.concat(of(container, "command"), of(container, "args"))
	script := replace(words[script_place(words)].text, "\\\n", "")
} else := ""

servers := {"postgres", "run.sh", "run-postgresql"}

entrypoints := {"docker-entrypoint.sh", "entrypoint.sh", "container-entrypoint"}

wrappers := {"eatmydata", "prlimit", "s6-setuidgid", "setsid", "setuidgid", "taskset", "timeout", "tini", "tini-static", "dumb-init", "catatonit", "env", "exec", "gosu", "su-exec", "setpriv", "chpst", "nice", "ionice", "numactl", "stdbuf", "nohup"}

shells := {"sh", "bash", "ash", "dash"}

# After gosu comes the name of a user.
server_places(words) := [i |
	some i, word in words
	program(word.text) in servers
	not names_user(words, i)
]

names_user(words, i) if program(words[i - 1].text) in {"gosu", "s6-setuidgid", "setuidgid", "su-exec", "-u"}

only_options([]) := true

only_options(words) if startswith(words[0].text, "-")

# sh -c, sh -ec …: the word after the options.
script_place(words) := at if {
	program(words[0].text) in shells
	flags := [i | some i, word in words; i > 0; regex.match(`^-[a-z]*c$`, word.text)]
	at := flags[0] + 1
	words[at]
}

# The word after the script is its name.
passed_on(script, words) := words if {
	regex.match(`\$[@*]`, script)
	not regex.match(positional, script)
}

passed_on(script, _) := [] if not regex.match(`\$[@*]`, script)

# set -- puts others in their place, or before them.
passed_on(script, words) := array.concat(given, [word | some word in words; regex.match(`\$[@*]`, found[0][1])]) if {
	regex.match(`\$[@*]`, script)
	found := regex.find_all_string_submatch_n(positional, script, 1)
	count(found) == 1
	given := script_words(found[0][1], ["command"])
}

positional := `(?:^|[\s;&|])set[ \t]+--[ \t]+([^\n;&|]*)`

# Programs of PostgreSQL in a script, [whole, program, words]; what su is given stands in quotes already.
calls(script) := [[match[0], concat("", [match[1], match[3]]), concat("", [match[2], match[4]])] |
	some match in regex.find_all_string_submatch_n(in_script, script, -1)
]

in_script := concat("", [
	`(?:^|[\n;&|(])[ \t]*`, behind_others, program_in_script,
	# What stands in quotes ends no command, and neither does the ampersand of a redirection.
	`((?:[ \t]+(?:[0-9]*[<>]&[0-9-]|'[^']*'|"[^"]*"|[^;&|\n])*)?)(?:$|[\n;&|)])`,
	`|su[ \t]+[^\n;&|'"]*-c[ \t]*['"][ \t]*`, behind_others, program_in_script,
	`((?:[ \t]+[^;&|\n]*)?)(?:$|[\n;&|)])`,
])

program_in_script := `((?:[^ \t\n;&|'"]*/)?(?:postgres|docker-entrypoint\.sh|pg_ctl))`

# The server at the beginning of a command, perhaps behind others that start it.
behind_others := concat("", [
	`(?:(?:exec|nohup|(?:\S*/)?env|[A-Za-z_][A-Za-z0-9_]*=[^ \t\n;&|'"]*)[ \t]+)*`,
	`(?:\S*(?:tini|dumb-init)[ \t]+(?:--[ \t]+)?)?(?:\S*(?:gosu|su-exec)[ \t]+\S+[ \t]+)?`,
	`(?:\S*(?:runuser|sudo)(?:[ \t]+-u[ \t]*[^ \t\n;&|]+|[ \t]+-[A-Zilnpsv]+|[ \t]+--)*[ \t]+)?`,
])

is_server(match) if program(match[1]) == "postgres"

is_server(match) if {
	program(match[1]) == "docker-entrypoint.sh"
	regex.match(`^[ \t]*($|-|postgres)`, match[2])
}

is_server(match) if {
	program(match[1]) == "pg_ctl"
	starts(match[2])
}

server_words(match, path) := script_words(match[2], path) if program(match[1]) != "pg_ctl"

server_words(match, path) := controlled(script_words(match[2], path)) if program(match[1]) == "pg_ctl"

starts(arguments) if regex.match(`(?:^|[ \t"'])(?:re)?start(?:[ \t"']|$)`, arguments)

# pg_ctl gives the server a directory, and the words of -o.
controlled(words) := [given |
	some i, word in words
	parts := regex.find_all_string_submatch_n(`(?s)^(?:-[cswW]*([Do])(.*)|--(o|p)[a-z]*(?:=(.*))?)$`, word.text, 1)[0]
	some given in handed_on(concat("", [parts[1], parts[3]]), argument(words, i, concat("", [parts[2], parts[4]])))
]

handed_on(letter, word) := [{"text": "-D", "path": word.path}, word] if letter in {"D", "p"}

handed_on("o", word) := script_words(word.text, word.path)

# What the shell puts in is written as Kubernetes' own variables are, $(NAME), and "written" is what stood there.
script_words(text, path) := [object.union({"text": filled, "path": path}, {"written": bare | filled != bare}) |
	some parts in regex.find_all_string_submatch_n(`(?:[^ \t'"]|'[^']*'|"[^"]*")+`, without_comment(text), -1)
	word := parts[0]
	not word in {"$@", `"$@"`, "$*"}
	bare := regex.replace(word, `['"]`, "")
	filled := put_in(word, bare)
]

without_comment(text) := regex.replace(text, `^((?:'[^']*'|"[^"]*"|[^#'"]|[^ \t]#)*)[ \t]#[^\n]*`, "$1")

put_in(word, bare) := regex.replace(replace(bare, "`", "$(`"), shell_variable, "$$($1)") if expands(word)

put_in(word, bare) := bare if not expands(word)

# Between single quotes a shell leaves everything as it is.
expands(word) if regex.match(shell_variable, regex.replace(word, `'[^']*'`, ""))

expands(word) if contains(regex.replace(word, `'[^']*'`, ""), "`")

shell_variable := `[$][{]?([A-Za-z_][A-Za-z0-9_]*|[0-9])[}]?`

# METADATA
# description: |
#   The configuration that Patroni gets, when it is Patroni that the container starts, be it by way of a shell (the chart
#   timescaledb-single). Undefined otherwise.
patroni(container) := found[count(found) - 1][1] if {
	found := [parts |
		text := concat(" ", [word.text | some field in ["command", "args"]; some word in of(container, field)])
		some parts in regex.find_all_string_submatch_n(`(?:^|[ \t\n\r\f\v/])patroni[ \t\n\r\f\v]+([^ \t\n\r\f\v;&|]+\.ya?ml)(?:[ \t\n\r\f\v;&|]|$)`, text, -1)
	]
	count(found) > 0
}

# METADATA
# description: The directory in which it finds all its files instead, without the slash at the end.
patroni_directory(container) := trim_right(found[count(found) - 1][1], "/") if {
	not patroni(container)
	found := [parts |
		text := concat(" ", [word.text | some field in ["command", "args"]; some word in of(container, field)])
		some parts in regex.find_all_string_submatch_n(`(?:^|[ \t\n\r\f\v/])patroni[ \t\n\r\f\v]+(/[^ \t\n\r\f\v;&|"']+)(?:[ \t\n\r\f\v;&|"']|$)`, text, -1)
	]
	count(found) > 0
}

of(container, field) := [{"text": word, "path": [field, i]} |
	some i, word in get.list(container, field)
	is_string(word)
]

program(text) := parts[count(parts) - 1] if parts := split(text, "/")

# METADATA
# description: |
#   The parameters among the words, [{"name", "value", "path", "blank"?: the text of one whose name has blanks around it}]: -c name=value, --name=value and the short forms of some, of which several can stand in one
#   word (-eF, -ecfsync=off). "-" in a name is "_".
options(words) := [option |
	some i, word in words
	some option in options_at(words, i, word)
]

options_at(_, _, word) := [option | option := assignment(substring(word.text, 2, -1), word.path)] if startswith(word.text, "--")

options_at(words, i, word) := array.concat(
	[{"name": "fsync", "value": "off", "path": word.path} | contains(parts[1], "F")],
	[option | option := short(parts[2], argument(words, i, parts[3]))],
) if {
	not startswith(word.text, "--")

	# getopt's list of postgres; those of the first group take no argument.
	parts := regex.find_all_string_submatch_n(`(?s)^-([beEijlnOPsTF]*)(?:([BCcDdfhkNprStvW])(.*))?$`, word.text, 1)[0]
}

argument(words, i, attached) := {"text": attached, "path": words[i].path} if attached != ""

argument(words, i, "") := words[i + 1]

short("c", word) := assignment(word.text, word.path)

short(letter, word) := {"name": name, "value": word.text, "path": word.path} if name := short_forms[letter]

short_forms := {"B": "shared_buffers", "D": "data_directory", "N": "max_connections", "S": "work_mem", "h": "listen_addresses", "p": "port"}

assignment(text, path) := object.union({"name": replace(trim_space(name), "-", "_"), "value": substring(text, at + 1, -1), "path": path}, {"blank": text | name != trim_space(name)}) if {
	at := indexof(text, "=")
	at > 0
	name := substring(text, 0, at)
}
