package walguard.operators.workload

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# Somebody else reaches it by a name: the Service that a StatefulSet is told of, or one in sight.
facts contains {"served": fact.written(true, ["spec", "serviceName"])} if {
	server
	k8s.kind == "StatefulSet"
	get.string(k8s.object, ["spec", "serviceName"])
}

facts contains {"served": object.union(fact.written(true, ["spec", "selector"]), {"resource": k8s.reference(service)})} if {
	server
	not get.string(k8s.object, ["spec", "serviceName"])
	some service in inventory.list(k8s.namespace, "v1", "Service")
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; pod_labels[label] == value]) == count(wanted)
}

# The image's own file listens everywhere; one that takes its place and does not say so leaves PostgreSQL's default, localhost.
facts contains {"loopback_only": object.union_n([{"value": "localhost", "origin": "postgres"}, object.filter(replaced, ["path", "resource"]), {"level": "error" | led_here}])} if {
	leaves_addresses
	not unread
	some replaced in files
	replaced.file == configuration_file
	count([1 | some setting in parameters; get.lower_case(setting.name) == "listen_addresses"]) == 0
}

leaves_addresses if layout == "docker"

# setup.sh and libpostgresql.sh write listen_addresses only where no postgresql.conf is mounted.
leaves_addresses if {
	layout == "bitnami"
	server.product.name == "postgresql"
}

# A Service with an address of its own leads to the server's port, which no other container of the pod has.
led_here if {
	some service in own_services
	some one in get.list(service, ["spec", "ports"])
	port_of(one) == listening
	count([1 | some other in all_containers; other.at != container_path; some port in get.list(other, "ports"); get.number(port, "containerPort") == listening]) == 0
}

# Of one without, clients ask for the port itself, and nothing else is in the pod to answer.
led_here if {
	count(all_containers) == 1
	some service in inventory.list(k8s.namespace, "v1", "Service")
	object.get(service, ["spec", "clusterIP"], "") == "None"
	get.string(service, ["metadata", "name"]) == get.string(k8s.object, ["spec", "serviceName"])
}

port_of(one) := target_of(one)

port_of(one) := [get.number(port, "containerPort") | some port in get.list(container, "ports"); get.string(port, "name") == get.string(one, "targetPort")][0]

facts contains {"loopback_only": object.union_n([{"value": addresses, "origin": "written"}, object.filter(setting, ["path", "resource", "line"]), {"level": "error" | led_here}])} if {
	layout in {"docker", "bitnami"}
	written := [setting | some setting in parameters; get.lower_case(setting.name) == "listen_addresses"]
	setting := written[count(written) - 1]
	addresses := trim(setting.value, " '")
	names := {trim_space(name) | some name in split(addresses, ",")}
	count(names - {"localhost", "127.0.0.1", "::1", ""}) == 0

	# None at all is meant: the server is reached by its socket.
	addresses != ""
}

# Services that lead to the pods and to a port on which nothing listens; see walguard.model.
facts contains {"dead_ports": [object.union(port, {"level": level_of(port.service)}) | some port in dead_ports]} if count(dead_ports) > 0

# A Service of which another port leads to the server, or to what else runs in the pod, may carry a remnant.
level_of(name) := "warning" if count(live_targets(name)) > 0

level_of(name) := "error" if count(live_targets(name)) == 0

live_targets(name) := [one |
	some service in own_services
	get.string(service, ["metadata", "name"]) == name
	some one in get.list(service, ["spec", "ports"])
	count([1 | some port in dead_ports; port.service == name; port.target == target_or_name(one)]) == 0
]

target_or_name(one) := target_of(one)

target_or_name(one) := get.string(one, "targetPort")

dead_ports := array.concat(
	[{"service": get.string(service, ["metadata", "name"]), "target": target, "listening": listening, "path": ["spec", "ports", i, "targetPort"], "resource": k8s.reference(service)} |
		some service in own_services
		some i, one in get.list(service, ["spec", "ports"])
		target := target_of(one)
		target != listening

		# Another container may be a pooler or an exporter, and another port of the server's container what it says.
		count([1 | some other in all_containers; other.at != container_path; some port in get.list(other, "ports"); get.number(port, "containerPort") == target]) == 0
		alone_in_pod(service)
		count(owners(service, target)) == 0
	],
	[{"service": get.string(service, ["metadata", "name"]), "target": name, "listening": listening, "path": ["spec", "ports", i, "targetPort"], "resource": k8s.reference(service)} |
		some service in own_services
		some i, one in get.list(service, ["spec", "ports"])
		name := get.string(one, "targetPort")
		not placeholder.unknown(name)
		count([1 | some other in all_containers; some port in get.list(other, "ports"); get.string(port, "name") == name]) == 0
		count(owners(service, name)) == 0
	],
)

# A port of a sidecar that declares none is no fault: only where the server's is the pod's only container, or the Service's only port.
alone_in_pod(_) if count([1 | some one in all_containers; not "initContainers" in one.at]) == 1

alone_in_pod(service) if count(get.list(service, ["spec", "ports"])) == 1

own_services := [service |
	server
	count(pod_labels) > 0
	listening
	some service in inventory.list(k8s.namespace, "v1", "Service")
	object.get(service, ["spec", "clusterIP"], "") != "None"
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; pod_labels[label] == value]) == count(wanted)
]

target_of(one) := get.number(one, "targetPort")

target_of(one) := get.number(one, "port") if not get.present(one, "targetPort")

# The port of the server, where nothing out of sight may say another.
listening := to_number(get.text(said)) if {
	known_start
	said := last_option("port")
	regex.match(`^[0-9]+$`, get.text(said))
}

listening := to_number(said) if {
	known_start
	not last_option("port")
	said := first_of(port_variables).value
	regex.match(`^[0-9]+$`, said)
}

# By the file that it reads.
listening := to_number(said) if {
	known_start
	not last_option("port")
	not first_of(port_variables)
	not unknown(port_variables)
	written := [get.text(setting.value) | some setting in parameters; get.lower_case(setting.name) == "port"]
	said := trim(written[count(written) - 1], " '")
	regex.match(`^[0-9]+$`, said)
}

listening := 5432 if {
	known_start
	not last_option("port")
	not first_of(port_variables)
	not unknown(port_variables)
	count([1 | some setting in parameters; get.lower_case(setting.name) == "port"]) == 0
}

known_start if {
	by_entrypoint
	not unread
	layout in {"docker", "bitnami"}
}

port_variables := ["POSTGRESQL_PORT_NUMBER", "POSTGRES_PORT_NUMBER"] if layout == "bitnami"

port_variables := ["PGPORT"] if layout == "docker"
