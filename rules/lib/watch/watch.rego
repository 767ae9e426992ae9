# METADATA
# description: |
#   Operators among the files that watch other namespaces alone: a cluster elsewhere is taken by the API server, and nothing comes of it. Told by WATCH_NAMESPACE (CloudNativePG, in its ConfigMap too, and
#   Percona), PGO_TARGET_NAMESPACE and PGO_TARGET_NAMESPACES (PGO) or WATCHED_NAMESPACE (Zalando) of their Deployment.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/operator_conf
#   - https://docs.percona.com/percona-operator-for-postgresql/latest/cluster-wide.html
package walguard.lib.watch

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# METADATA
# description: |
#   As walguard.model wants unresolved, where one operator is in sight: a Deployment with a container whose image has a name that matches the pattern, and that has one of the variables.
elsewhere(pattern, variables) := [{
	"reason": sprintf("The operator in namespace %s watches %s alone (%s): in %s it creates nothing, unless another operator is there", [one.home, text.list(sort(watched), "and"), concat(" and ", sort(names)), own]),
	"cure": sprintf("Add %s there, or watch all namespaces", [own]),
	"level": "warning",
	"path": ["metadata", "namespace"],
} |
	own := get.string(k8s.object, ["metadata", "namespace"])
	not placeholder.holds(own)
	found := operators(pattern)
	count(found) == 1
	one := found[0]
	one.home != own
	told := [variable | some variable in one.variables; get.string(variable, "name") in variables]
	names := {variable.name | some variable in told}
	values := [value | some variable in told; value := value_of(variable, one.home)]
	count(values) == count(told)
	watched := {namespace | some value in values; some part in split(value, ","); namespace := trim_space(part); namespace != ""}
	count(watched) > 0
	count(watched & {own, "*"}) == 0
	count([1 | some namespace in watched; placeholder.holds(namespace)]) == 0
]

# METADATA
# description: |
#   Containers of operators among the files whose image has a name that matches the pattern: list of {"name": of the Deployment, "home": its namespace, else "?", "image": of the container, "template": metadata of its pods, "variables"}.
operators(pattern) := containers_of([o | some o in inventory.in_all_files("apps/v1", "Deployment")], pattern)

# METADATA
# description: The same among all that is in sight.
in_sight(pattern) := containers_of(inventory.everywhere("apps/v1", "Deployment"), pattern)

containers_of(deployments, pattern) := [{
	"name": object.get(deployment, ["metadata", "name"], ""),
	"home": home,
	"image": get.string(container, "image"),
	"template": get.map(deployment, ["spec", "template", "metadata"]),
	"variables": array.concat(get.list(container, "env"), configured(container, home)),
} |
	some deployment in deployments
	home := object.get(deployment, ["metadata", "namespace"], "?")
	some container in get.list(deployment, ["spec", "template", "spec", "containers"])
	regex.match(pattern, image.name(get.string(container, "image")))
]

# The ConfigMap of CloudNativePG's operator.
configured(container, home) := [{"name": "WATCH_NAMESPACE", "value": value} |
	some argument in get.list(container, "args")
	is_string(argument)
	startswith(argument, "--config-map-name=")
	one := inventory.namespaced_object(home, "v1", "ConfigMap", trim_prefix(argument, "--config-map-name="))
	value := get.string(one, ["data", "WATCH_NAMESPACE"])
]

value_of(variable, _) := object.get(variable, "value", "") if not get.present(variable, "valueFrom")

value_of(variable, home) := home if {
	get.string(variable, ["valueFrom", "fieldRef", "fieldPath"]) == "metadata.namespace"
	home != "?"
}
