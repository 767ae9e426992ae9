# METADATA
# description: |
#   What somebody runs beside a server – the command of a container, a hook, a probe, a script of the first start – as far as it sets
#   parameters: by SQL, or by writing a file that the server reads. Nobody can read every program; this knows what people write.
package walguard.lib.script

import data.walguard.lib.get
import data.walguard.lib.sql

# METADATA
# description: Everything that a container runs, as one text.
of(container) := concat("\n", array.concat(
	[joined(container, field) | some field in [["command"], ["args"]]],
	[joined(container, path) |
		some path in [
			["lifecycle", "postStart", "exec", "command"],
			["lifecycle", "preStop", "exec", "command"],
			["livenessProbe", "exec", "command"],
			["readinessProbe", "exec", "command"],
			["startupProbe", "exec", "command"],
		]
	],
)) if {
	is_object(container)
}

joined(container, path) := concat(" ", [word | some word in get.list(container, path); is_string(word)])

# METADATA
# description: True of a text that sets parameters.
sets(text) if writes(text)

sets(text) if regex.match(`\balter\s+(/\*.*\*/\s*)*system\b`, get.lower_case(text))

sets(text) if count(sql.settings(text, {})) > 0

# METADATA
# description: True of a text that sets them in a way that walguard.lib.sql does not read.
writes(text) if regex.match(ways, get.lower_case(text))

writes(text) if sql.unreadable(text)

# In lower case. A file is copied, edited in place or written to; initdb writes what it is told.
ways := concat("|", [
	`postgresql\.auto\.con`,
	`>>?\s*\S*(postgresql(\.base)?\.conf|conf\.d/)`,
	`\btee\s[^|;&\n]*postgresql\S*conf`,
	`\b(cp|mv|install|rsync|ln)\s[^|;&\n]*postgresql\S*conf`,
	`\b(sed|perl)\s[^|;&\n]*-[a-z]*i[^|;&\n]*postgresql\S*conf`,
	`\bpostgres(ql)?_(fsync|extra_flags|initdb_args)\s*=`,
	`\binitdb(\s[^|;&\n]*)?\s(-[a-z]*c[ =]?\s*\S+=|--set?[ =])`,
])

# METADATA
# description: True of a text that hides what it runs.
hides(text) if regex.match(`\bbase64\s+(-d|--decode|-di)\b[^;\n]*\|\s*(ba|da|a)?(sh|psql)\b|\bp?sql\b[^;\n]*<\(|\b(curl|wget)\b[^;\n]*\|\s*((ba|da|a)?sh|psql)\b`, get.lower_case(text))

# METADATA
# description: True of a text that names a parameter with which data is lost, or a directive that brings others.
dangerous(text) if regex.match(`(\b|_)(fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure|ignore_invalid_pages|data_sync_retry|synchronous_commit|include_dir|include_if_exists)\b`, get.lower_case(text))

# METADATA
# description: True of a text that copies files without naming them.
copies(text) if regex.match(`\b(cp|mv|install|rsync|ln)\s`, get.lower_case(text))
