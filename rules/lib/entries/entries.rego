# METADATA
# description: |
#   Lists that operators take over into their pods as they are: secrets for images, tolerations and spread constraints, as the API server validates them (pkg/apis/core/validation of
#   Kubernetes: ValidateTolerations, validateTopologySpreadConstraints) and the schemas of the operators want them.
package walguard.lib.entries

import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.lib.text

# METADATA
# description: The names of the lists.
names := ["imagePullSecrets", "tolerations", "topologySpreadConstraints"]

# METADATA
# description: What is refused of the list at a path, which ends with its name, [{"path", "reason", "cure"}].
faults(root, path) := [{"path": at, "reason": fault[0], "cure": fault[1]} |
	name := path[count(path) - 1]
	value := object.get(root, path, null)
	value != null
	some [at, fault] in array.concat(
		[[path, [sprintf("%s is a map", [name]), sprintf("Write a list, with \"- %s: \" before its first entry", [first_of[name]])]] |
			is_object(value)
			count(value) > 0
			plain(value)
		],
		[[array.concat(path, [i]), fault] |
			is_array(value)
			some i, entry in value
			fault := fault_of(name, entry)
		],
	)
]

first_of := {"imagePullSecrets": "name", "tolerations": "key", "topologySpreadConstraints": "maxSkew"}

plain(entry) if count([1 | some key, _ in entry; placeholder.holds(key)]) == 0

fault_of(name, entry) := [sprintf("%s has the text %s in place of a map", [name, entry]), sprintf("Write \"- %s: %s\"", [first_of[name], entry])] if {
	is_string(entry)
	entry != ""
	not placeholder.holds(entry)
} else := fault_of_toleration(entry) if {
	name == "tolerations"
	is_object(entry)
	plain(entry)
} else := fault_of_constraint(entry) if {
	name == "topologySpreadConstraints"
	is_object(entry)
	plain(entry)
}

fault_of_toleration(entry) := strange[0] if {
	strange := [[sprintf("%s of a toleration is \"%s\", and no pod is made", [field, word]), sprintf("Write %s", [text.list(words, "or")])] |
		some field, words in {"effect": ["NoExecute", "NoSchedule", "PreferNoSchedule"], "operator": ["Equal", "Exists"]}
		word := get.string(entry, field)
		not word in words
		not word in {"Gt", "Lt"}
		not placeholder.holds(word)
	]
	count(strange) > 0
} else := ["a toleration with operator Exists has a value, and no pod is made", "Take value out, or write operator: Equal"] if {
	get.string(entry, "operator") == "Exists"
	get.string(entry, "value")
} else := ["a toleration has no key and operator Equal, and no pod is made", "Write operator: Exists for all keys, or the key"] if {
	count(entry) > 0
	not get.present(entry, "key")
	get.present(entry, "value")
	object.get(entry, "operator", "Equal") == "Equal"
}

fault_of_constraint(entry) := [sprintf("a spread constraint has no %s", [lacking[0]]), sprintf("Write %s", [said[lacking[0]]])] if {
	count(entry) > 1
	lacking := [field | some field in ["maxSkew", "topologyKey", "whenUnsatisfiable"]; object.get(entry, field, null) == null]
	count(lacking) > 0
} else := [sprintf("whenUnsatisfiable is \"%s\"", [word]), "Write DoNotSchedule or ScheduleAnyway"] if {
	word := get.string(entry, "whenUnsatisfiable")
	not word in {"DoNotSchedule", "ScheduleAnyway"}
	not placeholder.holds(word)
} else := [sprintf("maxSkew of a spread constraint is %s", [get.shown(skew)]), "Write 1 or more"] if {
	skew := get.number(entry, "maxSkew")
	skew < 1
}

said := {"maxSkew": "maxSkew: 1", "topologyKey": "topologyKey: kubernetes.io/hostname", "whenUnsatisfiable": "whenUnsatisfiable: ScheduleAnyway, or DoNotSchedule"}
