# METADATA
# description: Where pods may run, from a nodeSelector and a nodeAffinity, as far as they leave one node or one zone.
# related_resources:
#   - https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
package walguard.lib.scheduling

import data.walguard.lib.fact
import data.walguard.lib.get

node_labels := {"kubernetes.io/hostname"}

zone_labels := {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"}

# METADATA
# description: The one node that all pods must run on, as a fact whose value says how; undefined where there may be several.
pinned_node(parent, selector_path, affinity_path) := fact.written(sprintf("every instance must run on node %s", [found.value]), found.path) if {
	found := only(parent, selector_path, affinity_path, node_labels)
}

# METADATA
# description: The one zone, as a fact with its name.
pinned_zone(parent, selector_path, affinity_path) := fact.written(found.value, found.path) if {
	found := only(parent, selector_path, affinity_path, zone_labels)
}

# METADATA
# description: 'The only value that one of these labels of a node may have, {"value", "path"}.'
only(parent, selector_path, affinity_path, labels) := found[0] if {
	found := array.concat(
		[{"value": value, "path": array.concat(selector_path, [label])} |
			some label in labels
			value := get.string(parent, array.concat(selector_path, [label]))
		],
		[choice | some choice in required(parent, affinity_path, labels)],
	)
}

# Of several terms one is enough, so that only a single term binds.
required(parent, affinity_path, labels) := [{"value": value, "path": array.concat(terms_path, [0, "matchExpressions", i])} |
	terms_path := array.concat(affinity_path, ["requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"])
	terms := get.list(parent, terms_path)
	count(terms) == 1
	some i, expression in get.list(terms[0], "matchExpressions")
	get.string(expression, "key") in labels
	get.string(expression, "operator") == "In"
	values := get.list(expression, "values")
	count(values) == 1
	value := values[0]
	is_string(value)
]
