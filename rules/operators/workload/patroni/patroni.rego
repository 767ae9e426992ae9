# METADATA
# description: |
#   Patroni's configuration (patroni.yaml) as Helm writes it – block style, two blanks a level. It is read line by line, because engines
#   differ in YAML and the lines are wanted for findings; what is written in another style is not read.
# related_resources:
#   - https://patroni.readthedocs.io/en/latest/yaml_configuration.html
package walguard.operators.workload.patroni

import data.walguard.lib.get

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
parameters(text, place) := array.concat(
	entries(lines, below(lines, server(lines), "      parameters:"), 8, place),
	entries(lines, below(lines, below(lines, [0, count(lines)], "postgresql:"), "  parameters:"), 4, place),
) if {
	lines := split(text, "\n")
}

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

scalar(written) := json.unmarshal(written) if startswith(written, `"`)

scalar(written) := replace(substring(written, 1, count(written) - 2), "''", "'") if startswith(written, "'")

scalar(written) := bare(trim_space(split(written, " #")[0])) if not quoted(written)

quoted(written) if startswith(written, `"`)

quoted(written) if startswith(written, "'")

bare(word) := word if not nothing(word)

bare(word) := null if nothing(word)

nothing("") := true

nothing(word) if substring(word, 0, 1) in {"|", ">", "[", "{", "&", "*", "!", "~"}
