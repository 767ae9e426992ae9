package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# Where PgBouncer listens, and where its Services and probes look for it.

unmatched_ports := [{
	"reason": sprintf("PgBouncer listens on %d (%s), and %s", [one.port, one.by, missing.reason]),
	"cure": sprintf(one.cure, [missing.port]),
	"level": "error",
	"path": one.path,
	"resource": one.resource,
} |
	some one in heard_at
	missing := array.concat(ports_of_services(one), ports_of_probes(one))[0]
]

heard_at := array.concat(heard_by_environment, heard_by_file)

# entrypoint.sh of edoburu's writes listen_port = ${LISTEN_PORT:-5432}, libpgbouncer.sh of Bitnami's takes PGBOUNCER_PORT, 6432 by default.
heard_by_environment := [{
	"made": one.made,
	"container": one.container,
	"port": known.port,
	"by": known.by,
	"cure": concat("", ["Set ", kind.variable, " to \"%d\""]),
	"path": one.path,
	"resource": k8s.reference(one.made),
} |
	some one in pooling
	some publisher, kind in ports_of_publishers
	regex.match(publisher, image.repository(get.string(one.container, "image")))
	not get.present(one.container, ["command"])
	not get.present(one.container, ["args"])
	count([1 | some source in get.list(one.container, "envFrom"); not in_hand(source)]) == 0
	count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(kind.hiding, get.string(mounted, "mountPath"))]) == 0
	known := port_by_variable(one, kind)
]

ports_of_publishers := {
	`^docker\.io/edoburu/pgbouncer$`: {"variable": "LISTEN_PORT", "usual": 5432, "hiding": `^/etc(/|$)`},
	`(^|/)bitnami(legacy|secure)?/pgbouncer$`: {"variable": "PGBOUNCER_PORT", "usual": 6432, "hiding": `bitnami`},
}

port_by_variable(one, kind) := {"port": to_number(value), "by": kind.variable} if {
	value := one.values[kind.variable]
	regex.match(`^[1-9][0-9]{1,4}$`, value)
}

# What Kubernetes sets for a Service called pgbouncer is no port, and linked_poolers' matter.
port_by_variable(one, kind) := {"port": kind.usual, "by": sprintf("%s is not set", [kind.variable])} if {
	count({kind.variable, sprintf("%s_FILE", [kind.variable])} & names_given(one.container)) == 0
	count([1 | some linked in linked_poolers; linked.path == one.path; contains(linked.reason, kind.variable)]) == 0
}

heard_by_file := [{
	"made": one.made,
	"container": pooler,
	"port": port,
	"by": "listen_port",
	"cure": "Set listen_port = %d",
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	not placeholder.holds(one.text)
	not regex.match(`(?m)^\s*%include`, one.text)
	poolers_of_it := [pooler | some pooler in get.list(one.made, ["spec", "template", "spec", "containers"]); takes_its_file(pooler)]
	count(poolers_of_it) == 1
	pooler := poolers_of_it[0]
	regex.match(`(?m)^\s*listen_addr\s*=\s*\S`, one.text)
	port := port_of_ini(one.text)
]

port_of_ini(ini) := to_number(match[1]) if some match in regex.find_all_string_submatch_n(`(?m)^\s*listen_port\s*=\s*([1-9][0-9]{1,4})\s*$`, ini, 1)

port_of_ini(ini) := 6432 if not regex.match(`(?m)^\s*listen_port\s*=`, ini)

ports_of_services(one) := [{"port": missed[0], "reason": sprintf("Service %s leads to %d: every connection is refused", [name, missed[0]])} |
	some name in sort(services_of(one.made))
	entries := get.list(inventory.namespaced_object(k8s.namespace, "v1", "Service", name), ["spec", "ports"])
	targets := [port | some entry in entries; port := port_called(object.get(entry, "targetPort", object.get(entry, "port", null)), one.made)]
	count(targets) == count(entries)
	not one.port in targets
	missed := [port | some port in targets; of_the_pooler(port, one)]
	count(missed) > 0
]

ports_of_probes(one) := [{"port": port, "reason": sprintf("its %s probe asks for %d: the kubelet kills it again and again", [word, port])} |
	some word in ["liveness", "startup"]
	port := port_called(object.get(one.container, [sprintf("%sProbe", [word]), "tcpSocket", "port"], null), one.made)
	port != one.port
	of_the_pooler(port, one)
]

port_called(value, _) := value if is_number(value)

port_called(value, _) := to_number(value) if regex.match(`^[0-9]{1,5}$`, value)

port_called(value, made) := found[0] if {
	regex.match(`^[a-z]`, value)
	found := [entry.containerPort | some one in get.list(made, ["spec", "template", "spec", "containers"]); some entry in get.list(one, "ports"); entry.name == value]
	is_number(found[0])
}

# And no other container's.
of_the_pooler(_, one) if count(get.list(one.made, ["spec", "template", "spec", "containers"])) == 1

of_the_pooler(port, one) if {
	count(get.list(one.made, ["spec", "template", "spec", "containers"])) > 1
	some entry in get.list(one.container, "ports")
	entry.containerPort == port
}
