# METADATA
# description: |
#   The containers that a manifest adds to the pods of a cluster (its adapter says where: "pods" of walguard.model).
#
#   imageless  list of {"name", "path"}: those that have no image
package walguard.model.containers

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.model

imageless := [{"name": cluster.name_or(container, i), "path": array.concat(path, [i])} |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	object.get(container, "image", "") in {"", null}
]
