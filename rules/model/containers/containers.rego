# METADATA
# description: |
#   The containers that a manifest adds to the pods of a cluster (its adapter says where: "pods" of walguard.model).
#
#   setting    list of {"source", "path", "severity", "reason"?}: those that set parameters of the server, which walguard does not read, by their command,
#              a hook, a probe, or a script of a ConfigMap that they mount; and variables that bring code into the server
#   unsynced   list of {"name", "path"}: where a library is loaded into the server that makes fsync do nothing
#   imageless  list of {"name", "path"}: those that have no image, and that nothing gives one before the pod is created
package walguard.model.containers

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.model

setting := array.concat(by_container, by_variable)

by_container := [object.union({"source": sprintf("what container %s runs", [cluster.name_or(container, i)]), "path": array.concat(path, [i])}, consequence) |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	consequence := consequence_of(container, pod)
]

# One that names what loses data is no preparation.
consequence_of(container, pod) := {"severity": severity} if {
	found := [text | some text in texts(container, pod); script.sets(text)]
	count(found) > 0
	severity := severity_of(concat("\n", found))
} else := {"severity": inventory.unread} if {
	script.copies(script.of(container))
	some file in mounted(container, pod)
	regex.match(`^postgresql(\.auto|\.base)?\.conf$`, file.key)
} else := {"severity": inventory.unread, "reason": "it runs what cannot be read"} if {
	script.hides(concat("\n", texts(container, pod)))
}

severity_of(text) := "warning" if script.dangerous(text)

severity_of(text) := inventory.unread if not script.dangerous(text)

# What it runs, the variables that it runs it with, and the scripts that it mounts where it names them or their directory.
texts(container, pod) := array.concat(
	[script.of(container)],
	array.concat(
		[value |
			contains(script.of(container), "$")
			some variable in get.list(container, "env")
			value := get.string(variable, "value")
		],
		[file.text | some file in mounted(container, pod); names(script.of(container), file)],
	),
)

names(text, file) if contains(text, file.path)

names(text, file) if {
	contains(text, file.directory)
	regex.match(`\.(sh|sql)$`, file.key)
}

# The files of ConfigMaps in sight, by volumes of the pod ("volumes" of the adapter).
mounted(container, pod) := [{"path": path, "directory": directory, "key": key, "text": text} |
	some one in get.list(container, "volumeMounts")
	is_object(one)
	directory := mount.clean(get.string(one, "mountPath"))
	count(directory) > 1
	some volume in get.list(k8s.object, object.get(pod, "volumes", ["-"]))
	is_object(volume)
	get.string(volume, "name") == get.string(one, "name")
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(volume, ["configMap", "name"]))
	some key, text in get.map(found, "data")
	is_string(text)
	path := place_of(one, directory, key)
]

place_of(one, directory, key) := concat("/", [directory, key]) if not get.string(one, "subPath")

place_of(one, directory, key) := directory if mount.clean(get.string(one, "subPath")) == key

# --------------------------------------------------------------------------------------------------- environment

variables := [object.union(variable, {"path": array.concat(path, [i])}) |
	some pod in model.cluster.pods
	some path in pod.environment
	some i, one in get.list(k8s.object, path)
	variable := {"name": get.string(one, "name"), "value": get.string(one, "value")}
]

# A shell that is not started by somebody at a terminal reads the script of BASH_ENV first.
by_variable := [{"source": sprintf("%s=%s", [variable.name, variable.value]), "path": variable.path, "reason": loads[variable.name], "severity": inventory.unread} |
	some variable in variables
	loads[variable.name]
	not known_library(variable.value)
	not without_sync(variable.value)
]

loads := {
	"BASH_ENV": "it runs in every script of bash, the entrypoint's too",
	"LD_AUDIT": "it is loaded into the server",
	"LD_PRELOAD": "it is loaded into the server",
}

known_library(value) if regex.match(`^\S*(jemalloc|tcmalloc|mimalloc|nss_wrapper)[^/\s]*$`, value)

without_sync(value) if regex.match(`eatmydata|nosync|libnofsync`, value)

unsynced := array.concat(
	[{"name": sprintf("%s=%s", [variable.name, variable.value]), "path": variable.path} |
		some variable in variables
		variable.name in {"LD_PRELOAD", "LD_AUDIT"}
		without_sync(variable.value)
	],
	[{"name": "eatmydata", "path": array.concat(path, [i])} |
		some pod in model.cluster.pods
		some path in pod.containers
		some i, container in get.list(k8s.object, path)
		is_object(container)
		regex.match(`(^|[\s/;&])eatmydata\s`, script.of(container))
	],
)

imageless := [{"name": cluster.name_or(container, i), "path": array.concat(path, [i])} |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	object.get(container, "image", "") in {"", null}
	not filled(path, i, container)
]

# OpenShift's image triggers write the newest image of a stream into the workload (openshift/openshift-controller-manager,
# pkg/image/trigger): that is what a Deployment's containers may lack one for.
filled(path, i, container) if {
	some trigger in triggers
	get.string(trigger, "fieldPath") in names_of(concat(".", path), i, container)
}

# The sidecar injector merges its template into a container of these names (istio/istio, pkg/kube/inject/webhook.go).
filled(_, _, container) if get.string(container, "name") in {"istio-proxy", "istio-init", "istio-validation"}

triggers := json.unmarshal(text) if {
	text := get.string(k8s.object, ["metadata", "annotations", "image.openshift.io/triggers"])
	json.is_valid(text)
}

names_of(list, i, container) := {sprintf("%s[%d].image", [list, i])} | {text |
	name := get.string(container, "name")
	some text in [sprintf(`%s[?(@.name=="%s")].image`, [list, name]), sprintf(`%s[?(@.name=='%s')].image`, [list, name])]
}
