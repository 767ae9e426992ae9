package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# Variables in the address of a store, which neither the operator nor its plugin replaces by those of the pods: the text reaches Barman Cloud as it is. Of a file that is known where the variable is one of those that the pods
# are given, and where nothing else is left to a later step.
unexpanded := [object.union(object.filter(one, ["resource"]), {
	"path": array.concat(one.path, [field]),
	"reason": sprintf("%s has the variable %s, which the operator does not replace%s: Barman Cloud gets the text as it is, and nothing is archived, backed up or read there", [field, name, {"error": "", "warning": " by one of envFrom"}[level]]),
	"cure": "Write the address itself",
	"level": level,
}) |
	operator
	some one in written_stores
	some field in ["endpointURL", "destinationPath"]
	match := regex.find_all_string_submatch_n(variable_form, get.string(one.settings, field), 1)[0]
	name := match[0]
	level := certainty(match[1], one)
]

variable_form := `\$[{(]([A-Za-z_][A-Za-z0-9_]*)[})]`

written_stores := array.concat(
	[{"settings": get.map(k8s.object, path), "path": path, "variables": get.list(spec, "env")} |
		some path in array.concat([["spec", "backup", "barmanObjectStore"]], [["spec", "externalClusters", i, "barmanObjectStore"] | some i, _ in get.list(spec, "externalClusters")])
		get.present(k8s.object, path)
	],
	[{"settings": get.map(store, path), "path": path, "variables": array.concat(get.list(spec, "env"), get.list(store, ["spec", "instanceSidecarConfiguration", "env"])), "resource": k8s.reference(store)} |
		path := ["spec", "configuration"]
		some name in store_names
		store := inventory.namespaced_object(k8s.namespace, object_stores, "ObjectStore", name)
	],
)

certainty(_, _) := "error" if not placeholder.honoured

certainty(name, one) := level if {
	placeholder.honoured
	level := known_to_pods(name, one.variables)
	count([1 | some other in left_open; other != name]) == 0
}

known_to_pods(name, variables) := "error" if {
	some variable in variables
	get.string(variable, "name") == name
	not placeholder.holds(object.get(variable, "value", ""))
} else := "warning" if {
	count(get.list(spec, "envFrom")) > 0
	regex.match(`^(AWS|AZURE|GCS|GOOGLE|MINIO|R2|S3)_`, name)
}

# What a step of some kind is to fill in of the cluster and its stores.
left_open := {trim(text, "$(){}") |
	some held in array.concat([k8s.object], [store | some name in store_names; store := inventory.namespaced_object(k8s.namespace, object_stores, "ObjectStore", name)])
	some text in regex.find_n(`\$[{(][^})]*[})]|\{\{[^}]*\}\}`, json.marshal(held), -1)
} | {kustomization.metadata.name |
	some version in ["v1", "v1beta2"]
	some kustomization in inventory.in_all_files(sprintf("kustomize.toolkit.fluxcd.io/%s", [version]), "Kustomization")
	get.present(kustomization, ["spec", "postBuild"])
}
