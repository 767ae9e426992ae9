# METADATA
# title: The pods ask for nearly all of a node
# description: |
#   A node keeps some of its CPU and memory for the kubelet, the container runtime and the system, and DaemonSets take more: what is
#   left for pods is what the cloud reserves subtracted. S0 runs on nodes of 16 cores and 64 GB with requests and limits of 14 and 56, 87.5 % of
#   each, as "resources are probably consumed by agents like kubelet"; beyond that a pod may find no node, or share its last memory with
#   them. The size of a node is known where the pods ask for its type (nodeSelector, nodeAffinity) and its name tells the size.
# related_resources:
#   - https://kubernetes.io/docs/tasks/administer-cluster/reserve-compute-resources/
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Ask for at most seven eighths of the node, or for larger nodes.
#   sources: [S0, S3]
#   settings:
#     permille: {default: 875, description: Thousandths of a node that pods may ask for.}
package walguard.checks.memory.node_headroom

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.machine
import data.walguard.lib.memory
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.model

# Larger than all machines of the types: the pods stay Pending.
findings contains f if {
	some ask in asks
	ask.amount > ask.largest
	f := finding.with_severity(
		finding.at(ask.place, sprintf("Requests %s of %s%s, more than the largest node allowed has (%s, %s): the pods stay Pending. Request less, or allow larger nodes.", [
			ask.amount_text,
			ask.what,
			ask.of,
			ask.type,
			ask.largest_text,
		])),
		"warning",
	)
}

findings contains f if {
	some ask in asks
	ask.amount <= ask.largest
	ask.amount * 1000 > ask.largest * permille
	f := finding.at(ask.place, sprintf("Requests %s of %s%s, and a %s has %s: the kubelet, the system and DaemonSets need the rest and more. Request at most %s %% of a node, or larger nodes.", [
		ask.amount_text,
		ask.what,
		ask.of,
		ask.type,
		ask.largest_text,
		text.tenths(permille),
	]))
}

permille := settings.number("memory/node_headroom", "permille")

asks := [ask |
	some set in get.list(model.cluster, "instance_sets")
	names := set.node_types.value
	sizes := [[size, name] | some name in names; size := machine.size(name)]
	count(sizes) == count(names)
	some what in [
		{"name": "memory", "size": "memory_bytes", "unit": "bytes"},
		{"name": "cpu", "size": "cores_thousandths", "unit": "cores"},
	]
	amount := requested(set, what.name)
	largest := max([size[what.size] | some [size, _] in sizes])
	type := sort([name | some [size, name] in sizes; size[what.size] == largest])[0]
	ask := {
		"what": what.name,
		"of": memory.of(set),
		"amount": amount,
		"amount_text": written(amount, what.unit),
		"largest": largest,
		"largest_text": written(largest, what.unit),
		"type": type,
		"place": object.union({"path": set.resources_path}, object.filter(set, ["resource"])),
	}
]

# Without a request the limit is one.
requested(set, "memory") := quantity.bytes(asked(set, "memory"))

requested(set, "cpu") := quantity.thousandths(asked(set, "cpu"))

# A request of `false` is one that nobody can read, and no reason to take the limit.
asked(set, name) := amount if {
	amount := set.resources.requests[name]
} else := set.resources.limits[name]

written(amount, "bytes") := text.bytes(amount)

written(amount, "cores") := sprintf("%s cores", [text.thousandths(amount)])
