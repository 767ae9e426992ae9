package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.lib.sessions
import data.walguard.lib.text as texts
import data.walguard.lib.workloads

# Scripts of clients that ask for a host which no Service of the namespace is called after: they wait for ever, or fail at every run.
lost_scripts := array.concat(array.concat(array.concat(waiting, array.concat(at_other_ports, nameless_waits)), running), array.concat(lost_exporters, ports_of_poolers))

# An init container that waits for a name, before a container that finds the server by another one.
waiting := [{
	"client": one.made.words,
	"reason": sprintf("waits in init container %s for %s, and no Service of this namespace has the name", [get.string(one.container, "name"), host]),
	"cure": sprintf("Write %s", [hosts[0]]),
	"path": array.concat(one.path, [field]),
	"resource": one.made.resource,
} |
	count(services) > 0
	some one in workloads.containers
	one.list == "initContainers"
	not workloads.itself(one.made)
	[field, text] := script_of(one.container)
	some match in regex.find_all_string_submatch_n(`\b(?:until|while)\b[^\n]*?\b(?:pg_isready\b[^\n;|&]*?(?:-h\s*|--host[= ])|nc\s+(?:-[a-z]+\s+)*(?:-w\s*[0-9]+\s+)?)["']?([a-z][a-z0-9-]*)["']?(?:\s[^\n;|&]*)?[;|&\n]`, text, 1)
	host := match[1]
	for_the_server(text, match[0])
	host != "localhost"
	without_service(host)
	some other in get.list(one.made.pod, "containers")
	some variable in get.list(other, "env")
	leads_home(texts.host(get.string(variable, "value")))
]

# One that waits at a port of this server's Service which that does not have.
at_other_ports := [{
	"client": one.made.words,
	"reason": sprintf("waits in init container %s for port %d of %s, where nothing answers", [get.string(one.container, "name"), port, host]),
	"outcome": "it never starts",
	"cure": sprintf("Write %d", [ports[0]]),
	"level": "error",
	"path": array.concat(one.path, [field]),
	"resource": one.made.resource,
} |
	count(services) > 0
	some one in workloads.containers
	one.list == "initContainers"
	not workloads.itself(one.made)
	[field, text] := script_of(one.container)
	some call in regex.find_n(`\b(?:until|while)\b[^\n;|&]*?\b(?:pg_isready|nc)\b[^\n;|&]*`, text, 1)
	[host, port] := asked_in(call)
	some service in services
	get.string(service, ["metadata", "name"]) == split(host, ".")[0]
	leads_home(host)
	ports := answering(service)
	count(ports) > 0
	not port in ports
]

# libpq takes the name of the user for the role, and ends before it asks where the image has none for the number (connectOptions2 of fe-connect.c): "no attempt".
nameless_waits := [{
	"client": one.made.words,
	"reason": sprintf("waits in init container %s with pg_isready, which takes the name of user %d for the role, and the image has none (\"no attempt\")", [get.string(one.container, "name"), number]),
	"outcome": "it waits for ever",
	"cure": "Add -U and a role to pg_isready",
	"level": "error",
	"path": array.concat(one.path, [field]),
	"resource": one.made.resource,
} |
	some one in workloads.containers
	one.list == "initContainers"
	not workloads.itself(one.made)
	number := nameless_user(one)
	[field, text] := script_of(one.container)
	some call in regex.find_n(`\b(?:until|while)\b[^\n;|&]*?\bpg_isready\b[^\n;|&]*`, text, 1)
	not regex.match(`\s-[a-z]*U|--username|user=|\s(-d|--dbname)[= ]|[$]`, call)
	count([1 | some variable in get.list(one.container, "env"); regex.match(`^PG(USER|SERVICE)|^NSS_WRAPPER`, get.string(variable, "name"))]) == 0
	count(get.list(one.container, "envFrom")) == 0
	some match in regex.find_all_string_submatch_n(`\s(?:-h\s*|--host[= ])["']?([a-z][a-z0-9.-]*)`, call, 1)
	leads_home(match[1])
]

# Of the official image, and of Bitnami's, whose own user has no name but what its entrypoint makes.
nameless_user(one) := number if {
	number := number_written(one)
	number >= 1000
	number != 65534
	regex.match(`^(docker\.io/library/postgres|docker\.io/bitnami(legacy|secure)?/postgresql)$`, image.repository(get.string(one.container, "image")))
	count([1 | some mounted in get.list(one.container, "volumeMounts"); startswith(get.string(mounted, "mountPath"), "/etc")]) == 0
}

nameless_user(one) := 1001 if {
	not number_written(one)
	regex.match(`^docker\.io/bitnami(legacy|secure)?/postgresql$`, image.repository(get.string(one.container, "image")))
}

number_written(one) := number if {
	number := object.get(one.container, ["securityContext", "runAsUser"], object.get(one.made.pod, ["securityContext", "runAsUser"], null))
	is_number(number)
}

asked_in(call) := [host, port] if {
	host := regex.find_all_string_submatch_n(`\spg_isready\b.*\s(?:-h\s*|--host[= ])["']?([a-z][a-z0-9.-]*)`, call, 1)[0][1]
	port := to_number(regex.find_all_string_submatch_n(`\s(?:-p\s*|--port[= ])["']?([0-9]{2,5})\b`, call, 1)[0][1])
}

asked_in(call) := [found[1], to_number(found[2])] if {
	found := regex.find_all_string_submatch_n(`\bnc\s+(?:-[a-vx-z]+\s+|-[a-z]*w\s*[0-9]+\s+)*["']?([a-z][a-z0-9.-]*)["']?\s+["']?([0-9]{2,5})\b`, call, 1)[0]
}

# Of a Service without an address the ports are those of the pod.
answering(service) := [n | some entry in get.list(service, ["spec", "ports"]); n := get.number(entry, "port")] if object.get(service, ["spec", "clusterIP"], "") != "None"

answering(service) := [listening] if object.get(service, ["spec", "clusterIP"], "") == "None"

for_the_server(_, found) if contains(found, "pg_isready")

for_the_server(_, found) if regex.match(`\s5432\b`, found)

# A program of PostgreSQL that has the server's password.
running := [object.union(strayed(host), {"client": one.made.words, "path": array.concat(one.path, [field]), "resource": one.made.resource}) |
	count(services) > 0
	some one in workloads.containers
	not workloads.itself(one.made)
	[field, text] := script_of(one.container)
	regex.match(`\b(pg_dump|pg_dumpall|pg_basebackup|psql)\b`, text)
	some variable in get.list(one.container, "env")
	get.string(variable, "name") == "PGPASSWORD"
	get.map(variable, ["valueFrom", "secretKeyRef"]) in password_references
	asked := {match[1] | some match in regex.find_all_string_submatch_n(`\b(?:pg_dump|pg_dumpall|pg_basebackup|psql)\b[^\n;|&]*?\s(?:-h\s*|--host[= ])["']?([A-Za-z0-9.-]+)`, text, -1)}
	count(asked) == 1
	some host in asked
	regex.match(`^[a-z][a-z0-9-]*$`, host)
	host != "localhost"
	without_service(host)
]

# postgres_exporter puts user and password before what DATA_SOURCE_URI says.
lost_exporters := [object.union(strayed(host), {"client": one.made.words, "path": array.concat(one.path, ["env", i, "value"]), "resource": one.made.resource}) |
	count(services) > 0
	some one in workloads.containers
	one.list == "containers"
	not workloads.itself(one.made)
	some secret in get.list(one.container, "env")
	get.string(secret, "name") == "DATA_SOURCE_PASS"
	get.map(secret, ["valueFrom", "secretKeyRef"]) in password_references
	some i, variable in get.list(one.container, "env")
	get.string(variable, "name") == "DATA_SOURCE_URI"
	host := regex.find_all_string_submatch_n(`^([a-z][a-z0-9-]*)(?::[0-9]+)?(?:/|\?|$)`, get.string(variable, "value"), 1)[0][1]
	host != "localhost"
	without_service(host)
]

script_of(one) := [field, text] if {
	field := [name | some name in ["args", "command"]; count(get.list(one, name)) > 0][0]
	values := {name: value |
		some name, k in get.named(get.list(one, "env"))
		value := get.string(one.env[k], "value")
		not placeholder.unknown(value)
	}
	text := script.filled(concat("\n", [word | some name in ["command", "args"]; some word in get.list(one, name); is_string(word)]), values)
}

# A port that the Service of a pooler before this server does not have.
ports_of_poolers := [{
	"client": one.client,
	"reason": sprintf("asks for port %s of %s, which has %d", [port.value, name, offered[0]]),
	"cure": sprintf("Write %d", [offered[0]]),
	"path": port.path,
	"resource": port.resource,
} |
	names := {name | some pooler in pooling_by_file; some name in services_of(pooler.made)}
	count(names) > 0
	some one in client_containers
	some variable_name, variable in one.variables
	prefix := before_host(variable_name)
	name := split(variable.value, ".")[0]
	name in names
	sessions.leads(names, variable.value)
	port := one.variables[concat("", [prefix, "PORT"])]
	regex.match(`^[0-9]{2,5}$`, port.value)
	service := inventory.namespaced_object(k8s.namespace, "v1", "Service", name)
	object.get(service, ["spec", "clusterIP"], "") != "None"
	offered := [n | some entry in get.list(service, ["spec", "ports"]); n := get.number(entry, "port")]
	count(offered) == 1
	offered[0] != to_number(port.value)
]
