package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.environment
import data.walguard.lib.fact
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.login
import data.walguard.lib.pgbouncer
import data.walguard.lib.placeholder
import data.walguard.lib.pooling as programs_of_poolers
import data.walguard.lib.workloads

facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

facts contains {"hosts": hosts} if count(hosts) > 0

hosts := sort({name |
	server
	name := get.string(k8s.object, ["spec", "serviceName"])
} | named_by_services) if {
	not client_alone
}

hosts := sort(workloads.called) if client_alone

named_by_services := {name |
	some service in services
	name := get.string(service, ["metadata", "name"])
}

# Those whose selector finds the pods.
services := [service |
	server
	count(pod_labels) > 0
	some service in inventory.list(k8s.namespace, "v1", "Service")
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; pod_labels[label] == value]) == count(wanted)
]

facts contains {"annotations": {"path": ["spec", "template", "metadata", "annotations"], "volume": mount_of(directory).name}} if {
	k8s.kind != "Pod"
	lasts(mount_of(directory).name)
}

missing_keys := array.concat(
	[found |
		server
		some list in ["initContainers", "containers"]
		some i, one in get.list(k8s.object, array.concat(pod_path, [list]))
		some found in keys.of_environment(array.concat(pod_path, [list, i]), one)
	],
	array.concat(
		[found |
			server
			some found in keys.of_volumes(pod_path)
		],
		array.concat(array.concat(keys_of_files, empty_directories), array.concat(keys_of_passwords, array.concat(keys_of_clients, lone_keys))),
	),
)

# Other workloads of the namespace that take the password from the Secret of the server, or name the server and take it from another one.
keys_of_clients := array.concat(keys_in_environments, keys_in_volumes)

keys_in_environments := [object.union(found, {"resource": one.made.resource}) |
	server
	some one in workloads.containers
	not workloads.itself(one.made)
	some found in keys.of_environment(one.path, one.container)
	found.kind == "Secret"
	for_server(found.name, one)
	about_the_database(get.string(one.made.object, array.concat(array.slice(found.path, 0, count(found.path) - 2), ["name"])), found.key)
]

# Files with the password, of poolers as well.
keys_in_volumes := [object.union(found, {"resource": made.resource}) |
	server
	some made in workloads.clients
	not workloads.itself(made)
	some found in keys.of_pod(made.path, made.pod)
	found.kind == "Secret"
	found.name in secrets_of_server
]

for_server(name, _) if name in secrets_of_server

for_server(name, one) if {
	not name in secrets_of_server
	some variable in told_by(one)
	leads_home(regex.replace(variable.value, `:5432$`, ""))
}

# A Secret of the whole application holds much that is none of the server's.
about_the_database(_, key) if regex.match(of_a_database, key)

about_the_database(variable, _) if regex.match(of_a_database, variable)

of_a_database := `(?i)postgres|pgsql|psql|database|datasource|jdbc|connection_?string|(^|[^a-z])(pg|db|dsn|sql)|^(user(_?name)?|pass(word)?|pwd)$`

secrets_of_server := {name |
	server
	some variable in get.list(container, "env")
	name := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
} | {name |
	server
	some source in get.list(container, "envFrom")
	name := get.string(source, ["secretRef", "name"])
}

# Standbys of repmgr and Patroni stream from whichever of them is the primary.
facts contains {"traffic": [object.union({"port": 5432, "from": "instances", "consequence": "standbys cannot stream"}, {"labels": pod_labels | k8s.kind == "StatefulSet"})]} if instances.value > 1

# ---------------------------------------------------------------------------------------------------------- poolers

# A pooler is the server's when its environment names one of the server's Services. Of Pgpool-II each child keeps a connection for each pair of
# user and database, and at least one (https://www.pgpool.net/docs/latest/en/html/runtime-config-connection.html).
facts contains {"pooler": object.union(poolers[0].fact, {
	"connections": sum([one.connections | some one in poolers]),
	"cached": sum([one.cached | some one in poolers]),
})} if {
	count(poolers) > 0
}

poolers := [{"connections": replicas_of * size, "cached": (replicas_of * size) * pairs(one), "fact": {"value": true, "origin": "written", "path": one.path, "resource": k8s.reference(object.get(one, "source", one.made))}} |
	some one in array.concat(array.concat(pooling, pooling_by_file), pgpool_by_file)
	size := array.concat([number | some name in one.kind.sizes; number := shared.whole(one.values[name])], children_by_default(one))[0]
	replicas_of := shared.whole(object.get(one.made, ["spec", "replicas"], 1))
]

# num_init_children of pgpool.conf.sample and of Bitnami's image, where nothing out of sight may say another.
children_by_default(one) := [32] if {
	one.kind.children
	count([1 | some variable in get.list(one.container, "env"); get.string(variable, "name") in one.kind.sizes]) == 0
	count(get.list(one.container, "envFrom")) == 0
	count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(`pgpool|conf`, get.string(mounted, "mountPath"))]) == 0
} else := []

# Pairs of user and database whose connections a child of Pgpool-II keeps, where somebody has written how many.
pairs(one) := shared.whole(one.values[one.kind.pairs]) if {
	shared.whole(one.values[one.kind.pairs]) > 0
	not get.lower_case(object.get(one.values, "PGPOOL_ENABLE_CONNECTION_CACHE", "yes")) in {"no", "off", "false"}
} else := 1

# The containers of poolers that name the server, with what their environment says.
pooling := [{"made": made, "path": array.concat(path, [i, "env"]), "kind": kind, "values": values, "container": one} |
	names := {host | some host in hosts}
	some made in with_poolers
	path := ["spec", "template", "spec", "containers"]
	some i, one in get.list(made, path)
	kind := pooler_kinds[image.name(get.string(one, "image"))]
	values := object.union(of_maps(one), {name: value |
		some name, k in get.named(get.list(one, "env"))
		value := get.text_at(one.env[k], "value")
	})
	before_it(kind, values, names)
]

# What ConfigMaps say for all of it, unless it says so itself.
of_maps(one) := {name: entry.value |
	some source in get.list(one, "envFrom")
	get.present(source, "configMapRef")
	some name, entry in environment.entries(source)
	count([1 | some variable in get.list(one, "env"); get.string(variable, "name") == name]) == 0
}

# Those in which poolers are looked for. A client by itself is one.
with_poolers := inventory.list(k8s.namespace, "apps/v1", "Deployment") if {
	count(hosts) > 0
	not client_alone
} else := [k8s.object] if {
	client_alone
	k8s.kind == "Deployment"
} else := []

before_it(kind, values, names) if {
	some name in kind.hosts
	some found in regex.find_n(`[A-Za-z0-9][A-Za-z0-9.-]*`, values[name], -1)
	count([part | some part in split(found, "."); part in names]) > 0
}

# Whoever's server is behind it.
before_it(_, _, _) if client_alone

# Those whose pgbouncer.ini lies in a ConfigMap or a Secret and names the server.
pooling_by_file := [{"made": one.made, "source": one.source, "text": one.text, "path": one.path, "kind": {"sizes": ["size"]}, "values": {"size": size | size := programs_of_poolers.opened(one.text, {host | some host in hosts})}} |
	some one in with_a_file("pgbouncer", "pgbouncer.ini", server_in_ini)
]

# Pgpool-II by its own file.
pgpool_by_file := [{"made": one.made, "source": one.source, "path": one.path, "kind": {"sizes": ["size"]}, "values": {"size": children_of(one.text)}} |
	some one in with_a_file("pgpool", "pgpool.conf", server_in_pgpool_conf)
	count([1 | some variable in get.list(one.container, "env"); regex.match(`NUM_INIT_CHILDREN$`, get.string(variable, "name"))]) == 0
]

# The poolers of an image whose file lies in a ConfigMap or a Secret and names the server, by what the expression finds: once each, by however many mounts they have it.
with_a_file(image_name, key, server_named) := [one | some one in {found |
	some made in with_poolers
	path := ["spec", "template", "spec"]
	some one in get.list(made, array.concat(path, ["containers"]))
	programs_of_poolers.program(one) == image_name
	some mounted in get.list(one, "volumeMounts")
	some volume in get.list(made, array.concat(path, ["volumes"]))
	get.string(volume, "name") == get.string(mounted, "name")
	some holding in readable_files.sources(volume)
	source := readable_files.holder(holding)
	some entry in readable_files.entries(source)
	entry.key == key
	names_it(server_named, entry.text)
	found := {"made": made, "container": one, "source": source, "text": entry.text, "path": entry.path}
}]

names_it(server_named, text_) if {
	some match in regex.find_all_string_submatch_n(server_named, text_, -1)
	match[1] in {host | some host in hosts}
}

names_it(_, _) if client_alone

children_of(text_) := to_number(match[1]) if some match in regex.find_all_string_submatch_n(`(?m)^\s*num_init_children\s*=\s*([0-9]+)`, text_, 1)

children_of(text_) := 32 if not regex.match(`(?m)^\s*num_init_children\s*=`, text_)

pooler_kinds := {
	"pgpool": {"hosts": ["PGPOOL_BACKEND_NODES", "PGPOOL_PARAMS_BACKEND_HOSTNAME0", "PGPOOL_PARAMS_BACKEND_HOSTNAME1"], "sizes": ["PGPOOL_NUM_INIT_CHILDREN", "PGPOOL_PARAMS_NUM_INIT_CHILDREN"], "pairs": "PGPOOL_MAX_POOL", "children": true},
	"pgbouncer": {"hosts": ["DB_HOST", "DATABASE_URL", "DATABASE_URLS", "POSTGRESQL_HOST", "PGBOUNCER_DSN_0"], "sizes": ["DEFAULT_POOL_SIZE", "PGBOUNCER_DEFAULT_POOL_SIZE"]},
}

facts contains {"pooler_sums": object.union_n([programs_of_poolers.sums_by_variable(one.container), {"path": one.path, "resource": k8s.reference(one.made)}])} if {
	has_secrets
	some one in with_sums
}

# Of a server elsewhere that a service runs, whose own default is the same; somebody may have kept md5 there.
facts contains {"pooler_sums": object.union(fact.written("AUTH_TYPE md5", one.path), {"variable": "AUTH_TYPE", "server": sprintf("%s keeps SCRAM secrets by default since PostgreSQL 14", [service]), "level": "warning", "resource": k8s.reference(one.made)})} if {
	client_alone
	some one in with_sums
	count([1 | some variable in get.list(one.container, "env"); get.string(variable, "name") in {"AUTH_FILE", "AUTH_QUERY"}]) == 0
	some domain, service in services_with_secrets
	endswith(one.values.DB_HOST, domain)
}

services_with_secrets := {
	".aivencloud.com": "Aiven",
	".db.ondigitalocean.com": "DigitalOcean",
	".neon.tech": "Neon",
	".postgres.database.azure.com": "Azure",
	".rds.amazonaws.com": "RDS",
}

with_sums := [one | some one in pooling; programs_of_poolers.writes_sums(one.container, one.values)]

has_secrets if {
	server.product.major >= 14
	layout in {"docker", "bitnami"}
	count({"scram-sha-256", said_of_method} - {"scram-sha-256", ""}) == 0
	count({"scram-sha-256", said_of_encryption} - {"scram-sha-256", ""}) == 0
}

said_of_method := first_of(["POSTGRES_HOST_AUTH_METHOD"]).value

said_of_method := "" if not first_of(["POSTGRES_HOST_AUTH_METHOD"])

said_of_encryption := trim(shared.last_of(parameters, "password_encryption").value, " '")

said_of_encryption := "" if not shared.last_of(parameters, "password_encryption")

# So does Pgpool-II where it is told to, which then writes pool_passwd and pool_hba.conf for MD5.
facts contains {"pooler_sums": object.union(fact.written(sprintf("%s md5", [name]), one.path), {"variable": name, "resource": k8s.reference(one.made)})} if {
	has_secrets
	some one in array.concat(pooling, before_the_server)
	image.name(get.string(one.container, "image")) == "pgpool"
	some name in ["PGPOOL_AUTHENTICATION_METHOD", "PGPOOL_PASSWORD_ENCRYPTION_METHOD"]
	one.values[name] == "md5"
}

# Those whose file names the server.
before_the_server := [{"container": one.container, "made": one.made, "path": path, "values": environment.values(one.container)} |
	some one in with_a_file("pgpool", "pgpool.conf", server_in_pgpool_conf)
	path := [array.concat(["spec", "template", "spec", "containers"], [i]) | some i, other in get.list(one.made, ["spec", "template", "spec", "containers"]); other == one.container][0]
]

facts contains {"pooler_faults": pooler_faults} if count(pooler_faults) > 0

pooler_faults := array.concat(
	array.concat(array.concat(refused_parameters, unread_settings), array.concat(array.concat(unheard, heard_within), array.concat(annotated, unmatched_ports))),
	array.concat(array.concat(unknown_databases, unlisted_backends), array.concat(array.concat(array.concat(refused_poolers, unready_poolers), keyless_users), array.concat(linked_poolers, array.concat(array.concat(empty_lists, absent_backends), array.concat(array.concat(unreadable_files, lists_as_directories), array.concat(unknown_users, array.concat(unlisted_users, array.concat(unpooled_users, array.concat(streaming_by_poolers, uninvited))))))))),
)

# Without listen_addr PgBouncer listens on its Unix socket alone (src/main.c: its default is none), and listen_port is 6432. These images take the file as it is.
unheard := [{
	"reason": sprintf("This pgbouncer.ini has no listen_addr, so PgBouncer listens on its Unix socket only, and Service %s leads to it: every connection is refused", [min(names)]),
	"cure": concat("", ["Set listen_addr = *", port_to_set(ini, names)]),
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	ini := one.text
	regex.match(`(?m)^\s*\[pgbouncer\]`, ini)
	not regex.match(`(?m)^\s*(listen_addr\s*=\s*\S|%include)`, ini)
	not placeholder.holds(ini)
	count([1 | some pooler in get.list(one.made, ["spec", "template", "spec", "containers"]); takes_its_file(pooler)]) == 1
	names := services_of(one.made)
	count(names) > 0
]

# Nor does anybody come to a port of the pod's own loopback device.
heard_within := [{
	"reason": sprintf("This pgbouncer.ini has listen_addr = %s, where only its own pod comes, and Service %s leads to it: every connection is refused", [match[1], min(names)]),
	"cure": "Set listen_addr = *",
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	ini := one.text
	some match in regex.find_all_string_submatch_n(`(?m)^\s*listen_addr\s*=\s*(localhost|127\.0\.0\.1|::1)\s*$`, ini, 1)
	not regex.match(`(?m)^\s*%include`, ini)
	count(get.list(one.made, ["spec", "template", "spec", "containers"])) == 1
	names := services_of(one.made)
	count(names) > 0
]

# A comment is a line of its own (lib/usual/cfparser.c): behind a number it belongs to the value, which is no number then.
annotated := [{
	"reason": sprintf("%s = %s has a comment behind it, which PgBouncer takes for a part of the value: it stops at \"cannot load config file\"", [numbers[0][1], numbers[0][2]]),
	"cure": "Put comments on lines of their own",
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	numbers := regex.find_all_string_submatch_n(`(?m)^[ \t]*(max_client_conn|listen_port|[a-z]+_pool_size|max_(?:db|user)_connections|[a-z_]+_timeout|server_lifetime|server_login_retry|stats_period)[ \t]*=[ \t]*([0-9.]+)[ \t]+[#;]`, one.text, 1)
	count(numbers) > 0
	count([1 | some pooler in get.list(one.made, ["spec", "template", "spec", "containers"]); takes_its_file(pooler)]) == 1
]

# Lines of section [pgbouncer]; a value behind which stands a comment is reported as such.
unread_settings := [object.union(
	{"reason": sprintf("%s: %s", [fault.reason, object.get(fault, "outcome", "every connection is refused")]), "path": one.path, "resource": k8s.reference(one.source)},
	object.filter(fault, ["cure", "level"]),
) |
	some one in pooling_by_file
	ini := one.text
	not placeholder.holds(ini)
	count([1 | some pooler in get.list(one.made, ["spec", "template", "spec", "containers"]); takes_its_file(pooler)]) == 1
	section := regex.find_all_string_submatch_n(`(?ms)^\s*\[pgbouncer\][^\n]*\n(.*?)(?:^\s*\[|\z)`, ini, 1)[0][1]
	written := {trim_space(line[1]): trim_space(line[2]) | some line in regex.find_all_string_submatch_n(`(?m)^[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*=([^#;\n]*)$`, section, -1)}
	some fault in pgbouncer.faults(written)
]

takes_its_file(pooler) if {
	image.repository(get.string(pooler, "image")) in {"docker.io/edoburu/pgbouncer", "docker.io/pgbouncer/pgbouncer"}
	not get.present(pooler, ["command"])
	not get.present(pooler, ["args"])
	some mounted in get.list(pooler, "volumeMounts")
	get.string(mounted, "mountPath") in {"/etc/pgbouncer", "/etc/pgbouncer/", "/etc/pgbouncer/pgbouncer.ini"}
}

# Or its own words say so, without a shell.
takes_its_file(pooler) if {
	said := array.concat(get.list(pooler, "command"), get.list(pooler, "args"))
	regex.match(`^(\S*/)?pgbouncer$`, said[0])
	some file in said
	regex.match(`^/\S+\.ini$`, file)
	some mounted in get.list(pooler, "volumeMounts")
	startswith(file, trim_suffix(get.string(mounted, "mountPath"), "/"))
}

port_to_set(ini, names) := sprintf(" and listen_port = %d", [wanted[0]]) if {
	not regex.match(`(?m)^\s*listen_port\s*=`, ini)
	wanted := [port |
		some service in inventory.list(k8s.namespace, "v1", "Service")
		get.string(service, ["metadata", "name"]) in names
		some entry in get.list(service, ["spec", "ports"])
		port := object.get(entry, "targetPort", object.get(entry, "port", null))
		is_number(port)
		port != 6432
	]
	count(wanted) == 1
} else := ""

# The Services that lead to the pods of another workload.
services_of(made) := workloads.services(get.map(made, ["spec", "template", "metadata", "labels"]))

# Poolers, as far as budgets of their own are about them.
facts contains {"poolers_beside": poolers_beside} if count(poolers_beside) > 0

poolers_beside := [{"name": sprintf("Deployment %s", [get.string(made, ["metadata", "name"])]), "labels": get.map(made, ["spec", "template", "metadata", "labels"]), "own": get.map(made, ["spec", "selector", "matchLabels"]), "count": shared.whole(object.get(made, ["spec", "replicas"], 1))} |
	some made in {one.made | some one in array.concat(pooling, pooling_by_file)}
]

# -------------------------------------------------------------------------------------------------------- exposure

# A Service that a cloud gives an address of the internet, and a password that is tried first.
facts contains {"guessable": {"service": get.string(balancer, ["metadata", "name"]), "path": path}} if {
	balancer := balancers[0]
	path := guessed[0]
}

balancers := [service |
	some service in services
	get.string(service, ["spec", "type"]) == "LoadBalancer"
	count(get.list(service, ["spec", "loadBalancerSourceRanges"])) == 0
	not shared.private_balancer(service)
]

guessed := array.concat(
	[value_path(variable) |
		some name, variable in variables
		name in password_variables
		not variable.resource
		get.lower_case(variable.value) in login.tried_first
	],
	[array.concat(container_path, ["env", i, "valueFrom", "secretKeyRef"]) |
		some i, variable in get.list(container, "env")
		get.string(variable, "name") in password_variables
		reference := get.map(variable, ["valueFrom", "secretKeyRef"])
		secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(reference, "name"))
		password := trim_space(login.field(secret, get.string(reference, "key")))
		get.lower_case(password) in login.tried_first
	],
)

password_variables := {"POSTGRES_PASSWORD", "POSTGRESQL_PASSWORD", "POSTGRESQL_POSTGRES_PASSWORD", "POSTGRES_POSTGRES_PASSWORD"}
