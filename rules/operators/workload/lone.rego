package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.workloads

# What clients by themselves want that no server brings, whichever it is and whether or not they name it.

# METADATA
# description: Those among the facts of a change that make one of an object without a server.
lone_faults := array.concat(lone_keys, lone_lost)

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

lone_containers := [{"container": one, "index": i, "path": array.concat(outsider_path, [list, i])} |
	workloads.unaccompanied
	k8s.kind in {"CronJob", "Deployment", "Job", "StatefulSet"}
	not server
	not generated
	some list in ["containers", "initContainers"]
	some i, one in get.list(k8s.object, array.concat(outsider_path, [list]))
	is_object(one)
]
