# METADATA
# description: |
#   Sizes of machines that the name of their type tells, and the types that pods ask for. Only families where a name tells
#   it without exception; the rest is unknown.
# related_resources:
#   - https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesioinstance-type
#   - https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
#   - https://cloud.google.com/compute/docs/machine-resource
#   - https://learn.microsoft.com/azure/virtual-machines/vm-naming-conventions
#   - https://www.alibabacloud.com/help/en/ecs/user-guide/overview-of-instance-families
package walguard.lib.machine

import data.walguard.lib.get

labels := ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"]

# METADATA
# description: |
#   The types that pods may run on, by the paths of their nodeSelector and of their nodeAffinity, as a fact whose value is a list.
#   Of several terms of an affinity any may be met: each must name types. Undefined when any machine will do.
types(parent, selector_path, _) := {"value": [name], "origin": "written", "path": array.concat(selector_path, [label])} if {
	label := chosen(parent, selector_path)[0]
	name := get.string(parent, array.concat(selector_path, [label]))
}

types(parent, selector_path, affinity_path) := {"value": names, "origin": "written", "path": terms_path} if {
	count(chosen(parent, selector_path)) == 0
	terms_path := array.concat(affinity_path, ["requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"])
	terms := get.list(parent, terms_path)
	count(terms) > 0
	each := [listed | some term in terms; listed := listed_types(term)]
	count([1 | some listed in each; count(listed) > 0]) == count(terms)
	names := [name | some listed in each; some name in listed]
}

chosen(parent, selector_path) := [label | some label in labels; get.string(parent, array.concat(selector_path, [label]))]

listed_types(term) := [name |
	some expression in get.list(term, "matchExpressions")
	is_object(expression)
	expression.key in labels
	get.string(expression, "operator") == "In"
	some name in get.list(expression, "values")
	is_string(name)
]

# METADATA
# description: What a type has, {"cores_thousandths", "memory_bytes"}. Undefined when its name does not tell.
size(name) := {"cores_thousandths": cores * 1000, "memory_bytes": (cores * gibibytes) * 1073741824} if {
	[cores, gibibytes] := shape(name)
}

# Cores and GiB for each. A size counts cores from "large", which has two.
shape(name) := [xlarge(found[0][3]), {"m": 4, "c": 2, "r": 8}[found[0][1]]] if {
	found := regex.find_all_string_submatch_n(`^([mcr])([5-9][a-z]*(?:-flex)?)\.([0-9]*x?large)$`, name, 1)
	not startswith(name, "c5n.")
}

shape(name) := [xlarge(found[0][1]), 8] if found := regex.find_all_string_submatch_n(`^i(?:4i|4g|7i|7ie|8g)\.([0-9]*x?large)$`, name, 1)

shape(name) := [xlarge(found[0][2]), {"g": 4, "c": 2, "r": 8}[found[0][1]]] if {
	found := regex.find_all_string_submatch_n(`^ecs\.([gcr])[6-9][a-z]*\.([0-9]*x?large)$`, name, 1)
}

shape(name) := [to_number(found[0][2]), {"standard": 4, "highmem": 8}[found[0][1]]] if {
	found := regex.find_all_string_submatch_n(`^(?:n2|n2d|e2|c3|c3d|t2d)-(standard|highmem)-([1-9][0-9]{0,2})$`, name, 1)
}

# The largest of the E series have less memory for each core.
shape(name) := [cores, {"d": 4, "e": 8}[found[0][1]]] if {
	found := regex.find_all_string_submatch_n(`^standard_([de])([1-9][0-9]?)[a-z]*_v[3-6]$`, get.lower_case(name), 1)
	cores := to_number(found[0][2])
	cores <= 48
}

xlarge("large") := 2

xlarge("xlarge") := 4

xlarge(text) := 4 * to_number(multiple) if {
	multiple := trim_suffix(text, "xlarge")
	regex.match(`^[1-9][0-9]?$`, multiple)
}
