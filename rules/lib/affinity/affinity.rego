# METADATA
# description: |
#   The affinity of a pod, as the API server validates it (pkg/apis/core/validation, ValidateAffinity) and the schemas of the operators take it over: a preferred term has a weight and
#   the term itself below podAffinityTerm or preference, a required one of pods is the term itself, and one of nodes stands below nodeSelectorTerms.
package walguard.lib.affinity

import data.walguard.lib.get
import data.walguard.lib.placeholder

ways := {
	"preferred": "preferredDuringSchedulingIgnoredDuringExecution",
	"required": "requiredDuringSchedulingIgnoredDuringExecution",
}

# METADATA
# description: The sections of an affinity at a path that are written.
sections(root, path) := [array.concat(path, [field]) |
	some field in ["nodeAffinity", "podAffinity", "podAntiAffinity"]
	is_object(object.get(root, array.concat(path, [field]), null))
]

# METADATA
# description: What is refused of the section at a path, [{"path", "reason", "cure"}].
faults(root, path) := [{"path": at, "reason": fault[0], "cure": fault[1]} |
	section := object.get(root, path, null)
	is_object(section)
	kind := kinds[path[count(path) - 1]]
	some way, list in ways
	some [at, fault] in array.concat(
		[[array.concat(path, [list]), fault] | fault := fault_of_list(kind, way, section[list])],
		[[array.concat(path, [list, i]), fault] |
			some i, term in get.list(section, list)
			is_object(term)
			count(term) > 0
			count([1 | some key, _ in term; placeholder.holds(key)]) == 0
			fault := fault_of(kind, way, term)
		],
	)
]

# Of the operators some call them otherwise.
kinds := {"additionalPodAffinity": "pod", "additionalPodAntiAffinity": "pod", "nodeAffinity": "node", "podAffinity": "pod", "podAntiAffinity": "pod"}

fault_of_list("pod", way, value) := [sprintf("%s is a map", [ways[way]]), "Write a list of terms"] if is_object(value)

fault_of_list("node", "preferred", value) := [sprintf("%s is a map", [ways.preferred]), "Write a list of terms with weight and preference"] if is_object(value)

fault_of_list("node", "required", value) := [sprintf("%s is a list", [ways.required]), "Write nodeSelectorTerms below it"] if {
	is_array(value)
	count(value) > 0
}

fault_of_list("node", "required", value) := [sprintf("%s of nodeAffinity has no nodeSelectorTerms", [ways.required]), "Write nodeSelectorTerms below it"] if {
	is_object(value)
	count(value) > 0
	not get.present(value, "nodeSelectorTerms")
	count([1 | some key, _ in value; placeholder.holds(key)]) == 0
}

inner := {"node": "preference", "pod": "podAffinityTerm"}

fault_of(kind, "preferred", term) := ["a preferred term stands without weight", sprintf("Write weight: 100 and the rest below %s", [inner[kind]])] if {
	not get.present(term, "weight")
} else := [sprintf("a preferred term stands without %s", [inner[kind]]), sprintf("Write it below %s, beside weight", [inner[kind]])] if {
	not get.present(term, inner[kind])
} else := [sprintf("weight is %s", [get.text(term.weight)]), "Write 1 to 100"] if {
	out_of_range(get.number(term, "weight"))
} else := ["a term of podAffinityTerm stands without topologyKey", "Write topologyKey: kubernetes.io/hostname"] if {
	kind == "pod"
	without_key(object.get(term, "podAffinityTerm", null))
}

fault_of("pod", "required", term) := ["a required term stands below podAffinityTerm, which preferred terms have", "Write labelSelector and topologyKey in the term itself, without podAffinityTerm and weight"] if {
	get.present(term, "podAffinityTerm")
} else := ["a required term stands without topologyKey", "Write topologyKey: kubernetes.io/hostname"] if {
	without_key(term)
}

out_of_range(weight) if weight < 1

out_of_range(weight) if weight > 100

without_key(term) if {
	is_object(term)
	count([1 | some key, _ in term; placeholder.holds(key)]) == 0
	object.get(term, "topologyKey", "") in {"", null}
}
