package walguard.operators.workload

import data.walguard.lib.client
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.lib.workloads
import data.walguard.postgres

# What people write into plain manifests by mistake, and nothing tells them; see walguard.model.

# ------------------------------------------------------------------------------------------ what nobody reads

unread_by_image := array.concat(array.concat(of_other_images, parameters_as_variables), array.concat(array.concat(idle_files, words_as_variables), array.concat(lists_of_databases, unread_by_repmgr)))

started_by_run_sh if {
	layout == "bitnami"
	server.product.name != "postgresql-repmgr"
}

# There pg_ctl starts the server, with --config-file, --external_pid_file and --hba_file (libpostgresql.sh, postgresql_start_bg; pg_ctl_options of repmgr.conf).
unread_by_repmgr := [{"name": name, "level": "warning", "path": array.concat(container_path, ["env", i]), "reason": sprintf("the image starts the server by repmgr and pg_ctl, without it (%s)", [instead])} |
	layout == "bitnami"
	server.product.name == "postgresql-repmgr"
	by_entrypoint
	some name, i in get.named(get.list(container, "env"))
	instead := run_sh_alone[regex.replace(name, `^POSTGRES(QL)?_`, "")]
	startswith(name, "POSTGRES")
	not contains(own_words, name)
]

run_sh_alone := {
	"DEFAULT_TRANSACTION_ISOLATION": "write it into a file below /opt/bitnami/postgresql/conf/conf.d",
	"EXTRA_FLAGS": "set POSTGRESQL_MAX_CONNECTIONS, or write parameters into a file below /opt/bitnami/postgresql/conf/conf.d",
}

# docker-entrypoint.sh reads POSTGRES_PASSWORD, _USER, _DB, _INITDB_ARGS, _INITDB_WALDIR, _HOST_AUTH_METHOD and PGDATA, and hands on the rest as it is.
official if {
	layout == "docker"
	server.product.published
	server.product.name in {"postgres", "postgis", "pgvector", "timescaledb"}
	not contains(get.string(container, "image"), "supabase")
	by_entrypoint
	not unread
	count(get.map(container, "lifecycle")) == 0
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d"); not in_sight(mounted)]) == 0
}

own_words := concat("\n", array.concat(
	[word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)],
	[f.text | some f in files; startswith(f.file, "/docker-entrypoint-initdb.d/")],
))

of_other_images := [{"name": name, "level": "warning", "path": array.concat(container_path, ["env", i]), "reason": sprintf("the image reads %s", [meant])} |
	official
	some name, i in get.named(get.list(container, "env"))
	meant := meant_by[name]
	not meant in names_of_variables
	not contains(own_words, name)
	count([1 | some variable in get.list(container, "env"); contains(get.text(object.get(variable, "value", "")), sprintf("$(%s)", [name]))]) == 0
]

# People know it from a script that they forgot to mount.
lists_of_databases := [{"name": name, "level": "warning", "path": array.concat(container_path, ["env", i]), "reason": "the image makes one database, POSTGRES_DB, and others only by a script in /docker-entrypoint-initdb.d"} |
	official
	some name, i in get.named(get.list(container, "env"))
	regex.match(`^POSTGRES(QL)?_(MULTIPLE_DATABASES|DATABASES|DBS|MULTIPLE_DBS|EXTRA_DATABASES|ADDITIONAL_DATABASES)$`, name)
	not contains(own_words, name)
]

meant_by := {
	"POSTGRES_DATABASE": "POSTGRES_DB", "POSTGRES_DB_NAME": "POSTGRES_DB", "POSTGRES_DBNAME": "POSTGRES_DB", "POSTGRESQL_DATABASE": "POSTGRES_DB", "POSTGRESQL_DB": "POSTGRES_DB",
	"POSTGRES_USERNAME": "POSTGRES_USER", "POSTGRESQL_USER": "POSTGRES_USER", "POSTGRESQL_USERNAME": "POSTGRES_USER",
	"POSTGRES_INIT_ARGS": "POSTGRES_INITDB_ARGS", "POSTGRESQL_INITDB_ARGS": "POSTGRES_INITDB_ARGS",
	"PG_DATA": "PGDATA", "POSTGRES_DATA": "PGDATA", "POSTGRES_PGDATA": "PGDATA",
}

parameters_as_variables := [object.union(unread_parameter(parameter, value), {"name": name, "path": array.concat(container_path, ["env", i])}) |
	official
	some name, i in get.named(get.list(container, "env"))
	regex.match(`^POSTGRES(QL)?_[A-Z_]+$`, name)
	parameter := get.lower_case(regex.replace(name, `^POSTGRES(QL)?_`, ""))
	postgres.known(parameter)
	not parameter in {"port"}
	value := get.string(container.env[i], "value")
	not contains(own_words, name)
	count([1 | some setting in parameters; get.lower_case(setting.name) == parameter]) == 0
]

unread_parameter(parameter, value) := {"level": "warning", "reason": sprintf("the image takes no parameters from variables (write args: [-c, %s=%s])", [parameter, value])} if not made_by_server(parameter)

# With it among its arguments the server does not start.
unread_parameter(parameter, _) := {"level": "info", "reason": "the image takes no parameters from variables, and the server works this one out by itself"} if made_by_server(parameter)

made_by_server(parameter) if postgres.entry_any(parameter).context == "internal"

# Words for the server in a variable that nobody hands to it.
words_as_variables := [{"name": name, "level": "warning", "path": array.concat(container_path, ["env", i]), "reason": "the image does not hand it to the server (write its words into args of the container)"} |
	official
	some name, i in get.named(get.list(container, "env"))
	not name in {"PGOPTIONS", "POSTGRES_INITDB_ARGS"}
	not meant_by[name]
	value := get.string(container.env[i], "value")
	regex.match(`^\s*((-c\s*|--)[A-Za-z_]+=\S+\s*)+$`, value)
	count([1 | some found in regex.find_all_string_submatch_n(`(?:-c\s*|--)([A-Za-z_]+)=`, value, -1); not postgres.known(found[1])]) == 0
	not contains(own_words, name)
	count([1 | some variable in get.list(container, "env"); contains(get.text(object.get(variable, "value", "")), sprintf("$(%s)", [name]))]) == 0
]

idle_files := [object.union({"name": sprintf("The file %s", [f.file]), "level": "warning", "reason": sprintf("the server reads the one in its data directory (write args: [-c, %s=%s])", [option, f.file])}, object.filter(f, ["path", "resource"])) |
	official
	some f in files
	option := {"postgresql.conf": "config_file", "pg_hba.conf": "hba_file"}[regex.replace(f.file, `^.*/`, "")]
	not last_option("config_file")
	not last_option(option)
	f.file != concat("/", [directory, regex.replace(f.file, `^.*/`, "")])
	not startswith(f.file, "/docker-entrypoint-initdb.d/")
	not contains(own_words, regex.replace(f.file, `^.*/`, ""))
	count([1 | some one in get.list(k8s.object, array.concat(pod_path, ["initContainers"])); not prepares(one)]) == 0
	count([1 | some setting in parameters; get.lower_case(setting.name) == option]) == 0
]

# ------------------------------------------------------------------------------------------------------ probes

facts contains {"dead_probes": dead_probes} if count(dead_probes) > 0

dead_probes := array.concat(array.concat(foreign_probes, dead_ports_asked), array.concat(array.concat(dead_http, other_ports_asked), array.concat(powerless_probes, unparted_probes)))

dead_http := [{"probe": field, "reason": "speaks HTTP to the port of the server, which does not", "path": array.concat(container_path, [field, "httpGet"])} |
	listening
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	port := get.map(container, [field, "httpGet"]).port
	named_or_number(port) == listening
]

dead_ports_asked := array.concat(
	[{"probe": field, "reason": sprintf("asks port %d, and the server listens on %d", [port, listening]), "path": array.concat(container_path, [field, "tcpSocket", "port"])} |
		listening
		some field in ["startupProbe", "readinessProbe", "livenessProbe"]
		port := get.number(container, [field, "tcpSocket", "port"])
		port != listening
		not get.string(container, [field, "tcpSocket", "host"])
		count([1 | some one in all_containers; not "initContainers" in one.at]) == 1
	],
	[{"probe": field, "reason": sprintf("asks the port %s, which the container does not have", [port]), "path": array.concat(container_path, [field, "tcpSocket", "port"])} |
		server
		some field in ["startupProbe", "readinessProbe", "livenessProbe"]
		port := get.string(container, [field, "tcpSocket", "port"])
		not regex.match(`^[0-9]+$`, port)
		not placeholder.holds(port)
		count([1 | some one in get.list(container, "ports"); get.string(one, "name") == port]) == 0
	],
)

# A file or a program of another image's tree, of which nothing is mounted or written here. What a script makes of a failure is not followed but for the plain cases: a command that is the last of the
# script, or any where the shell stops at the first failure.
foreign_probes := [{"probe": field, "reason": sprintf("asks for %s, which the image does not have", [missing[0]]), "path": array.concat(container_path, [field, "exec", "command"])} |
	official
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	missing := [path | some statement in decisive(get.list(container, [field, "exec", "command"])); path := failing(statement)]
	count(missing) > 0
]

# Who changes the user must be root.
powerless_probes := [{"probe": field, "reason": sprintf("calls %s, for which the container must run as root, and it runs as user %d", [changing[0], user]), "path": array.concat(container_path, [field, "exec", "command"])} |
	server
	user > 0
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	changing := changing_user(get.list(container, [field, "exec", "command"]))
	count(changing) > 0
]

# The signal stops the server all the same.
facts contains {"powerless_hook": {"program": changing[0], "user": user, "path": array.concat(container_path, ["lifecycle", "preStop", "exec", "command"])}} if {
	server
	user > 0
	changing := changing_user(get.list(container, ["lifecycle", "preStop", "exec", "command"]))
	count(changing) > 0
}

changing_user(words) := [found[1] |
	some alternatives in decisive(words)
	count(alternatives) == 1
	some part in split(alternatives[0], "&&")
	some found in regex.find_all_string_submatch_n(`^(?:/\S*/)?(su|gosu|runuser|su-exec)(?:\s|$)`, trim_space(part), 1)
]

decisive(words) := [[words[0]]] if not regex.match(shell, words[0])

decisive(words) := [split(statement, "||") |
	some i, statement in statements
	ends_it(statement, i, count(statements) - 1, concat("\n", words))
] if {
	regex.match(shell, words[0])
	script := words[count(words) - 1]
	not regex.match(`\b(if|while|until|case|for|exit|trap|exec|function|true)\b|[^|]\|[^|]`, script)
	statements := [trim_space(line) | some line in split(replace(script, ";", "\n"), "\n"); trim_space(line) != ""]
}

shell := `(^|/)(ba|da|a)?sh$`

ends_it(_, i, last, _) if i == last

ends_it(statement, i, last, text_of) if {
	i < last
	not contains(statement, "&&")
	regex.match(`(?m)^(-[a-z]*e[a-z]*$|\s*set\s+-[a-z]*e)`, text_of)
}

# All of the alternatives fail.
failing(alternatives) := paths[0] if {
	paths := [path[0] |
		some one in alternatives
		path := [found[1] |
			some part in split(one, "&&")
			some found in regex.find_all_string_submatch_n(asked_for, trim_space(part), 1)
			not_in_image(found[1])
		]
		count(path) > 0
	]
	count(paths) == count(alternatives)
}

asked_for := `^(?:(?:\[\[?|test)\s+-[defrsx]\s+|(?:cat|ls|source|\.|sh|bash)\s+)?["']?(/(?:opt/bitnami|bitnami/postgresql|usr/lib/postgresql|usr/pgsql-[0-9]+)/[^\s"'\]$]+)`

not_in_image(path) if {
	not regex.match(`^/usr/lib/postgresql/`, path)
	count([1 | some mounted in mounts; mount.within(path, mounted.directory)]) == 0
	not contains(own_words, concat("/", array.slice(split(path, "/"), 0, 3)))
}

# Debian's packages lie below their major, and the image has those of one.
not_in_image(path) if {
	some found in regex.find_all_string_submatch_n(`^/usr/lib/postgresql/([0-9]+)/`, path, 1)
	to_number(found[1]) != server.product.major
	server.product.name in {"postgres", "pgvector"}
	not contains(get.string(container, "image"), "alpine")
	count([1 | some mounted in mounts; mount.within(path, mounted.directory)]) == 0
}

named_or_number(port) := port if is_number(port)

named_or_number(port) := [get.number(one, "containerPort") | some one in get.list(container, "ports"); get.string(one, "name") == port][0] if is_string(port)

# ------------------------------------------------------------------------------------------------- first start

# initdb makes postgres, the entrypoint POSTGRES_USER and POSTGRES_DB, and psql stops at the first error.
created_twice := [object.union(
	{
		"reason": sprintf("The image makes the %s %s before it runs this script, which makes it once more: the first start ends there, and later ones pass over all scripts", [made[0], made[2]]),
		"cure": "Remove the statement",
		"level": "error",
	},
	object.filter(script, ["path", "resource"]),
) |
	layout == "docker"
	server.product.published
	by_entrypoint
	some script in scripts_of_start
	endswith(script.name, ".sql")
	not regex.match(`(?i)\bif\s+not\s+exists\s*\(|\bif\s+not\s+found\b|\bwhere\s+not\s+exists\b|\\gexec|\bexception\b|\bdrop\s+(database|role|user|owned)\b|\bON_ERROR_STOP\s+(off|0)\b`, script.text)
	some made in array.concat(
		[["role", `(user|role)`, made_role] | made_role],
		array.concat([["role", `(user|role)`, "postgres"] | not first_of(["POSTGRES_USER"]); not unknown(["POSTGRES_USER"])], [["database", `database`, made_database] | made_database]),
	)
	regex.match(sprintf(`(?im)^\s*create\s+%s\s+"?%s"?(\s|;|$)`, [made[1], text.literal(made[2])]), script.text)
]

# ------------------------------------------------------------------------------------------------------ volumes

read_only_data := [{"reason": "The volume of the data is mounted read-only, and the server cannot start", "cure": "Remove readOnly", "level": "error", "path": mounted_path(mount_of(directory).name)} |
	certain
	i := mounted_path(mount_of(directory).name)
	get.boolean(k8s.object, array.concat(i, ["readOnly"]))
]

# ------------------------------------------------------------------------------------------------- what is refused

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(array.concat(refused_by_api, array.concat(no_program, array.concat(array.concat(blank_names, quoted_values), array.concat(not_made, nowhere)))), array.concat(elsewhere_than_volume, refused_by_image))

refused_by_api := array.concat(array.concat(unknown_volumes, strange_selector), array.concat(array.concat(undecodable, invalid_object), array.concat(versions_gone, without_selector)))

unknown_volumes := [{
	"by": "The API server",
	"path": array.concat(one.at, ["volumeMounts", i, "name"]),
	"reason": sprintf("container %s mounts %s, which is none of the volumes of its pod", [get.string(one, "name"), name]),
	"cure": sprintf("Write one of %s, or define it", [text.list(sort(object.keys(volumes) | object.keys(templates)), "and")]),
} |
	some one in all_containers
	some i, mounted in get.list(one, "volumeMounts")
	name := get.string(mounted, "name")
	not volumes[name]
	not templates[name]
	count([1 | some volume in (object.keys(volumes) | object.keys(templates)); placeholder.holds(volume)]) == 0
	not placeholder.holds(name)
	k8s.kind in {"StatefulSet", "Deployment", "DaemonSet"}
	k8s.group == "apps"
	count(object.keys(volumes) | object.keys(templates)) > 0
	not get.unknown(k8s.object, array.concat(pod_path, ["volumes"]))
]

# https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-16
versions_gone := [{
	"by": "The API server",
	"path": ["apiVersion"],
	"reason": sprintf("it has had no %s since Kubernetes 1.16 (\"no matches for kind\")", [k8s.api_version]),
	"cure": "Write apps/v1, with a spec.selector of the labels of the template",
} |
	server
	k8s.api_version in {"extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"}
]

without_selector := [{
	"by": "The API server",
	"path": ["spec"],
	"reason": "spec.selector is missing",
	"cure": "Write spec.selector.matchLabels with labels of the template",
} |
	server
	k8s.api_version == "apps/v1"
	k8s.kind in {"StatefulSet", "Deployment", "DaemonSet"}
	not get.present(k8s.object, ["spec", "selector"])
	not labelled_later
	not get.unknown(k8s.object, ["spec", "selector"])

	# What an API server asks about has passed it.
	not inventory.served
]

# In a file without either Kustomize writes labels and selector (commonLabels, labels with includeSelectors).
labelled_later if count(get.map(k8s.object, ["spec", "template", "metadata", "labels"])) == 0

strange_selector := [{
	"by": "The API server",
	"path": ["spec", "selector", "matchLabels", label],
	"reason": sprintf("its selector asks for %s=%s, and its pods carry %s=%s", [label, wanted, label, carried]),
	"cure": sprintf("Write %s on both sides", [carried]),
} |
	server
	k8s.group == "apps"
	some label, wanted in get.map(k8s.object, ["spec", "selector", "matchLabels"])
	is_string(wanted)
	carried := pod_labels[label]
	is_string(carried)
	wanted != carried
	count([1 | some value in [wanted, carried]; placeholder.holds(value)]) == 0
]

# ----------------------------------------------------------------------------------------------------- clients

facts contains {"lost_clients": found} if {
	found := array.concat(array.concat(array.concat(array.concat(lost_clients, at_no_service), array.concat(array.concat(by_own_service, before_own_service), strange_ports)), array.concat(unnamed_backends, unnamed_hosts)), array.concat(lost_by_url, array.concat(array.concat(linked_clients, lost_scripts), array.concat(array.concat(gone_elsewhere, astray_by_pod), array.concat(without_a_service, array.concat(nameless_exporters, array.concat(array.concat(early_hooks, unmet_needs), array.concat(array.concat(lone_lost, lone_probes), array.concat(lone_refused, array.concat(at_any_member, refused_clients))))))))))
	count(found) > 0
}

# Of a program that has the server's password: it is meant to reach this one.
lost_clients := [object.union({"client": one.client, "reason": sprintf("has the password of this server and looks for it at %s, where its pod has none", [variable.value]), "cure": sprintf("Write %s", [hosts[0]]), "level": "error"}, object.filter(variable, ["path", "resource"])) |
	some one in sharing_clients
	one.single
	some name, variable in one.variables
	names_a_host(one.container, name)
	variable.value in {"0.0.0.0", "127.0.0.1", "localhost"}
]

names_a_host(_, name) if is_string(before_host(name))

# Those of programs whose names do not say so.
names_a_host(container_of, name) if name in client.program_of(container_of)[1].hosts

# No Service has the name.
without_service(name) if {
	not inventory.namespaced_object(k8s.namespace, "v1", "Service", name)
	count([1 | some own in hosts; own == name]) == 0
	not governs(name)
}

# Another server has that name, and lacks the Service itself.
governs(name) if {
	some made in inventory.list(k8s.namespace, "apps/v1", "StatefulSet")
	get.string(made, ["spec", "serviceName"]) == name
}

# Containers that take their password from the key that the server takes its own from.
sharing_clients := [object.union(found, {"single": single}) |
	count(hosts) > 0
	some one in workloads.containers
	one.list == "containers"
	one.made.kind in {"Deployment", "StatefulSet"}
	not workloads.itself(one.made)
	some variable in get.list(one.container, "env")
	get.map(variable, ["valueFrom", "secretKeyRef"]) in password_references
	regex.match(`PASS`, get.upper_case(get.string(variable, "name")))
	found := {"client": one.made.words, "container": one.container, "variables": told_by(one), "urls": urls_of(one)}
	pod := one.made.pod
	single := count([1 | count(get.list(pod, "containers")) == 1; not get.boolean(pod, "hostNetwork"); count(get.list(pod, "initContainers")) == 0]) == 1
]

password_references := array.concat(
	[reference |
		by_entrypoint
		some variable in get.list(container, "env")
		get.string(variable, "name") in names_of_password
		reference := get.map(variable, ["valueFrom", "secretKeyRef"])
		count(reference) > 0
	],
	[{"name": name, "key": key} |
		by_entrypoint
		some source in get.list(container, "envFrom")
		name := get.string(source, ["secretRef", "name"])
		some key in names_of_password
		login.raw(inventory.namespaced_object(k8s.namespace, "v1", "Secret", name), key)
	],
)

names_of_password := {"POSTGRES_PASSWORD", "POSTGRESQL_PASSWORD"}

# A port that the Service does not have.
strange_ports := [object.union({"client": one.client, "reason": sprintf("asks for port %s of %s, which has %s", [port.value, split(variable.value, ".")[0], text.list([sprintf("%d", [n]) | some n in offered], "and")]), "cure": sprintf("Write %d", [offered[0]])}, object.filter(port, ["path", "resource"])) |
	some one in client_containers
	some name, variable in one.variables
	prefix := before_host(name)
	leads_home(variable.value)
	port := one.variables[concat("", [prefix, "PORT"])]
	regex.match(`^[0-9]{2,5}$`, port.value)
	some service in services
	get.string(service, ["metadata", "name"]) == split(variable.value, ".")[0]
	offered := ports_offered(service)
	count(offered) > 0
	count([1 | some n in offered; n == to_number(port.value)]) == 0
]

ports_offered(service) := sort([n | some entry in get.list(service, ["spec", "ports"]); n := get.number(entry, "port")]) if object.get(service, ["spec", "clusterIP"], "") != "None"

# One without an address leads to whatever the pods listen on.
ports_offered(service) := [listening] if {
	object.get(service, ["spec", "clusterIP"], "") == "None"
	count([1 | some one in all_containers; not "initContainers" in one.at]) == 1
}

# What the API server cannot decode.
undecodable := [{
	"by": "The API server",
	"path": ["data", key],
	"resource": k8s.reference(secret),
	"reason": sprintf("key %s below data is not base64", [key]),
	"cure": "Encode it (base64 -w0), or write it below stringData",
} |
	some name in ({found |
		some variable in get.list(container, "env")
		found := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
	} | {found |
		some source in get.list(container, "envFrom")
		found := get.string(source, ["secretRef", "name"])
	})
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	some key, encoded in get.map(secret, "data")
	is_string(encoded)
	not placeholder.holds(encoded)
	not placeholder.unknown(encoded)
	not get.present(secret, ["sops"])
	not base64.is_valid(regex.replace(encoded, `[\r\n]`, ""))
]

# A pg_hba.conf in force that knows nobody but the pod itself.
facts contains {"closed_hba": object.filter(mounted_hba, ["path", "resource"])} if {
	layout in {"docker", "bitnami"}
	server.product.name != "postgresql-repmgr"
	in_force(mounted_hba)
	count(services) > 0
	lines := hba.of_text(mounted_hba.text, object.filter(mounted_hba, ["path", "resource"]))
	count([1 | some entry in lines; regex.match(`^\s*include|@|\$|\{\{`, entry.line)]) == 0
	known := hba.rules(lines)
	count(known) > 0
	count([1 | some rule in known; not hba.own(rule); rule.method != "reject"]) == 0
}

in_force(_) if last_option("hba_file")

in_force(_) if layout == "bitnami"
