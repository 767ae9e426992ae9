# METADATA
# description: |
#   Values of another type where the API server takes text alone. YAML reads an unquoted 5432, 1.0, yes or on as a number or a boolean, and the API server refuses the whole object:
#   "cannot unmarshal number into Go struct field EnvVar.value of type string". Read are variables and words of the containers, labels and annotations of the object and its
#   pods, and the ConfigMaps and Secrets that the pods name; of clients the variables of containers that name the server, and the ConfigMaps that name it.
# related_resources:
#   - https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#envvar-v1-core
package walguard.model.texts

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.text as words
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.addresses

# METADATA
# description: '[{"what": in words, "value", "kind": "number" | "boolean", "path", "resource"?}]'
wrong := array.concat(array.concat(of_containers, array.concat(of_metadata, of_operators)), array.concat(of_sources, of_clients))

of_containers := [found |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	some found in of_container(container, array.concat(path, [i]), cluster.name_or(container, i))
]

of_container(container, path, name) := array.concat(
	[{"what": sprintf("variable %s of container %s", [get.string(variable, "name"), name]), "value": variable.value, "kind": kind, "path": array.concat(path, ["env", k, "value"])} |
		some k, variable in get.list(container, "env")
		is_object(variable)
		kind := kind_of(variable.value)
	],
	[{"what": sprintf("a word of %s of container %s", [field, name]), "value": word, "kind": kind, "path": array.concat(path, [field, k])} |
		some field in ["command", "args"]
		some k, word in get.list(container, field)
		kind := kind_of(word)
	],
)

of_metadata := [{"what": sprintf("%s %s", [singular[field], key]), "value": value, "kind": kind, "path": array.concat(path, [key])} |
	model.cluster
	some field in ["labels", "annotations"]
	some path in [["metadata", field], ["spec", "template", "metadata", field], ["spec", "selector", "matchLabels"]]
	field == {true: "labels", false: field}["matchLabels" in path]
	some key, value in get.map(k8s.object, path)
	kind := kind_of(value)
]

# Variables and metadata that operators take over into pods and Services.
of_operators := array.concat(
	[{"what": sprintf("variable %s", [object.get(variable, "name", "")]), "value": variable.value, "kind": kind, "path": array.concat(path, [i, "value"])} |
		some pod in model.cluster.pods
		some path in pod.environment
		count([1 | some part in path; part in {"containers", "initContainers"}]) == 0
		some i, variable in get.list(k8s.object, path)
		is_object(variable)
		kind := kind_of(variable.value)
	],
	[{"what": sprintf("%s %s", [singular[field], key]), "value": value, "kind": kind, "path": array.concat(path, [field, key])} |
		model.cluster
		some path in metadata_of_operators
		some field, _ in singular
		some key, value in get.map(k8s.object, array.concat(path, [field]))
		kind := kind_of(value)
	],
)

# Of CloudNativePG, PGO, Percona's operator and KubeBlocks; Zalando's schema and that of StackGres are read with them.
metadata_of_operators := array.concat(
	[["spec", "inheritedMetadata"], ["spec", "metadata"], ["spec", "service", "metadata"], ["spec", "expose"], ["spec", "backups", "pgbackrest", "metadata"], ["spec", "proxy", "pgBouncer", "metadata"], ["spec", "proxy", "pgBouncer", "service", "metadata"], ["spec", "proxy", "pgBouncer", "expose"]],
	array.concat(
		array.concat(
			[["spec", "instances", i, "metadata"] | some i, _ in get.list(k8s.object, ["spec", "instances"])],
			[["spec", "componentSpecs", i] | some i, _ in get.list(k8s.object, ["spec", "componentSpecs"])],
		),
		[["spec", "managed", "services", "additional", i, "serviceTemplate", "metadata"] | some i, _ in get.list(k8s.object, ["spec", "managed", "services", "additional"])],
	),
)

singular := {"labels": "label", "annotations": "annotation"}

of_sources := [{"what": sprintf("key %s of %s %s", [key, source.kind, source.metadata.name]), "value": value, "kind": kind, "path": [field, key], "resource": k8s.reference(source)} |
	count(named) > 0
	some [of, field] in [["ConfigMap", "data"], ["Secret", "stringData"], ["Secret", "data"]]
	some source in inventory.list(k8s.namespace, "v1", of)
	concat("/", [of, get.string(source, ["metadata", "name"])]) in named
	some key, value in get.map(source, field)
	kind := kind_of(value)
]

# Kind/name of what the pods read.
named := {sprintf("%s/%s", [of, name]) |
	some pod in model.cluster.pods
	some list in pod.containers
	some container in get.list(k8s.object, list)
	some [of, name] in by_container(container)
} | {sprintf("%s/%s", [of, name]) |
	some pod in model.cluster.pods
	some volume in get.list(k8s.object, pod.volumes)
	some [of, path] in [["ConfigMap", ["configMap", "name"]], ["Secret", ["secret", "secretName"]]]
	name := get.string(volume, path)
}

by_container(container) := array.concat(
	[[of, name] |
		some source in get.list(container, "envFrom")
		some [of, path] in [["ConfigMap", ["configMapRef", "name"]], ["Secret", ["secretRef", "name"]]]
		name := get.string(source, path)
	],
	[[of, name] |
		some variable in get.list(container, "env")
		some [of, path] in [["ConfigMap", ["valueFrom", "configMapKeyRef", "name"]], ["Secret", ["valueFrom", "secretKeyRef", "name"]]]
		name := get.string(variable, path)
	],
)

kind_of(value) := "number" if is_number(value)

kind_of(value) := "boolean" if is_boolean(value)

# A client whose variables name the server, or a ConfigMap that does.
of_clients := array.concat(
	[{"what": sprintf("variable %s of %s", [get.string(variable, "name"), one.made.words]), "value": variable.value, "kind": kind, "path": array.concat(one.path, ["env", k, "value"]), "resource": one.made.resource} |
		count(addresses.hosts) > 0
		some one in workloads.containers
		workloads.beside(one.made)
		listed := get.list(one.container, "env")
		some k, variable in listed
		is_object(variable)
		kind := kind_of(variable.value)
		names_server([value | some other in listed; value := get.string(other, "value")])
	],
	[{"what": sprintf("key %s of ConfigMap %s", [key, get.string(source, ["metadata", "name"])]), "value": value, "kind": kind, "path": ["data", key], "resource": k8s.reference(source)} |
		count(addresses.hosts) > 0
		some source in inventory.list(k8s.namespace, "v1", "ConfigMap")
		held := get.map(source, "data")
		some key, value in held
		kind := kind_of(value)
		not sprintf("ConfigMap/%s", [get.string(source, ["metadata", "name"])]) in named
		names_server([said | some said in held; is_string(said)])
	],
)

names_server(values) if {
	some value in values
	split(words.host(value), ".")[0] in addresses.hosts
}
