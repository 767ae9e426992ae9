# METADATA
# description: |
#   Poolers that ask their clients for no password: PgBouncer by its auth_type or the lines of its own pg_hba.conf, and others by files and words of theirs. What the pooler logs in with is the
#   server's business, and a client has it then.
# related_resources:
#   - https://www.pgbouncer.org/config.html#authentication-settings
#   - https://www.pgpool.net/docs/latest/en/html/auth-pool-hba-conf.html
#   - https://docs.pgdog.dev/configuration/pgdog.toml/general/
package walguard.lib.pooling

import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.mount
import data.walguard.lib.script

# METADATA
# description: A value of auth_type with which PgBouncer asks for nothing, as it reads it. Of "any" the console is open too.
open_type(value) := small if {
	is_string(value)
	small := get.lower_case(regex.replace(value, `[\s\x{85}\x{2028}\x{2029}]`, ""))
	small in {"any", "trust"}
}

# METADATA
# description: What a pgbouncer.ini says of an option; the last of two counts.
said(ini, option) := found[count(found) - 1][1] if {
	found := regex.find_all_string_submatch_n(sprintf(`(?m)^[ \t]*%s[ \t]*=[ \t]*([^\r\n]*?)[ \t\r]*$`, [option]), ini, -1)
	count(found) > 0
}

# METADATA
# description: |
#   What lets clients of a container in that runs a pooler, [{"text": as it is written, "program"}]; of one that listens on the loopback alone there is none.
of_container(container, volumes) := found if {
	name := program(container)
	seen := files.mounted(container, volumes)
	values := environment.values(container)
	not local(name, values, seen)
	found := array.concat(array.concat(by_words(name, script.of(container)), by_type(name, values, seen)), by_lines(name, values, seen))
}

# METADATA
# description: What the command of a container writes that an operator starts PgBouncer in, as far as it lets clients in.
by_command(container) := by_words("pgbouncer", script.of(container))

# METADATA
# description: What decides it and is not in sight, as walguard.model's "hba_unread", where a container runs a pooler.
unseen(container, volumes) := [{"source": sprintf("the variable %s of %s", [get.string(variable, "name"), shown[name]]), "severity": inventory.unread} |
	name := program(container)
	count(files.mounted(container, volumes)) == 0
	some variable in get.list(container, "env")
	get.string(variable, "name") in types
	get.present(variable, "valueFrom")
	not environment.keyed(variable)
]

# METADATA
# description: |
#   What lets clients of a pooler in that reads this text of a ConfigMap under this key, whoever mounts it, [{"text", "program"}]. PgBouncer's own lines are said by whoever reads pg_hba.conf.
of_text(key, text) := [{"text": sprintf("auth_type %s", [small]), "program": shown.pgbouncer} |
	regex.match(`(?m)^[ \t]*auth_type[ \t]*=`, text)
	not regex.match(`\.(toml|sh|bash|py|md)$`, key)
	small := open_type(said(text, "auth_type"))
	not beside_its_client(text)
] if {
	not names_of_files[key]
}

of_text(key, text) := [{"text": found[0], "program": shown[name]} |
	name := names_of_files[key]
	some found in regex.find_all_string_submatch_n(words_of_others[name], text, 1)
] if {
	names_of_files[key]
}

names_of_files := {"odyssey.conf": "odyssey", "pgcat.toml": "pgcat", "pgdog.toml": "pgdog", "users.toml": "pgdog"}

# A part that another file includes says nothing of where it listens.
beside_its_client(text) if {
	regex.match(`(?m)^[ \t]*\[pgbouncer\]`, text)
	not regex.match(`(?m)^[ \t]*%include\b`, text)
	loopback(listens(text))
}

# METADATA
# description: What a container runs. The name of the image says it, or the command.
program(container) := name if {
	some name, pattern in programs
	regex.match(pattern, image.name(get.string(container, "image")))
} else := "pgbouncer" if regex.match("(^|[\\s/;&|])pgbouncer\\s+(-\\S+\\s+([^-\\s/]\\S*\\s+)?)*\\S*\\.ini\\b", script.of(container))

programs := {"odyssey": `^odyssey$`, "pgbouncer": `(^|-)pgbouncer$`, "pgcat": `^pgcat$`, "pgdog": `^pgdog$`, "pgpool": `^pgpool(2|-ii)?$`}

shown := {"odyssey": "Odyssey", "pgbouncer": "PgBouncer", "pgcat": "PgCat", "pgdog": "PgDog", "pgpool": "Pgpool-II"}

types := {"AUTH_TYPE", "PGBOUNCER_AUTH_TYPE"}

# PgBouncer's own file comes before the variables of its images, which write one where there is none.
by_type("pgbouncer", values, seen) := [{"text": sprintf("%s %s", [one.option, small]), "program": shown.pgbouncer} |
	some one in said_of_type(values, seen)
	small := open_type(one.value)
]

by_type(name, _, seen) := [{"text": found[0], "program": shown[name]} |
	pattern := words_of_others[name]
	some file in seen
	regex.match(`\.(toml|conf)$`, file.file)
	some found in regex.find_all_string_submatch_n(pattern, file.text, 1)
] if {
	name != "pgbouncer"
}

words_of_others := {
	"odyssey": `\bauthentication\s+"none"`,
	"pgcat": `\bauth_type\s*=\s*["']trust["']`,
	"pgdog": `\bauth_type\s*=\s*["']trust["']`,
}

said_of_type(_, seen) := [{"option": "auth_type", "value": value} |
	some file in inis(seen)
	value := said(file.text, "auth_type")
] if {
	count(inis(seen)) > 0
}

said_of_type(values, seen) := [{"option": name, "value": values[name]} |
	some name in types
	values[name]
] if {
	count(inis(seen)) == 0
}

# Whatever it is called: one may include another.
inis(seen) := [file | some file in seen; regex.match(`(?m)^[ \t]*(\[pgbouncer\]|auth_type[ \t]*=|%include\b)`, file.text)]

# The lines of a file count where something names it.
by_lines(name, values, seen) := [{"text": rule.text, "program": shown[name]} |
	some file in seen
	lines_in_force(name, file, values, seen)
	some rule in open_lines(hba.of_text(file.text, {}))
]

lines_in_force("pgpool", file, _, _) if endswith(file.file, "pool_hba.conf")

lines_in_force("pgbouncer", file, values, seen) if {
	some one in said_of_type(values, seen)
	get.lower_case(trim_space(one.value)) == "hba"
	named := array.concat([path | some ini in inis(seen); path := said(ini.text, "auth_hba_file")], [values[variable] | some variable in ["AUTH_HBA_FILE", "PGBOUNCER_AUTH_HBA_FILE"]; values[variable]])
	some path in named
	mount.clean(path) == file.file
}

# METADATA
# description: The lines with trust that somebody reaches, of those that a pooler reads.
open_lines(lines) := [rule |
	some rule in hba.reachable(hba.rules(lines))
	rule.method == "trust"
	not hba.own(rule)
]

# What a command writes.
by_words(name, text) := [{"text": regex.replace(found[0], `\s+`, " "), "program": shown[name]} |
	some found in regex.find_all_string_submatch_n(`auth_type\s*=\s*(?:trust|any)\b`, text, 1)
]

# Then it stands beside its only client. A pgbouncer.ini without listen_addr has a socket alone.
local("pgbouncer", values, _) if {
	some variable in ["LISTEN_ADDR", "PGBOUNCER_LISTEN_ADDRESS"]
	loopback(values[variable])
}

local("pgbouncer", _, seen) if {
	count(inis(seen)) > 0
	every file in inis(seen) {
		not regex.match(`(?m)^[ \t]*%include\b`, file.text)
		loopback(listens(file.text))
	}
}

# Odyssey says it for each of its ports.
local("odyssey", _, seen) if {
	every file in seen {
		not regex.match(`(?m)^[ \t]*include\s`, file.text)
	}
	addresses := [match[1] |
		some file in seen
		some body in regex.find_all_string_submatch_n(`(?m)^[ \t]*listen\s*\{([^{}]*)\}`, file.text, -1)
		some match in array.concat(regex.find_all_string_submatch_n(`(?m)^[ \t]*host[ \t]+"([^"\n]*)"`, body[1], 1), [["", "*"] | not regex.match(`(?m)^[ \t]*host\s`, body[1])])
	]
	count(addresses) > 0
	every address in addresses {
		loopback(address)
	}
}

listens(ini) := said(ini, "listen_addr")

listens(ini) := "" if not said(ini, "listen_addr")

loopback(addresses) if regex.match(`^\s*((127\.[0-9.]+|localhost|::1)(\s*,\s*|\s*$))*$`, addresses)
