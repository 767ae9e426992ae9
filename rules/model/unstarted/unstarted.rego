# METADATA
# description: Programs beside the cluster under review, or by themselves, that end at a check of their own before they ask for the server.
package walguard.model.unstarted

import data.walguard.lib.client
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: '[{"client", "reason", "outcome", "cure", "path", "resource"}]'
all := [object.union(object.remove(stop, ["at"]), {"client": one.made.words, "path": array.concat(one.path, stop.at), "resource": one.made.resource}) |
	looked_for
	some one in workloads.containers
	one.list == "containers"
	some stop in array.concat(client.stops(one.container), client.half_named(one.container))
]

looked_for if model.cluster.client

looked_for if {
	not model.cluster.client
	count(model.cluster.hosts) > 0
}
