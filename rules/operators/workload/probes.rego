package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# Probes that are no program, or log in as somebody whom the image does not make; beside mistakes.rego and pods.rego.

# The kubelet looks for a program of this name, blanks and all.
unparted_probes := [{"probe": field, "reason": sprintf("starts the program %q, which does not exist", [words[0]]), "cure": "Write every word of the command as an item of its own", "path": array.concat(container_path, [field, "exec", "command"])} |
	server
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	words := get.list(container, [field, "exec", "command"])
	count(words) == 1
	not placeholder.holds(words[0])
	regex.match(`^(/\S*/)?(pg_isready|psql|pg_ctl|sh|bash)\s+\S`, words[0])
]

# psql without a name logs in as the user of the system, and needs a session.
by_user_of_session := [{"user": asking, "superuser": superuser, "session": true, "probe": field, "path": path} |
	layout == "docker"
	server.product.published
	by_entrypoint
	not unknown(["POSTGRES_USER"])
	superuser := default_role
	asking := name_of_user
	asking != superuser
	not "PGUSER" in names_of_variables
	count(get.list(container, "envFrom")) == 0
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d")]) == 0
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	path := array.concat(container_path, [field, "exec", "command"])
	names_nobody(line_of_psql(get.list(k8s.object, path)))
]

name_of_user := "root" if user == 0

name_of_user := "postgres" if {
	user > 0
	user == image.server_user(get.string(container, "image"))
}

# What stands in quotes is one word, and what comes behind a pipe looks at what psql says.
line_of_psql(words) := concat(" ", [regex.replace(word, `\s+`, "_") | some word in words; is_string(word)]) if not regex.match(shell, words[0])

line_of_psql(words) := split(line, "|")[0] if {
	regex.match(shell, words[0])
	line := regex.replace(regex.replace(words[count(words) - 1], `'[^']*'|"[^"]*"`, "_"), `[0-9]?>+&?\s*\S+|\bexec\s`, " ")
	not regex.match(`\|\||\$\?|[;&\n]|PGUSER|\bsu\b|gosu|pg_isready`, line)
}

# Options, and at most the database behind them: the next word would be the user.
names_nobody(line) if {
	regex.match(`^\s*(\S*/)?psql(\s|$)`, line)
	not regex.match(`\s-[a-zA-Z]*U|--username|service=|://|user=`, line)
	bare := regex.replace(line, `\s(-[a-zA-Z]*[cdhpfovPFRT]\s*|--(command|dbname|host|port|file|set|variable|pset)[= ]\s*)\S+`, " ")
	count([word | some word in regex.split(`\s+`, trim_space(bare)); not startswith(word, "-")]) < 3
}

# A hook begins with the container, beside its entrypoint; one that fails ends it (pkg/kubelet/kuberuntime/kuberuntime_container.go, startContainer).
facts contains {"hasty_hooks": hasty_hooks} if count(hasty_hooks) > 0

hasty_hooks := [{"program": program, "path": path} |
	server
	not "PGHOST" in names_of_variables
	path := array.concat(container_path, ["lifecycle", "postStart", "exec", "command"])
	program := asks_once(get.list(k8s.object, path))
]

asks_once(given) := split(given[0], "/")[count(split(given[0], "/")) - 1] if {
	regex.match(`^(/\S*/)?(psql|pg_isready)$`, given[0])
	not asks_another(concat(" ", [word | some word in given; is_string(word)]))
}

asks_once(given) := found[0][1] if {
	regex.match(shell, given[0])
	count(given) > 2
	lines := [line | some part in split(given[count(given) - 1], "\n"); line := trim_space(part); line != ""; not startswith(line, "#"); not regex.match(`^set -[a-z]+( pipefail)?$`, line)]
	at_once(lines)
	bare := regex.replace(lines[0], `'[^']*'|"[^"]*"`, "_")
	not regex.match(`[;&|]|\$\(|\x60`, regex.replace(bare, `[0-9]?>+(&[0-9]|\s*\S+)`, ""))
	not asks_another(lines[0])
	found := regex.find_all_string_submatch_n(`^(?:[A-Za-z_]+=\S+\s+)*(?:exec\s+)?(?:/\S*/)?(psql|pg_isready)(?:\s|$)`, bare, 1)
}

at_once(lines) if count(lines) == 1

at_once(lines) if regex.match(`<<-?\s*["'\\]?[A-Za-z_]+["']?$`, lines[0])

# By another host than the container's own, or a text that says where.
asks_another(line) if {
	regex.match(`\s(-h|--host)|://|\bhost=|\bPGHOST=`, line)
	not regex.match(`\s(-h\s*|--host[= ]\s*)["']?(localhost|127\.0\.0\.1|/|\$\{?HOSTNAME)`, line)
}

# libpq takes the name of the role for that of the database where nothing names one, and the first start makes POSTGRES_DB. pg_isready is content with the refusal.
facts contains {"probed_databases": probed_databases} if count(probed_databases) > 0

probed_databases := [{"database": role.value, "made": made.value, "probe": field, "path": place_of} |
	layout == "docker"
	by_entrypoint
	role := first_of(["POSTGRES_USER"])
	made := first_of(["POSTGRES_DB"])
	not role.value in {"postgres", made.value}
	count([1 | some one in [role, made]; not regex.match(`^[A-Za-z0-9_-]+$`, one.value)]) == 0
	not unknown(["POSTGRES_USER", "POSTGRES_DB"])
	count({"PGDATABASE", "PGSERVICE"} & names_of_variables) == 0
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d")]) == 0
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	place_of := array.concat(container_path, [field, "exec", "command"])
	command := concat(" ", [word | some word in get.list(k8s.object, place_of); is_string(word)])
	asked := regex.find_all_string_submatch_n(`^(?:(?:/(?:usr/)?bin/)?(?:ba|da|a)?sh -[a-z]*c (?:exec )?)?(?:\S*/)?pg_isready(?: (?:-h|-p|-t|--host|--port|--timeout)[ =]?[^ $;|&]+| (?:-q|--quiet))* (?:-U|--username)[ =]*["']?([A-Za-z0-9_-]+|[$][{]?POSTGRES_USER[}]?)["']?(?: (?:-h|-p|-t|--host|--port|--timeout)[ =]?[^ $;|&]+| (?:-q|--quiet))*$`, command, 1)
	asked[0][1] in {role.value, "$POSTGRES_USER", "${POSTGRES_USER}"}
]
