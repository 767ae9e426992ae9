package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.operators.workload.product

# Services that lead to the server and to pods of another workload; see walguard.model.
facts contains {"shared_services": shared_services} if count(shared_services) > 0

shared_services := array.concat(
	array.concat(
		[object.union(one, {
			"reason": sprintf("Service %s leads to the pods of %s, which are two databases: connections reach one or the other in turns", [one.service, concat(" and ", sort([one.other, this_workload]))]),
			"level": "error",
		}) |
			some one in overlaps
			one.database
		],
		[object.union(one, {
			"reason": sprintf("Service %s leads to the pods of %s as well, where nothing listens on port %d: a part of the connections is refused%s", [one.service, one.other, port_of_pods, one.while]),
			"level": "warning",
		}) |
			some one in overlaps
			one.deaf
		],
	),
	[{
		"reason": sprintf("Service %s is that of %s and leads to the pods of the server as well, where nothing listens on port %d: a part of its requests fails", [get.string(service, ["metadata", "name"]), owners(service, target)[0], target]),
		"level": "warning",
		"path": ["spec", "selector"],
		"resource": k8s.reference(service),
	} |
		some service in services_in_common
		some one in get.list(service, ["spec", "ports"])
		target := target_of(one)
		count([1 | some own in all_containers; some port in get.list(own, "ports"); get.number(port, "containerPort") == target]) == 0
		target != port_of_pods
		alone_in_pod(service)
		count(owners(service, target)) > 0
	],
)

# Other workloads that a Service leads to and that say the port, by number or by name.
owners(service, target) := [other.words |
	some other in neighbours
	fits(get.map(service, ["spec", "selector"]), other.labels)
	some one in other.containers
	some port in get.list(one, "ports")
	target in {get.number(port, "containerPort"), object.get(port, "name", "")}
]

fits(wanted, labels) if count([1 | some label, value in wanted; labels[label] == value]) == count(wanted)

# The port of a server that takes none from a variable or a file; Red Hat's image always listens on 5432.
port_of_pods := listening

port_of_pods := 5432 if layout == "sclorg"

services_in_common := [service |
	server
	port_of_pods
	count(pod_labels) > 0
	some service in inventory.list(k8s.namespace, "v1", "Service")
	object.get(service, ["spec", "clusterIP"], "") != "None"
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	fits(wanted, pod_labels)
	count([1 | some label, value in wanted; placeholder.unknown(value)]) == 0
]

this_workload := sprintf("%s %s", [k8s.kind, k8s.name])

overlaps := [{"service": get.string(service, ["metadata", "name"]), "other": other.words, "database": unrelated(other, port), "deaf": deaf(other, port), "while": other.while, "path": ["spec", "selector"], "resource": k8s.reference(service)} |
	some service in services_in_common
	port := port_of_server(service)
	some other in neighbours
	fits(get.map(service, ["spec", "selector"]), other.labels)
]

# The first port of the Service that leads to the server, by number or by its name.
port_of_server(service) := [port |
	some one in get.list(service, ["spec", "ports"])
	port := target_or_name(one)
	own_port(port)
][0]

own_port(port) if port == port_of_pods

own_port(port) if {
	some one in get.list(container, "ports")
	get.string(one, "name") == port
}

neighbours := [{
	"words": made.words,
	"labels": workloads.labels(made),
	"containers": [one | some one in get.list(made.pod, "containers"); is_object(one)],
	"text": json.marshal(workloads.template(made)),
	"batch": batch,
	"while": {true: " while they run", false: ""}[batch],
} |
	count(services_in_common) > 0
	some made in workloads.all
	made.kind in {"CronJob", "DaemonSet", "Deployment", "Job", "StatefulSet"}
	not workloads.itself(made)
	get.number(object.union({"spec": {"replicas": 1}}, made.object), ["spec", "replicas"]) > 0
	batch := made.kind in {"Job", "CronJob"}
]

# Two that the entrypoint of an image starts, of which neither is the other's copy.
unrelated(other, port) if {
	layout in alone_by_default
	server.product.published
	not other.batch
	not somebody_clones
	not replicates(json.marshal(get.map(k8s.object, ["spec", "template"])))
	not replicates(other.text)
	some one in other.containers
	product.of(get.string(one, "image")).layout in alone_by_default
	not get.present(one, "command")
	declares(one, port)
} else := false

alone_by_default := {"docker", "bitnami", "sclorg"}

replicates(text) if regex.match(`(?i)replica|standby|slave|basebackup|conninfo|patroni|repmgr|pg_auto|(primary|master|leader)_?(host|service|url)`, text)

# A name leads only to pods that have it.
declares(_, port) if is_number(port)

declares(one, port) if {
	some declared in get.list(one, "ports")
	get.string(declared, "name") == port
}

# Containers that say their ports say all of them, as a rule; those of a job serve nobody.
deaf(other, port) if {
	is_number(port)
	count([1 | some one in other.containers; product.of(get.string(one, "image"))]) == 0
	says_ports(other)
	count([1 | some one in other.containers; some declared in get.list(one, "ports"); get.number(declared, "containerPort") == port]) == 0
} else := false

says_ports(other) if other.batch

says_ports(other) if {
	count(other.containers) > 0
	every one in other.containers {
		count(get.list(one, "ports")) > 0
	}
}

# Copies that a Service leads to as soon as their containers run, while they still copy the primary or recover. Of a single pod it makes no difference: its clients are refused either way.
facts contains {"ready_at_once": {"pods": replicas.value, "service": get.string(leading[0], ["metadata", "name"]), "path": container_path}} if {
	k8s.kind in {"Deployment", "StatefulSet"}
	layout in {"bitnami", "sclorg"}
	replicas.value > 1
	not get.present(container, ["readinessProbe"])
	not get.present(container, ["startupProbe"])
	leading := [service | some service in services_in_common; port_of_server(service)]
	count(leading) > 0
}
