package walguard.model.addresses

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.model

# Containers beside the server ask for it at the loopback, by no name of its own.
unexpanded_beside := [{
	"name": one.name,
	"client": one.client,
	"fault": sprintf("has %s, which a shell replaces and Kubernetes does not: the client reads those letters", [found[0]]),
	"cure": sprintf("Write $(%s), with %s above it", [found[1], found[1]]),
	"level": "warning",
	"path": one.path,
	"resource": k8s.reference(k8s.object),
} |
	some one in beside
	some found in regex.find_all_string_submatch_n(`\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?`, one.value, 1)
	count([1 | some variable in one.listed; get.string(variable, "name") == found[1]]) > 0
]

beside := [{"client": sprintf("container %s", [shared.name_or(one.container, one.number)]), "name": get.string(variable, "name"), "value": value, "listed": listed, "path": array.concat(one.path, ["env", k, "value"])} |
	some one in companions
	listed := get.list(one.container, "env")
	some k, variable in listed
	value := get.string(variable, "value")
	regex.match(`^postgres(ql)?://[^\s]*@(localhost|127\.0\.0\.1)([:/?]|$)`, value)
	not regex.match(`envsubst|eval|expand`, json.marshal([get.list(one.container, "command"), get.list(one.container, "args")]))
]

companions := [{"container": container, "number": i, "path": array.concat(path, [i])} |
	some pod in get.list(model.cluster, "pods")
	some path in get.list(pod, "containers")
	some i, container in get.list(k8s.object, path)
	is_object(container)
]
