package walguard.model.tools

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.dumps

# METADATA
# description: |
#   Containers beside the server's whose image is not there any more (walguard.lib.image.gone): those that a manifest adds to the pods of the cluster, and those of pods that name it.
#   {"reference", "row", "follows": a clause, "path", "resource"?}.
gone := array.concat(gone_beside, gone_of_clients)

gone_beside := [object.union(found, {"path": array.concat(path, [i, "image"]), "follows": consequences[list]}) |
	some pod in model.cluster.pods
	some path in pod.containers
	list := path[count(path) - 1]
	some i, container in get.list(k8s.object, path)
	found := moved(container)
	array.concat(path, [i, "image"]) != object.get(model.cluster, ["image", "path"], [])
]

consequences := {
	"initContainers": "it runs before the server, which on a node without a copy never starts",
	"containers": "on a node without a copy the pod is never ready, and Services lead nowhere",
}

gone_of_clients := [object.union(found, {"path": array.concat(one.path, ["image"]), "resource": one.made.resource, "follows": sprintf("%s does not run on a node without a copy", [one.made.words])}) |
	dumps.asked
	some one in workloads.containers
	workloads.beside(one.made)
	mine(one.made)
	not is_server(one)
	count(get.list(one.made.object, ["metadata", "ownerReferences"])) == 0
	found := moved(one.container)
	dumps.of_the_cluster(array.concat(
		[word | some field in ["command", "args"]; some word in get.list(one.container, field); is_string(word)],
		[value | some variable in get.list(one.container, "env"); value := get.string(variable, "value")],
	))
]

# Another server is reviewed by itself.
is_server(one) if {
	image.name(get.string(one.container, "image")) in {"postgresql", "postgresql-repmgr"}
	one.made.kind in {"Deployment", "StatefulSet"}
	count([1 | some field in ["command", "args"]; get.present(one.container, field)]) == 0
}

# Where each is reviewed by itself, each is told of its own.
mine(_) if not model.cluster.client

mine(made) if workloads.itself(made)

# By its digest an image may be there still.
moved(container) := {"reference": reference, "row": row} if {
	is_object(container)
	reference := get.string(container, "image")
	object.get(container, "imagePullPolicy", "") != "Never"
	not placeholder.unknown(reference)
	not image.digest(reference)
	row := image.gone(reference)
	row.state == "gone"
}
