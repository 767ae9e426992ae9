package walguard.operators.workload

import data.walguard.lib.client as known_clients
import data.walguard.lib.cluster as shared
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.helm
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Who is to find the server, and how; see walguard.model.

# -------------------------------------------------------------------------------------------------------- services

facts contains {"stray_services": stray_services} if count(stray_services) > 0

stray_services := array.concat(strays_of_value, array.concat(strays_of_key, strays_of_name))

# The Service that a StatefulSet names, one of its name with the server's port, or one that clients name. Labels that the pods do not have at all may be others' by design.
strays_of_value := [{
	"service": get.string(service, ["metadata", "name"]),
	"label": strays[0],
	"wanted": wanted[strays[0]],
	"carried": pod_labels[strays[0]],
	"path": ["spec", "selector", strays[0]],
	"resource": k8s.reference(service),
} |
	server
	count(pod_labels) > 0
	some service in inventory.list(k8s.namespace, "v1", "Service")
	meant(service)
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; not comparable(label, value)]) == 0
	strays := sort([label | some label, value in wanted; pod_labels[label] != value])
	count(strays) > 0
	not found_by(wanted)
]

found_by(wanted) if {
	some kind in ["Deployment", "StatefulSet", "DaemonSet"]
	some other in inventory.list(k8s.namespace, "apps/v1", kind)
	carried := get.map(other, ["spec", "template", "metadata", "labels"])
	count([1 | some label, value in wanted; carried[label] == value]) == count(wanted)
}

# A label beside those of the pods, of a Service with the name of the workload, where nothing in the pod may set it when it runs, as Patroni and those that watch for the primary do.
strays_of_key := [object.union(
	{
		"service": k8s.name,
		"label": unborne[0],
		"wanted": wanted[unborne[0]],
		"path": ["spec", "selector", unborne[0]],
		"resource": k8s.reference(service),
	},
	carried_instead(unborne, wanted),
) |
	layout == "docker"
	server.product.published
	count(services) == 0
	replicas_or_one == 1
	count(all_containers) == 1
	service := inventory.namespaced_object(k8s.namespace, "v1", "Service", k8s.name)
	meant(service)
	wanted := get.map(service, ["spec", "selector"])
	unborne := sort([label | some label, _ in wanted; not label in object.keys(pod_labels)])
	count(unborne) > 0
	some_borne(unborne, wanted)
	count([1 | some label, value in wanted; not label in unborne; pod_labels[label] != value]) == 0
	count([1 | some label, value in wanted; placeholder.unknown(value)]) == 0
	count([1 | some label in unborne; regex.match(set_by_others, label)]) == 0
	not found_by(wanted)
]

# Where the pods have none of the labels, one that they have is the way out.
carried_instead(unborne, wanted) := {"carried": pod_labels[label], "carried_label": label} if {
	count(unborne) == count(wanted)
	label := sort(object.keys(pod_labels))[0]
} else := {}

some_borne(unborne, wanted) if count(unborne) < count(wanted)

# None of them: a StatefulSet that names the Service means it. A value that the pods have is that of another label; see below.
some_borne(unborne, wanted) if {
	get.string(k8s.object, ["spec", "serviceName"]) == k8s.name
	count([1 | some label in unborne; some _, one in pod_labels; one == wanted[label]]) == 0
}

# The value of a label of the pods under another name of label, where nothing carries what is selected: name=db for app=db.
strays_of_name := [{
	"service": get.string(service, ["metadata", "name"]),
	"label": label,
	"wanted": value,
	"carried": value,
	"carried_label": borne[0],
	"path": ["spec", "selector", label],
	"resource": k8s.reference(service),
} |
	server.product.published
	count(services) == 0
	some service in inventory.list(k8s.namespace, "v1", "Service")
	meant(service)
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) == 1
	some label, value in wanted
	not label in object.keys(pod_labels)
	not placeholder.unknown(value)
	borne := sort([other | some other, one in pod_labels; one == value])
	count(borne) > 0
	not regex.match(set_by_others, label)
	not found_by(wanted)
]

# Labels that operators, controllers and Patroni give to pods that run.
set_by_others := `(?i)role|primary|master|leader|kubernetes\.io/pod|revision|hash|version|track|slot|active`

comparable(label, value) if {
	is_string(pod_labels[label])
	not placeholder.unknown(value)
	not placeholder.unknown(pod_labels[label])
}

meant(service) if get.string(service, ["metadata", "name"]) == get.string(k8s.object, ["spec", "serviceName"])

meant(service) if {
	get.string(service, ["metadata", "name"]) == k8s.name
	some port in get.list(service, ["spec", "ports"])
	some field in ["port", "targetPort"]
	port[field] == 5432
}

# One that clients name, with the port of PostgreSQL and an old name or a typing error in its selector, where no Service leads to the server.
meant(service) if {
	count(services) == 0
	some port in get.list(service, ["spec", "ports"])
	port.port == 5432
	some made in workloads.lasting
	some one in get.list(made.pod, "containers")
	some variable in get.list(one, "env")
	regex.match(`HOST|URL|URI|DSN|ADDR|SERVER`, get.upper_case(get.string(variable, "name")))
	some match in regex.find_all_string_submatch_n(`(?:^|//|@|host=)([A-Za-z0-9][A-Za-z0-9-]*)(?:\.[A-Za-z0-9.-]+)?(?::5432)?(?:/|\?|\s|$)`, get.string(variable, "value"), -1)
	match[1] == get.string(service, ["metadata", "name"])
}

# One for PostgreSQL among files that have no other server and nothing that brings one, where no Service leads to this one. Another release's is told by its label.
meant(service) if {
	count(services) == 0
	not inventory.served
	some port in get.list(service, ["spec", "ports"])
	port.port == 5432
	object.get(port, "targetPort", 5432) in array.concat([5432], port_names)
	regex.match(`(^|[-.])(db|database|pg|pgsql|pgvector|postgis|postgres|postgresql|psql|timescale|timescaledb)($|[-.])`, get.string(service, ["metadata", "name"]))
	not regex.match(`pool|bouncer|pgcat|proxy|admin|export|metric`, get.string(service, ["metadata", "name"]))
	wanted := get.map(service, ["spec", "selector"])
	every label in helm.release_labels {
		object.get(wanted, label, "") == object.get(pod_labels, label, "")
	}
	every version in inventory.versions(k8s.namespace) {
		regex.match(`^(v1|(apps|autoscaling|batch|policy|[a-z.]+\.k8s\.io|cert-manager\.io|external-secrets\.io|monitoring\.coreos\.com|route\.openshift\.io)/.*)$`, version)
	}
	count([1 |
		some made in workloads.all
		made.kind in {"DaemonSet", "Deployment", "Pod", "ReplicaSet", "StatefulSet"}
		not workloads.itself(made)
		some one in get.list(made.pod, "containers")
		is_for_postgres(one)
	]) == 0
}

port_names := [name | some port in get.list(container, "ports"); name := get.string(port, "name")]

is_for_postgres(one) if regex.match(`postg|pgvector|timescale|spilo|pgbouncer|pgpool|pgcat|odyssey|pg[-_]?proxy`, get.string(one, "image"))

is_for_postgres(one) if {
	some port in get.list(one, "ports")
	port.containerPort == 5432
}

# ------------------------------------------------------------------------------------------------------------- TLS

facts contains {"tls_wanted": tls_wanted} if count(tls_wanted) > 0

# PostgreSQL's default is off. Bitnami's image switches it on by a variable.
without_tls if {
	known_start
	server.product.published
	not tls_switch
	not tls_variable
}

without_tls if {
	known_start
	server.product.published
	tls_switch
	get.lower_case(get.text(tls_switch.value)) in {"off", "false", "no", "0"}
	not tls_variable
}

tls_variable if first_of(["POSTGRESQL_ENABLE_TLS"])

tls_variable if unknown(["POSTGRESQL_ENABLE_TLS"])

tls_wanted := array.concat(array.concat(wanted_by_variables, wanted_by_files), wanted_by_migrations)

# golang-migrate and dbmate, whose driver is lib/pq; most run as a Job or in an init container.
wanted_by_migrations := [{"client": get.string(one.container, "name"), "asks": sprintf("no sslmode, which to %s means require", [program]), "level": "error", "path": array.concat(one.path, said.at), "resource": one.made.resource} |
	without_tls
	count(hosts) > 0
	some one in workloads.containers
	not workloads.itself(one.made)
	program := migrating[image.repository(get.string(one.container, "image"))]
	count([1 | some source in get.list(one.container, "envFrom"); not in_hand(source)]) == 0
	not "PGSSLMODE" in known_clients.names(one.container)
	some said in array.concat(known_clients.texts(one.container), known_clients.words(one.container))
	regex.match(`^postgres(ql)?://\S+$`, said.text)
	not regex.match(`ssl|[?&]host=|[?&]service`, said.text)
	leads_here(said.text, {host | some host in hosts})
]

migrating := {"docker.io/amacneil/dbmate": "dbmate", "docker.io/migrate/migrate": "golang-migrate", "ghcr.io/amacneil/dbmate": "dbmate"}

# sql_exporter, whose driver is the same (lib/pq), by the addresses in its file.
wanted_by_files := [{"client": shared.name_or(one, i), "asks": "no sslmode, which to this exporter means require", "path": file.path, "resource": file.resource} |
	without_tls
	count(hosts) > 0
	some made in workloads.lasting
	some i, one in get.list(made.pod, "containers")
	regex.match(`(^|/)burningalchemist/sql_exporter$`, image.repository(get.string(one, "image")))
	some file in readable_files.mounted(one, get.list(made.pod, "volumes"))
	some address in regex.find_n(`\bpostgres(?:ql)?://[^\s"']+`, file.text, -1)
	not contains(address, "sslmode")
	leads_here(address, {host | some host in hosts})
]

wanted_by_variables := [object.union({"client": client, "asks": asks, "path": array.concat(one.path, array.concat(["env", i], [field | some field in ["value", "valueFrom"]; get.present(variable, [field])]))}, object.union(object.filter(one, ["resource"]), {"level": "error" | words_of_libpq(asks, one.container)})) |
	without_tls
	some one in clients
	some i, variable in get.list(one.container, "env")
	value := login.bare(said_by(variable))
	client := shared.name_or(one.container, one.number)
	asks := insists(get.string(variable, "name"), value, one)
]

# Where libpq's own words say it, or a driver that asks for TLS of its own accord, nothing falls back.
words_of_libpq(asks, _) if regex.match(`^(sslmode|PGSSLMODE)=|^no sslmode`, asks)

# Containers beside the server, which find it at localhost, and those of the namespace, which find it by its Services.
clients := array.concat(
	[{"container": one, "path": array.concat(pod_path, ["containers", i]), "number": i, "names": {"localhost", "127.0.0.1"}} |
		some i, one in get.list(k8s.object, array.concat(pod_path, ["containers"]))
		array.concat(pod_path, ["containers", i]) != container_path
	],
	[{"container": one, "path": array.concat(made.path, ["containers", i]), "number": i, "names": names, "resource": made.resource} |
		count(hosts) > 0
		names := {host | some host in hosts}
		some made in workloads.lasting
		some i, one in get.list(made.pod, "containers")
	],
)

# postgres_exporter's driver (lib/pq) asks for TLS unless it is told not to.
insists(name, value, one) := "no sslmode, which to this exporter means require" if {
	name in {"DATA_SOURCE_NAME", "DATA_SOURCE_URI"}
	regex.match(`postgres(ql)?[-_]exporter`, get.string(one.container, "image"))
	not contains(value, "sslmode")
	not contains(value, ",")
	leads_here(value, one.names)
}

insists(_, value, one) := sprintf("sslmode=%s", [mode]) if {
	mode := regex.find_all_string_submatch_n(`[?&]sslmode=(require|verify-ca|verify-full)(?:&|$)`, value, -1)[0][1]
	leads_here(value, one.names)
}

insists("PGSSLMODE", value, one) := sprintf("PGSSLMODE=%s", [value]) if {
	value in {"require", "verify-ca", "verify-full"}
	some variable in get.list(one.container, "env")
	get.string(variable, "name") == "PGHOST"
	is_here(get.string(variable, "value"), one.names)
}

# As programs call it that put the address together themselves; of those with node-postgres the value may be the options of the connection. Kong goes on without where pg_ssl is on.
insists(name, value, one) := sprintf("%s=%s", [name, value_shown(value)]) if {
	name != "PGSSLMODE"
	regex.match(`^([A-Z0-9]+_)*(PG|POSTGRES|POSTGRESQL|POSTGRESDB|DB|DATABASE|SQL)_?(USE_|ENABLE_)?SSL(_?MODE|_?ENABLED?)?$`, name)
	not startswith(name, "KONG_")
	regex.match(`(?i)^(true|on|yes|1|enabled?|require[d]?|verify-ca|verify-full)$|^\s*\{.*rejectUnauthorized`, value)
	some variable in get.list(one.container, "env")
	regex.match(`HOST|SERVER|ADDR`, get.string(variable, "name"))
	is_here(regex.replace(get.string(variable, "value"), `:[0-9]+$`, ""), one.names)
}

# Programs that encrypt unless they are told not to.
insists(name, value, one) := sprintf("no %s=%s, without which %s means TLS", [switch[0], switch[1], title]) if {
	[title, program] := known_clients.program_of(one.container)
	switch := program.encrypts
	name in {"DATABASE_HOST", "DATABASE_URL"}
	leads_here(value, one.names)
	not contains(value, "ssl")
	count(get.list(one.container, "envFrom")) == 0
	count(known_clients.names(one.container) & {switch[0], "NODE_ENV"}) == 0
}

value_shown(value) := value if not contains(value, "{")

value_shown(value) := "{…}" if contains(value, "{")

leads_here(value, names) if {
	host := regex.find_all_string_submatch_n(`^(?:[a-z0-9+]+://)?(?:[^@/]*@)?([A-Za-z0-9.-]+)(?::[0-9]+)?(?:/|\?|$)`, value, 1)[0][1]
	is_here(host, names)
}

is_here(host, names) if host in names

# With a namespace behind it, which must be this one: a database elsewhere may have the name of a Service too.
is_here(host, names) if {
	parts := split(host, ".")
	parts[0] in names
	parts[1] == k8s.namespace
}

# libpq, and so psql, reads PGOPTIONS. What only a start of the server can change, psql of the first start is refused, and the server never sees.
options_of_clients := [{
	"name": match[1],
	"value": match[2],
	"reason": "programs that connect read PGOPTIONS, and the server its arguments and postgresql.conf (write args: [-c, …])",
	"path": array.concat(container_path, ["env", i, "value"]),
} |
	server
	some i, variable in get.list(container, "env")
	get.string(variable, "name") == "PGOPTIONS"
	some match in regex.find_all_string_submatch_n(`(?:-c\s*|--)([a-z_]+)=(\S+)`, get.string(variable, "value"), -1)
	match[1] in of_the_server
]

of_the_server := {
	"archive_command", "archive_mode", "autovacuum", "autovacuum_max_workers", "hba_file", "huge_pages", "listen_addresses", "max_connections", "max_locks_per_transaction",
	"max_prepared_transactions", "max_replication_slots", "max_wal_senders", "max_wal_size", "max_worker_processes", "port", "shared_buffers", "shared_preload_libraries", "ssl", "wal_buffers", "wal_level",
}

# ---------------------------------------------------------------------------------------------------------- probes

facts contains {"unset_variables": unset_variables} if count(unset_variables) > 0

# The shell puts nothing in their place, and the option takes the next word for its value.
unset_variables := [{"probe": field, "variable": name, "session": contains(command, "psql"), "path": command_path} |
	layout == "docker"
	server.product.published
	count(get.list(container, "envFrom")) == 0
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	command_path := array.concat(container_path, [field, "exec", "command"])
	line_of := get.list(k8s.object, command_path)
	regex.match(`^(/(usr/)?bin/)?(ba|da|a)?sh$`, get.text(line_of[0]))
	command := concat(" ", [word | some word in line_of; is_string(word)])
	regex.match(`\b(pg_isready|psql)\b`, command)
	not regex.match(`\|\||\$\?|;`, command)
	some match in regex.find_all_string_submatch_n(`(?:-[Udhp]|--(?:username|dbname|host|port))[ =]*["']?\$\{?([A-Z][A-Z0-9_]*)\}?(?:["' ]|$)`, command, -1)
	name := match[1]
	not name in of_image
	count([1 | some variable in get.list(container, "env"); object.get(variable, "name", name) == name]) == 0
	not contains(command, sprintf("%s=", [name]))
	not regex.match(`_(SERVICE_HOST|SERVICE_PORT|PORT)`, name)
]

# Kubernetes puts variables into command and args of a container, and not into the command of a probe: without a shell, $(NAME) is the name of a role.
facts contains {"literal_variables": literal_variables} if count(literal_variables) > 0

literal_variables := [{"probe": field, "text": match[1], "session": regex.match(`(^|/)psql$`, get.text(line_of[0])), "path": command_path} |
	server
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	command_path := array.concat(container_path, [field, "exec", "command"])
	line_of := get.list(k8s.object, command_path)
	regex.match(`(^|/)(pg_isready|psql)$`, get.text(line_of[0]))
	command := concat(" ", [word | some word in line_of; is_string(word)])
	some match in regex.find_all_string_submatch_n(`(?:-[Ud]|--(?:username|dbname))[ =]?(\$(?:\([A-Za-z_][A-Za-z0-9_]*\)|\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*))(?:$| )`, command, 1)
]

of_image := {"PGDATA", "PG_MAJOR", "PG_VERSION", "PG_SHA256", "GOSU_VERSION", "PATH", "HOME", "HOSTNAME", "LANG", "PWD", "USER"}

# pg_isready asks port 5432 unless it is told another one, by its socket as well.
other_ports_asked := [{"probe": field, "reason": sprintf("asks port %d, and the server listens on %d", [port, listening]), "cure": sprintf("Add -p %d to its pg_isready", [listening]), "path": command_path} |
	layout in {"docker", "bitnami"}
	listening
	count(get.list(container, "envFrom")) == 0
	count([1 | some variable in get.list(container, "env"); object.get(variable, "name", "PGPORT") == "PGPORT"]) == 0
	count([1 | some one in all_containers; not "initContainers" in one.at]) == 1
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	command_path := array.concat(container_path, [field, "exec", "command"])
	command := concat(" ", [word | some word in get.list(k8s.object, command_path); is_string(word)])
	calls_of_probe := regex.find_n(`\bpg_isready\b[^;&|\n]*`, command, -1)
	count(calls_of_probe) == 1
	not regex.match(`\|\||\$\?|;|PGPORT|://|\bport=`, command)
	port := port_asked(calls_of_probe[0])
	port != listening
]

port_asked(call) := to_number(match[1]) if some match in regex.find_all_string_submatch_n(`\s(?:-p\s*|--port[= ]\s*)["']?([0-9]+)\b`, call, 1)

port_asked(call) := 5432 if not regex.match(`\s(-p|--port)`, call)
