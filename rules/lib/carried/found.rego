# What no table names: pods, containers and manifests at any depth of an object whose kind only this adapter has (SidecarSets of OpenKruise, applications of Spark, Flink and Ray,
# Sensors of Argo Events, Blueprints of Kanister).
package walguard.lib.carried

import data.walguard.index
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.workloads

# METADATA
# description: True of an object whose kind nobody reads but by what it holds.
unnamed(o) if {
	kind := kind_of(o)
	index.kinds[kind] == ["workload"]
	contains(k8s.group_of(get.string(o, "apiVersion")), ".")
	not carriers[kind]
	not patches_at[kind]
	not workloads.pods[sprintf("%s %s", [get.string(o, "apiVersion"), get.string(o, "kind")])]
}

# What runs in the pods of others, with the volumes that they have.
joining := {"apps.kruise.io/EphemeralJob", "apps.kruise.io/SidecarSet"}

deep_ones(o) := array.concat(
	[{"object": node, "words": words_of(node), "at": path, "paths": [{"from": [], "to": path}]} | some [path, node] in inner_manifests],
	array.concat(
		[pod_of(o, path, node, kind_of(o) in joining) | some [path, node] in nodes; holds_containers(node); not lies_in(inner_manifests, path)],
		[remote_of(o, path, node) | some [path, node] in nodes; acts_elsewhere(path, node); not lies_in(inner_manifests, path)],
	),
) if {
	unnamed(o)
	nodes := nodes_of(o)
	inner_manifests := [[path, node] |
		some [path, node] in nodes
		count(path) > 0
		is_manifest(node)
	]
} else := []

is_manifest(node) if {
	is_object(node)
	get.string(node, "apiVersion")
	get.string(node, "kind")
	some field in ["spec", "data", "stringData", "objects", "items"]
	get.present(node, field)
}

lies_in(others, path) if {
	some [place_of, _] in others
	array.slice(path, 0, count(place_of)) == place_of
}

# METADATA
# description: The maps and lists in a value, [[path, node]], to a depth that objects of Kubernetes do not reach.
nodes_of(value) := [node | some list in [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth]; some node in list] if {
	first := [[[], value]]
	second := below(first)
	third := below(second)
	fourth := below(third)
	fifth := below(fourth)
	sixth := below(fifth)
	seventh := below(sixth)
	eighth := below(seventh)
	ninth := below(eighth)
	tenth := below(ninth)
	eleventh := below(tenth)
	twelfth := below(eleventh)
}

below(nodes) := [[array.concat(path, [key]), inner] |
	some [path, node] in nodes
	some key, inner in node
	composite(inner)
]

composite(value) if is_object(value)

composite(value) if is_array(value)

lists_of_containers := ["initContainers", "containers", "sidecars", "ephemeralContainers"]

holds_containers(node) if {
	is_object(node)
	some list in lists_of_containers
	some one in get.list(node, list)
	is_object(one)
	runs_something(one)
}

runs_something(one) if get.string(one, "image")

runs_something(one) if count(get.list(one, "command")) > 0

runs_something(one) if count(get.list(one, "args")) > 0

# Where a claim is among its volumes, it may be a server's; what joins other pods mounts what they mount.
pod_of(o, path, node, joins) := {"object": made_of(o, kind, {"spec": spec, "metadata": {}}), "words": "its containers", "at": path, "paths": paths} if {
	found := [[list, i, one] |
		some list in ["containers", "sidecars", "ephemeralContainers"]
		some i, one in get.list(node, list)
		is_object(one)
	]
	first := [one | some one in get.list(node, "initContainers"); is_object(one)]
	volumes := volumes_around(o, path)
	spec := {
		"restartPolicy": "Never",
		"containers": [joined(one, joins) | some [_, _, one] in found],
		"initContainers": [joined(one, joins) | some one in first],
		"volumes": array.concat(volumes, borrowed(array.concat(first, [one | some [_, _, one] in found]), volumes, joins)),
	}
	paths := array.concat(
		[{"from": ["spec", "template", "spec", "containers", n], "to": array.concat(path, [list, i])} | some n, [list, i, _] in found],
		[{"from": ["spec", "template", "spec", "initContainers"], "to": array.concat(path, ["initContainers"])}],
	)
	kind := kind_of_pods(volumes)
}

kind_of_pods(volumes) := "ReplicaSet" if {
	some volume in volumes
	get.present(volume, "persistentVolumeClaim")
} else := "Job"

# Beside the containers, or above them: Spark has them for the driver and its executors.
volumes_around(o, path) := array.concat(
	[volume | some n in numbers.range(0, count(path)); some volume in get.list(o, array.concat(array.slice(path, 0, n), ["volumes"])); is_object(volume)],
	[{"name": name, "persistentVolumeClaim": {"claimName": name}} |
		some n in numbers.range(0, count(path))
		some claim in get.list(o, array.concat(array.slice(path, 0, n), ["volumeClaimTemplates"]))
		name := get.string(claim, ["metadata", "name"])
	],
)

joined(one, true) := object.union(one, {"volumeMounts": array.concat(get.list(one, "volumeMounts"), [{"name": "of-the-pod", "mountPath": "/var/lib/postgresql"}])}) if {
	get.string(one, ["shareVolumePolicy", "type"]) == "enabled"
} else := one

joined(one, false) := one

borrowed(containers, volumes, true) := [{"name": name, "persistentVolumeClaim": {"claimName": sprintf("%s-of-the-pod", [name])}} |
	some name in {get.string(mounted, "name") | some one in containers; some mounted in get.list(joined(one, true), "volumeMounts")}
	not name in {get.string(volume, "name") | some volume in volumes}
]

borrowed(_, _, false) := []

# ----------------------------------------------------------------------------------------------- in other pods

# A command that is no container's: Kanister's functions, the hooks of Velero and the like run it in a pod that is there, or in one with the image beside it. What a function creates
# is a text with the manifest.
acts_elsewhere(path, node) if {
	is_object(node)
	count(words_of_command(node)) > 0
	not in_container(path)
}

in_container(path) if {
	some i, key in path
	key in lists_of_containers
	is_number(path[i + 1])
}

words_of_command(node) := get.list(node, "command") if {
	count(get.list(node, "command")) > 0
} else := ["sh", "-c", get.string(node, "command")] if {
	get.string(node, "command")
} else := ["sh", "-c", get.string(node, "spec")] if {
	get.string(node, "operation")
	get.string(node, "spec")
} else := []

remote_of(o, path, node) := {
	"object": made_of(o, "Job", {"metadata": {}, "spec": {
		"restartPolicy": "Never",
		"containers": [object.union_n([
			{"name": "command", "image": object.get(node, "image", "-"), "command": words_of_command(node)},
			{"env": get.list(node, "env")},
			{"volumeMounts": [{"name": "of-the-pod", "mountPath": "/"}] | at_data(node)},
		])],
		"volumes": [{"name": "of-the-pod", "persistentVolumeClaim": {"claimName": "of-the-pod"}}],
	}}),
	"words": "what it runs",
	"at": path,
	"paths": [{"from": ["spec", "template", "spec", "containers", 0], "to": path}],
}

# A pod of its own has the server's files only where volumes are put into it.
at_data(node) if not get.string(node, "image")

at_data(node) if {
	some field in ["podOverride", "volumes", "vols", "volume"]
	get.present(node, field)
}
