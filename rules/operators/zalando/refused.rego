package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.placeholder

refused_surroundings := array.concat(array.concat(namespaces_listed, switched_off_containers), containers_of_one_name)

# The operator takes it for the name of one namespace (pkg/controller/util.go, getEffectiveNamespace).
namespaces_listed := [object.union(
	{
		"reason": sprintf("watched_namespace is \"%s\", which the operator takes for the name of one namespace, so that it creates no cluster in any", [watched_one]),
		"cure": "Write one namespace, or * for all",
	},
	configured_at(["kubernetes", "watched_namespace"], ["watched_namespace"]),
) |
	recognised
	contains(watched_one, ",")
	not placeholder.holds(watched_one)
]

watched_one := get.string(configuration, ["kubernetes", "watched_namespace"])

# "initContainers specified but disabled in configuration - next statefulset creation would fail" (pkg/cluster/k8sres.go).
switched_off_containers := [object.union(
	{
		"reason": "spec.initContainers is written, and enable_init_containers is false in the configuration of the operator, which then creates no StatefulSet",
		"cure": "Set it to true, or take initContainers out",
	},
	configured_at(["kubernetes", "enable_init_containers"], ["enable_init_containers"]),
) |
	recognised
	count(get.list(spec, "initContainers")) > 0
	object.get(configuration, ["kubernetes", "enable_init_containers"], true) == false
]

# spec.containers[].name is the key of a map for the API server ("Duplicate value").
containers_of_one_name := [{
	"by": "The API server",
	"path": ["spec", "sidecars", i, "name"],
	"reason": sprintf("the pods would have two containers called %s", [name]),
	"cure": "Give the sidecar another name",
} |
	recognised
	some i, sidecar in get.list(spec, "sidecars")
	name := get.string(sidecar, "name")
	not placeholder.holds(name)
	name in array.concat(["postgres"], [get.string(other, "name") | some k, other in get.list(spec, "sidecars"); k < i])
]
