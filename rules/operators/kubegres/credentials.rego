package walguard.operators.kubegres

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder

# Kubegres runs the official image, which takes the passwords on its first start, and so does the script that creates the role of the replicas (primary_create_replication_role.sh).
read_once := {"POSTGRES_PASSWORD", "POSTGRES_REPLICATION_PASSWORD"}

facts contains {"first_start": first_start} if count(first_start) > 0

first_start := {name: {"value": value, "path": ["spec", "env", i, "value"]} |
	reviewed_cluster
	some name, i in places(k8s.object)
	value := get.string(k8s.object, ["spec", "env", i, "value"])
	not placeholder.unknown(value)
}

# The Secret that they come from, under review itself.
cluster := {
	"operator": "Secret",
	"name": k8s.name,
	"namespace": k8s.namespace,
	"partial": true,
	"change": true,
	"parameters": [],
	"parameters_path": [],
	"instance_sets": [],
	"first_start": of_secret,
} if {
	count(of_secret) > 0
}

of_secret := {sprintf("%s of Kubegres %s", [name, made.metadata.name]): object.union(held, {
	"variable": name,
	"path": login.path_of(k8s.object, key),
}) |
	k8s.kind == "Secret"
	k8s.api_version == "v1"
	some made in inventory.list(k8s.namespace, api_version, "Kubegres")
	some name, i in places(made)
	reference := get.map(made, ["spec", "env", i, "valueFrom", "secretKeyRef"])
	get.string(reference, "name") == k8s.name
	key := get.string(reference, "key")
	held := login.held(k8s.object, key)
}

# Of two variables of one name a container has the last.
places(made) := get.last_of_each([[name, i] |
	some i, variable in get.list(made, ["spec", "env"])
	name := get.string(variable, "name")
	name in read_once
])
