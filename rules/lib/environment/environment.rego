# METADATA
# description: The variables of a container, as far as they are known.
package walguard.lib.environment

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: Their values by name.
values(container) := object.union(
	object.union_n([found | some source in get.list(container, "envFrom"); found := from_map(source)]),
	{name: value |
		listed := get.list(container, "env")
		some name, i in get.last_of_each([[of, k] | some k, variable in listed; is_object(variable); of := get.string(variable, "name")])
		value := value_of(listed[i])
	},
)

value_of(variable) := get.string(variable, "value")

value_of(variable) := keyed(variable).value if not get.string(variable, "value")

# METADATA
# description: A key of a ConfigMap or a Secret in sight, {"value", "path", "resource"}, or an annotation or a label of the pods themselves, {"value", "path"}; an API server is asked for no Secret.
keyed(variable) := found[0] if {
	found := array.concat(
		[{"value": entry.text, "path": entry.path, "resource": k8s.reference(holder)} |
			some [field, kind] in [["configMapKeyRef", "ConfigMap"], ["secretKeyRef", "Secret"]]
			holder := inventory.namespaced_object(k8s.namespace, "v1", kind, get.string(variable, ["valueFrom", field, "name"]))
			some entry in files.entries(holder)
			entry.key == get.string(variable, ["valueFrom", field, "key"])
		],
		[{"value": value, "path": path} |
			field := get.string(variable, ["valueFrom", "fieldRef", "fieldPath"])
			some parts in regex.find_all_string_submatch_n(`^metadata\.(annotations|labels)\['([^']+)'\]$`, field, 1)
			path := array.concat(metadata_of_pods, [parts[1], parts[2]])
			value := get.string(k8s.object, path)
		],
	)
	count(found) > 0
}

metadata_of_pods := ["metadata"] if k8s.kind == "Pod"

metadata_of_pods := ["spec", "jobTemplate", "spec", "template", "metadata"] if k8s.kind == "CronJob"

metadata_of_pods := ["spec", "template", "metadata"] if not k8s.kind in {"CronJob", "Pod"}

from_map(source) := {name: one.value | some name, one in entries(source)}

# METADATA
# description: "The variables of an item of envFrom by name: the value, the path and the resource of each."
entries(source) := {concat("", [object.get(source, "prefix", ""), entry.key]): {"value": entry.text, "path": entry.path, "resource": k8s.reference(holder)} |
	some [field, kind] in [["configMapRef", "ConfigMap"], ["secretRef", "Secret"]]
	holder := inventory.namespaced_object(k8s.namespace, "v1", kind, get.string(source, [field, "name"]))
	some entry in files.entries(holder)
	entry.path[0] != "binaryData"
} if {
	is_object(source)
}

# METADATA
# description: The names of the Secrets that a container takes variables from, as a set.
secrets(container) := {name | some variable in get.list(container, "env"); name := get.string(variable, ["valueFrom", "secretKeyRef", "name"])} | {name |
	some source in get.list(container, "envFrom")
	name := get.string(source, ["secretRef", "name"])
}
