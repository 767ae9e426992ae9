# METADATA
# description: What memory the instances may use, and what of it shared_buffers takes.
package walguard.lib.memory

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.lib.quantity
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.limits

# METADATA
# description: |
#   The instance sets whose memory is known, by index: {"of" ("" or " of the set NAME", for messages), "path" (of the resources),
#   "resource"?, "limit_bytes", "by"? (who limits it, where that is not written here, for messages), "huge_bytes" (huge pages that the pods may use), "total_bytes" (both)}.
sets[i] := known if {
	some i, set in get.list(model.cluster, "instance_sets")
	bound := bound_of(set)
	limit_bytes := bound.bytes
	limit_bytes > 0
	huge_bytes := huge(set.resources)
	known := object.union_n([
		{
			"of": of(set),
			"path": set.resources_path,
			"limit_bytes": limit_bytes,
			"huge_bytes": huge_bytes,
			"total_bytes": limit_bytes + huge_bytes,
		},
		object.filter(set, ["resource"]),
		object.filter(bound, ["by"]),
	])
}

# A VerticalPodAutoscaler keeps the ratio of limit and request that is written, and a LimitRange fills in what is not.
bound_of(set) := {"bytes": scaled, "by": sprintf(" to which VerticalPodAutoscaler %s may lower it", [most.scaler])} if {
	written := quantity.bytes(set.resources.limits.memory)
	most := limits.most_by_autoscaler(set)
	scaled := floor((quantity.bytes(most.value) * written) / requested(set))
	scaled < written
} else := {"bytes": quantity.bytes(set.resources.limits.memory)} if {
	set.resources.limits.memory
} else := {"bytes": quantity.bytes(given.value), "by": sprintf(" by LimitRange %s", [given.range])} if {
	not model.cluster.machine
	given := limits.default_of("memory")
}

# Without a request the limit is it.
requested(set) := n if {
	n := quantity.bytes(set.resources.requests.memory)
	n > 0
} else := quantity.bytes(set.resources.limits.memory)

# METADATA
# description: Where the memory limit of one of these sets is written, as a fact.
limit(known) := object.union({"path": array.concat(known.path, ["limits", "memory"])}, object.filter(known, ["resource"]))

# METADATA
# description: The huge pages of a set in bytes, of all sizes. Kubernetes wants requests and limits to be the same.
huge(resources) := sum([n |
	some name, amount in resources.limits
	startswith(name, "hugepages-")
	n := quantity.bytes(amount)
])

# METADATA
# description: '" of the set NAME" where a cluster has several sets, for messages.'
of(set) := sprintf(" of the set %s", [set.name]) if several

of(_) := "" if not several

several if count(model.cluster.instance_sets) > 1

# METADATA
# description: What a message calls the memory of a set.
label(known) := sprintf("the memory limit%s of %s%s", [known.of, size(known.limit_bytes), object.get(known, "by", "")]) if {
	not model.cluster.machine
	known.huge_bytes == 0
}

label(known) := sprintf("the machine's memory of %s", [size(known.limit_bytes)]) if model.cluster.machine

label(known) := sprintf("the memory limit%s of %s with %s of huge pages", [known.of, size(known.limit_bytes), size(known.huge_bytes)]) if known.huge_bytes > 0

# As it is written, "16Gi"; in tenths where it is no whole number of its unit.
size(n) := disk.size_text(n) if n % 1073741824 == 0

size(n) := text.bytes(n) if n % 1073741824 != 0

# METADATA
# description: True when shared_buffers lie in huge pages, which do not count against the memory limit.
buffers_in_huge_pages(known) if {
	known.huge_bytes >= model.bytes("shared_buffers")
	model.parameter("huge_pages").value != "off"
}
