# METADATA
# description: The command line of a container, as far as it starts a PostgreSQL server.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-postgres.html
package walguard.operators.workload.command

import data.walguard.lib.get

# METADATA
# description: |
#   The words that the server gets, [{"text", "path": below the container}], [] where the image's own command stands. Undefined
#   when the container starts something else (a shell, psql, sleep).
server(container) := array.slice(words, leading(words), count(words)) if {
	words := array.concat(of(container, "command"), of(container, "args"))
	starts(array.slice(words, leading(words), count(words)))
}

# METADATA
# description: |
#   The configuration that Patroni gets, when it is Patroni that the container starts, be it by way of a shell (the chart
#   timescaledb-single). Undefined otherwise.
patroni(container) := found[count(found) - 1][1] if {
	found := [parts |
		some field in ["command", "args"]
		some word in of(container, field)
		some parts in regex.find_all_string_submatch_n(`(?:^|[ \t\n\r\f\v/])patroni[ \t\n\r\f\v]+([^ \t\n\r\f\v;&|]+\.ya?ml)(?:[ \t\n\r\f\v]|$)`, word.text, -1)
	]
	count(found) > 0
}

of(container, field) := [{"text": word, "path": [field, i]} |
	some i, word in get.list(container, field)
	is_string(word)
]

# An entrypoint runs what follows it.
leading(words) := 1 if program(words[0].text) in entrypoints

leading(words) := 0 if not entered(words)

entered(words) if program(words[0].text) in entrypoints

entrypoints := {"docker-entrypoint.sh", "entrypoint.sh", "container-entrypoint"}

starts([]) := true

starts(words) if startswith(words[0].text, "-")

starts(words) if program(words[0].text) in {"postgres", "run.sh", "run-postgresql"}

program(text) := parts[count(parts) - 1] if parts := split(text, "/")

# METADATA
# description: |
#   The parameters among the words, [{"name", "value", "path"}]: -c name=value, --name=value and the short forms of some. "-" in
#   a name is "_".
options(words) := [option |
	some i, word in words
	option := option_at(words, i, word)
]

option_at(words, i, word) := assignment(words[i + 1].text, words[i + 1].path) if word.text == "-c"

option_at(_, _, word) := assignment(substring(word.text, 2, -1), word.path) if {
	startswith(word.text, "-c")
	count(word.text) > 2
}

option_at(_, _, word) := assignment(substring(word.text, 2, -1), word.path) if startswith(word.text, "--")

option_at(_, _, word) := {"name": "fsync", "value": "off", "path": word.path} if word.text == "-F"

option_at(words, i, word) := {"name": name, "value": words[i + 1].text, "path": words[i + 1].path} if name := short_forms[word.text]

short_forms := {"-B": "shared_buffers", "-D": "data_directory", "-N": "max_connections"}

assignment(text, path) := {"name": replace(trim_space(substring(text, 0, at)), "-", "_"), "value": substring(text, at + 1, -1), "path": path} if {
	at := indexof(text, "=")
	at > 0
}
