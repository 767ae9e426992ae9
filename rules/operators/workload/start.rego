package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.mount
import data.walguard.operators.workload.command
import data.walguard.operators.workload.product

# How a container starts a server: {"product", "words" that the server gets, "configuration"? of Patroni, "opaque"? the field that cannot be read}.

start_of(candidate) := {"product": product_of(candidate), "words": given} if given := command.server(filled(candidate))

# Patroni starts the server by its own file, whatever the image would do.
start_of(candidate) := {"product": object.union(product_of(candidate), {"layout": "patroni"}), "words": [], "configuration": file} if {
	not command.server(filled(candidate))
	file := command.patroni(candidate)
}

# In an image of one's own as well.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "patroni"}, "words": [], "configuration": file} if {
	not product_of(candidate)
	file := command.patroni(candidate)
}

# Patroni by the whole of its configuration in a variable.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "patroni"}, "words": [], "configuration": "PATRONI_CONFIGURATION"} if {
	not product_of(candidate)
	not command.patroni(candidate)
	names_of := {get.string(variable, "name") | some variable in get.list(candidate, "env")}
	"PATRONI_CONFIGURATION" in names_of
	not "PATRONI_POSTGRESQL_DATA_DIR" in names_of
	serves(candidate)
}

# Debian's own program, which reads /etc/postgresql.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "other"}, "words": [], "opaque": [name | some name in ["command", "args"]; count(get.list(candidate, name)) > 0][0]} if {
	not product_of(candidate)
	regex.match(`\bpg_ctlcluster\s[^;&|]*\b(re)?start\b`, command_text(candidate))
	holds_data(candidate)
}

# Patroni by its variables, in an image that is built of the project's own Dockerfile.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "patroni"}, "words": []} if {
	not product_of(candidate)
	not command.patroni(candidate)
	some variable in get.list(candidate, "env")
	get.string(variable, "name") == "PATRONI_POSTGRESQL_DATA_DIR"
	serves(candidate)
}

# What is laid out as a server is one, though nothing can be read from the command that starts it.
start_of(candidate) := {"product": product_of(candidate), "words": [], "opaque": field} if {
	not command.server(filled(candidate))
	not command.patroni(candidate)
	field := [name | some name in ["command", "args"]; count(get.list(candidate, name)) > 0][0]
	serves(candidate)
}

product_of(candidate) := product.of(get.string(candidate, "image"))

# An image of another name, by PostgreSQL's own program or by the directory and the variables of the official image.
product_of(candidate) := {"name": image.name(get.string(candidate, "image")), "layout": "other"} if {
	not product.of(get.string(candidate, "image"))
	given := command.server(filled(candidate))
	is_postgres(given, candidate)
}

is_postgres(given, _) if regex.match(`(^|/)postgres$`, given[0].text)

is_postgres(_, candidate) if {
	holds_data(candidate)
	some variable in get.list(candidate, "env")
	is_object(variable)
	regex.match(`^(POSTGRES_(USER|PASSWORD|DB|PASSWORD_FILE|HOST_AUTH_METHOD|INITDB_ARGS)|PGDATA)$`, get.string(variable, "name"))
}

holds_data(candidate) if {
	some mounted in get.list(candidate, "volumeMounts")
	is_object(mounted)
	path := trim_right(get.string(mounted, "mountPath"), "/")
	some home in ["/var/lib/postgresql", "/var/lib/pgsql", "/bitnami/postgresql", "/home/postgres/pgdata"]
	one_holds_the_other(home, path)
}

one_holds_the_other(home, path) if mount.within(home, path)

one_holds_the_other(home, path) if mount.within(path, home)

serves(candidate) if {
	some port in get.list(candidate, "ports")
	is_object(port)
	get.number(port, "containerPort") == 5432
	not is_client(candidate)
}

serves(candidate) if {
	holds_data(candidate)
	not is_client(candidate)
	not regex.match(`\b(psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup|pg_resetwal|pg_upgrade|pg_isready|vacuumdb|initdb|chown|chmod|rsync|tar)\b`, command_text(candidate))
}

# The first word, where no shell stands before it.
is_client(candidate) if regex.match(`^(\S*/)?(psql|pg_[a-z]+|vacuumdb|reindexdb|createdb|initdb|sleep|tail|cat|cp|chown|chmod|rsync|tar|cron|crond|true|echo|ls|find)(\s|$)`, command_text(candidate))

command_text(candidate) := concat(" ", [word.text |
	some field in ["command", "args"]
	some word in command.of(candidate, field)
])

# Kubernetes puts variables into the words before the program starts.
filled(candidate) := candidate if not contains(command_text(candidate), "$(")

filled(candidate) := object.union(candidate, {field: [fill(word, values) | some word in get.list(candidate, field)] |
	some field in ["command", "args"]
	get.present(candidate, [field])
}) if {
	contains(command_text(candidate), "$(")
	values := literals(candidate)
}

# What a container says of variables itself, {"$(NAME)": value}; of two of a name the last one counts.
literals(candidate) := {sprintf("$(%s)", [name]): value |
	listed := get.list(candidate, "env")
	some name, i in get.last_of_each([[of, k] | some k, variable in listed; is_object(variable); of := get.string(variable, "name")])
	value := get.string(listed[i], "value")
}

fill(word, values) := strings.replace_n(values, word) if is_string(word)

fill(word, _) := word if not is_string(word)

unread_start := [{"source": "its command", "path": array.concat(container_path, [server.opaque]), "severity": inventory.unread} | server.opaque]
