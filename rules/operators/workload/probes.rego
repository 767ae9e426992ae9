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
