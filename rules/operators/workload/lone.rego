package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.workloads

# What clients by themselves want that no server brings, whichever it is and whether or not they name it.

# METADATA
# description: Those among the facts of a change that make one of an object without a server.
lone_faults := array.concat(array.concat(lone_keys, lone_lost), array.concat(lone_probes, lone_refused))

# A key of the login to a database.
lone_keys := [found |
	some one in lone_containers
	some found in keys.of_environment(one.path, one.container)
	found.kind == "Secret"
	speaks_to_postgres(one.container)
	about_the_database(get.string(k8s.object, array.concat(array.slice(found.path, 0, count(found.path) - 2), ["name"])), found.key)
]

speaks_to_postgres(one) if {
	some variable in get.list(one, "env")
	regex.match(`(^|_)(PG[A-Z]*|POSTGRES[A-Z]*)(_|$)`, get.upper_case(get.string(variable, "name")))
}

speaks_to_postgres(one) if {
	some variable in get.list(one, "env")
	regex.match(`postgres`, get.string(variable, "value"))
}

# The entrypoint of edoburu's image.
lone_lost := [{
	"client": sprintf("%s %s", [k8s.kind, k8s.name]),
	"reason": "has no DB_HOST and no DATABASE_URL, and the entrypoint of its image stops there (\"You must set DB_HOST env\")",
	"cure": "Set DB_HOST",
	"level": "error",
	"path": array.concat(one.path, ["env"]),
} |
	some one in lone_containers
	without_a_backend({"container": one.container, "list": "containers", "made": {"kind": k8s.kind}})
]

# By the API server, which looks at the key before anybody looks for it.
lone_refused := [refused_for(sprintf("%s %s", [k8s.kind, k8s.name]), found) |
	some one in lone_containers
	concerns_postgres(one.container)
	some found in keys.refused(one.path, one.container)
]

# The same beside the server.
refused_clients := [object.union(refused_for(one.made.words, found), {"resource": one.made.resource}) |
	server
	some one in workloads.containers
	not workloads.itself(one.made)
	needs_this_server(one.container)
	some found in keys.refused(one.path, one.container)
]

refused_for(words, found) := {
	"client": words,
	"reason": sprintf("asks %s for a key with %q (%s), which no key may have", [found.holder, found.mark, found.variable]),
	"outcome": "the API server refuses it",
	"cure": "Write the name of a key there, and what it stands for below that key",
	"level": "error",
	"path": found.path,
}

concerns_postgres(one) if speaks_to_postgres(one)

concerns_postgres(one) if regex.match(`postgres|pgbouncer|pgpool|pgadmin`, get.string(one, "image"))

concerns_postgres(_) if client_alone

# The kubelet looks a name up among the ports of the container, and a probe of none fails.
lone_probes := [{
	"client": sprintf("Container %s", [get.string(one.container, "name")]),
	"reason": sprintf("has a %s for port %s, and no port of that name", [field, port]),
	"outcome": "the probe fails each time, and what waits for it does not start",
	"cure": "Write the number, or add the name to its ports",
	"level": "error",
	"path": array.concat(one.path, [field, handler, "port"]),
} |
	client_alone
	some one in lone_containers
	workloads.between(one.container)
	some field in ["livenessProbe", "readinessProbe", "startupProbe"]
	some handler in ["httpGet", "tcpSocket"]
	port := get.string(one.container, [field, handler, "port"])
	regex.match(`^[A-Za-z0-9-]*[A-Za-z][A-Za-z0-9-]*$`, port)
	count([1 | some listed in get.list(one.container, "ports"); object.get(listed, "name", port) == port]) == 0
]

lone_containers := [{"container": one, "index": i, "path": array.concat(outsider_path, [list, i])} |
	workloads.unaccompanied
	k8s.kind in {"CronJob", "Deployment", "Job", "StatefulSet"}
	not server
	not generated
	some list in ["containers", "initContainers"]
	some i, one in get.list(k8s.object, array.concat(outsider_path, [list]))
	is_object(one)
]
