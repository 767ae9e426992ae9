# METADATA
# description: |
#   Containers that take from a server the WAL which it needs to recover, or other files of its data.
#   found      list of {"name", "what": in words, "path"}: those of its own pods, which do so whenever they start
#   elsewhere  the same of pods that run no server
package walguard.model.cuts

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.script
import data.walguard.model
import data.walguard.model.containers

found := [{"name": cluster.name_or(container, i), "what": what, "path": array.concat(path, [i])} |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	some what in script.cuts(concat("\n", containers.texts(container, pod)))
]

elsewhere := get.list(model.cluster, "cuts")
