package walguard.operators.workload

import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.operators.workload.command
import data.walguard.operators.workload.product

# How a container starts a server: {"product", "words" that the server gets, "configuration"? of Patroni, "opaque"? the field that cannot be read}.

start_of(candidate) := {"product": product_of(candidate), "words": given} if {
	not file_of_patroni(candidate)
	given := words_of(candidate)
}

# What the server gets, where the program is the image's.
words_of(candidate) := given if {
	given := command.server(filled(candidate))
	not brought(candidate)
}

# One of such a name that lies on a volume is somebody's own, and may give the server other words.
brought(candidate) if {
	some field in ["command", "args"]
	some word in get.list(candidate, field)
	is_string(word)
	regex.match(`^/.*/(run\.sh|run-postgresql|entrypoint\.sh|docker-entrypoint\.sh|container-entrypoint|postgres)$`, word)
	some mounted in get.list(candidate, "volumeMounts")
	mount.within(mount.clean(word), mount.clean(get.string(mounted, "mountPath")))
}

# The image of the chart timescaledb-single with Patroni's variables and file, whose command somebody left out.
start_of(candidate) := {"product": object.union(product_of(candidate), {"layout": "patroni"}), "words": [], "configuration": file} if file := file_of_patroni(candidate)

file_of_patroni(candidate) := found[0] if {
	image.name(get.string(candidate, "image")) == "timescaledb-ha"
	count([1 | some field in ["command", "args"]; get.present(candidate, [field])]) == 0
	"PATRONI_SCOPE" in {get.string(variable, "name") | some variable in get.list(candidate, "env")}
	found := [file | some mounted in get.list(candidate, "volumeMounts"); file := get.string(mounted, "mountPath"); regex.match(`/patroni\.ya?ml$`, file)]
	count(found) > 0
}

patroni_of(candidate) := command.patroni(candidate)

# Of a directory the file in sight that says what the cluster begins with; the others of it count in their order (patroni/config.py, _load_config_path). The files that PGO writes are its own cluster's.
patroni_of(candidate) := found[0].file if {
	found := [file | some file in files_of_patroni(candidate); regex.match(`(?m)^bootstrap:`, file.text)]
	count(found) > 0
}

# An image of Patroni's own name starts it by itself, with the file that it is given.
patroni_of(candidate) := candidate.args[0] if {
	image.name(get.string(candidate, "image")) == "patroni"
	not get.present(candidate, "command")
	count(get.list(candidate, "args")) == 1
	regex.match(`^/[^ ]*\.ya?ml$`, candidate.args[0])
	count([1 | some variable in get.list(candidate, "env"); startswith(get.string(variable, "name"), "PATRONI_")]) > 0
}

files_of_patroni(candidate) := [named[file] |
	directory_of := command.patroni_directory(candidate)
	named := {file.file: file |
		some file in readable_files.mounted(candidate, get.list(k8s.object, array.concat(pod_path, ["volumes"])))
		regex.match(`^/[^~/][^/]*\.ya?ml$`, trim_prefix(file.file, directory_of))
		startswith(file.file, directory_of)
	}
	some file in sort(object.keys(named))
]

# Patroni starts the server by its own file, whatever the image would do.
start_of(candidate) := {"product": object.union(product_of(candidate), {"layout": "patroni"}), "words": [], "configuration": file} if {
	not words_of(candidate)
	file := patroni_of(candidate)
}

# In an image of one's own as well.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "patroni"}, "words": [], "configuration": file} if {
	not product_of(candidate)
	file := patroni_of(candidate)
}

# Patroni by the whole of its configuration in a variable.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "patroni"}, "words": [], "configuration": "PATRONI_CONFIGURATION"} if {
	not product_of(candidate)
	not patroni_of(candidate)
	names_of := {get.string(variable, "name") | some variable in get.list(candidate, "env")}
	"PATRONI_CONFIGURATION" in names_of
	not "PATRONI_POSTGRESQL_DATA_DIR" in names_of
	serves(candidate)
}

# An application that brings its own server, laid out as Debian does it: the volume is the directory of a cluster, and its name says the major.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "other", "major": to_number(found[1]), "home": found[0]}, "words": []} if {
	not product_of(candidate)
	not patroni_of(candidate)
	count([1 | some field in ["command", "args"]; get.present(candidate, [field])]) == 0
	found := [parts |
		some mounted in get.list(candidate, "volumeMounts")
		some parts in regex.find_all_string_submatch_n(`^/var/lib/postgresql/([0-9]{2})/main$`, mount.clean(get.string(mounted, "mountPath")), 1)
	][0]
}

# Debian's own program, which reads /etc/postgresql.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "other"}, "words": [], "opaque": [name | some name in ["command", "args"]; count(get.list(candidate, name)) > 0][0]} if {
	not product_of(candidate)
	regex.match(`\bpg_ctlcluster\s[^;&|]*\b(re)?start\b`, command_text(candidate))
	holds_data(candidate)
}

# The official image has it too.
start_of(candidate) := {"product": product_of(candidate), "words": [], "opaque": [name | some name in ["command", "args"]; count(get.list(candidate, name)) > 0][0]} if {
	not words_of(candidate)
	not patroni_of(candidate)
	not serves(candidate)
	regex.match(`\bpg_ctlcluster\s[^;&|]*\b(re)?start\b`, command_text(candidate))
	holds_data(candidate)
}

# Patroni by its variables, in an image that is built of the project's own Dockerfile.
start_of(candidate) := {"product": {"name": image.name(get.string(candidate, "image")), "layout": "patroni"}, "words": []} if {
	not product_of(candidate)
	not patroni_of(candidate)
	some variable in get.list(candidate, "env")
	get.string(variable, "name") == "PATRONI_POSTGRESQL_DATA_DIR"
	serves(candidate)
}

# What is laid out as a server is one, though nothing can be read from the command that starts it.
start_of(candidate) := {"product": product_of(candidate), "words": [], "opaque": field} if {
	not words_of(candidate)
	not patroni_of(candidate)
	field := [name | some name in ["command", "args"]; count(get.list(candidate, name)) > 0][0]
	serves(candidate)
}

product_of(candidate) := product.of(get.string(candidate, "image"))

# An image called postgresql is laid out as what its volume is mounted at says: as Red Hat's, or as Bitnami's.
product_of(candidate) := object.union(
	{"name": named[1], "layout": relative.layout, "home": relative.home},
	{"major": n | n := image.major(get.string(candidate, "image"))},
) if {
	relative := relative_of(candidate)
	named := regex.find_all_string_submatch_n(`^(postgresql(?:-repmgr)?)`, image.name(get.string(candidate, "image")), 1)[0]
}

relative_of(candidate) := [relative |
	not product.of(get.string(candidate, "image"))
	regex.match(`^postgresql(-repmgr)?$`, image.name(get.string(candidate, "image")))
	names := {get.string(variable, "name") | some variable in get.list(candidate, "env")}
	some relative in [
		{"at": "/var/lib/pgsql", "said": `^POSTGRESQL_(USER|PASSWORD|DATABASE|ADMIN_PASSWORD)$`, "layout": "sclorg", "home": "/var/lib/pgsql/data/userdata"},
		{"at": "/bitnami/postgresql", "said": `^(POSTGRESQL|POSTGRES|REPMGR)_`, "layout": "bitnami", "home": "/bitnami/postgresql/data"},
	]
	some name in names
	regex.match(relative.said, name)
	some mounted in get.list(candidate, "volumeMounts")
	mount.within(mount.clean(get.string(mounted, "mountPath")), relative.at)
][0]

# An image of another name, by PostgreSQL's own program or by the directory and the variables of the official image.
product_of(candidate) := object.union({"name": image.name(get.string(candidate, "image")), "layout": "other"}, {"major": n | n := named_major(image.name(get.string(candidate, "image")))}) if {
	not product.of(get.string(candidate, "image"))
	not relative_of(candidate)
	given := command.server(filled(candidate))
	is_postgres(given, candidate)
}

# sourcegraph/postgres-16.
named_major(name) := to_number(regex.find_all_string_submatch_n(`(?:^|[-_])(?:postgres(?:ql)?|pg)[-_]?(1[0-9])(?:$|[-_.])`, name, 1)[0][1])

is_postgres(given, _) if regex.match(`(^|/)postgres$`, given[0].text)

is_postgres(_, candidate) if regex.match(`(^|[\s/])pg_ctl\s`, command_text(candidate))

# A parameter that no other program has.
is_postgres(given, _) if {
	some i, word in given
	regex.match(`^(-c|--)(full_page_writes|ignore_checksum_failure|zero_damaged_pages)=|^-cfsync=`, concat("", [["", "-c"][count([1 | given[i - 1].text == "-c"])], word.text]))
}

is_postgres(_, candidate) if {
	mounts_data(candidate)
	some variable in get.list(candidate, "env")
	is_object(variable)
	regex.match(`^(POSTGRES_(USER|PASSWORD|DB|PASSWORD_FILE|HOST_AUTH_METHOD|INITDB_ARGS)|PGDATA)$`, get.string(variable, "name"))
}

mounts_data(candidate) if holds_data(candidate)

# The directory that PGDATA names lies on a volume.
mounts_data(candidate) if {
	some variable in get.list(candidate, "env")
	get.string(variable, "name") == "PGDATA"
	value := get.string(variable, "value")
	startswith(value, "/")
	some mounted in get.list(candidate, "volumeMounts")
	mount.within(mount.clean(value), mount.clean(get.string(mounted, "mountPath")))
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
	not regex.match(`(?i)pgbackrest|wal-?g\b|wal-?e\b|barman|backup|exporter`, command_text(candidate))
}

# The first word, where no shell stands before it.
is_client(candidate) if {
	regex.match(`^(\S*/)?(psql|pg_[a-z]+|vacuumdb|reindexdb|createdb|initdb|sleep|tail|cat|cp|chown|chmod|rsync|tar|cron|crond|true|echo|ls|find)(\s|$)`, command_text(candidate))
	not regex.match(`\s-(exec|execdir|ok|okdir)\s`, command_text(candidate))
}

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

unread_start := array.concat(
	[object.union({"source": "its command", "path": array.concat(container_path, [server.opaque]), "severity": inventory.unread}, weight_of_command) | server.opaque],
	[{"source": "its command", "path": container_path, "severity": severity_beside(left), "reason": "it has another server, or settings of one, beside the one that is read"} |
		not server.opaque
		left := command.rest(container)
		unread_beside(left)
	],
)

unread_moves := array.concat(
	[{"source": "its command", "path": container_path, "severity": "warning", "reason": "it has -F, which is fsync=off, beside the server that is read"} |
		not server.opaque
		script.without_fsync(command.rest(container))
	],
	[{"source": "its command", "path": container_path, "severity": "warning", "reason": sprintf("it sets PGDATA=%s, and whether that is on a lasting volume nobody can see", [one.value])} |
		some one in placed
		adrift(one)
	],
)

# What the command sets PGDATA to, where that is put together.
placed := script.put_elsewhere(command_text(container), directory)

adrift(one) if {
	one["default"]
	not regex.match(`[$\x60]`, one.value)
	count([1 | some mounted in mounts; mount.within(mount.clean(one.value), mounted.directory)]) == 0
}

adrift(one) if regex.match(`^(~|[$][(]|\x60|[$][{][A-Za-z_]\w*[/#%])`, one.value)

# Whatever stands before the server, a program that nobody knows here among it.
weight_of_command := {"severity": "warning", "reason": "it says what loses data"} if {
	script.loses(command_text(container))
} else := {"severity": "warning", "reason": "it names a server, and -F beside it, which is fsync=off"} if {
	script.without_fsync(command_text(container))
} else := {}

# Another server, started in a way that is not read, or a variable of the server that is read from somewhere.
unread_beside(left) if script.sets_what_loses_data(left)

unread_beside(left) if regex.match(`\b(docker-entrypoint\.sh['"]?[\s,'"]+(postgres['"]?[\s,'"]+)?-[-a-zA-Z]|(postgres|postmaster)['"]?[\s,'"]+(-c[\s,'"]*|--)[a-z_.]+=)`, left)

unread_beside(left) if regex.match(moving, left)

moving := `\b(read|printf\s+-v)\s+(-\S+\s+)*(PGDATA|POSTGRES_INITDB_(ARGS|WALDIR))\b`

severity_beside(left) := "warning" if regex.match(moving, left)

severity_beside(left) := severity_of_script(left) if not regex.match(moving, left)

# The data directory itself, one above it on its volume, or a part of it, that is a link by then; and a PGDATA that the command puts together.
relinked := mount.unkept(
	array.concat(
		[object.union(link, {"path": path}) |
			some [one, path] in array.concat(
				[[one, array.concat(pod_path, ["initContainers", i])] | some i, one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))],
				[[container, container_path]],
			)
			is_object(one)
			home := mount_of(directory)
			some link in mount.relinked(one, script.links(replace(script.of(one), "$PGDATA", directory)), home.name, trim_prefix(directory, home.directory))
		],
		[{"name": one.name, "value": one.value, "path": container_path} | some one in placed; not one["default"]],
	),
	[mounted.directory | some mounted in mounts; not passing(mounted)],
)
