package walguard.lib.workloads

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.index
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: |
#   The clients of the namespace, and those of others that name one of its hosts with the namespace behind it ("postgres.databases.svc"), in the same form. Of files alone: a host of a live cluster is asked for no
#   workloads of all namespaces. What these take from ConfigMaps and Secrets of their own namespace stands as a value in "env", and what else they name there is called "namespace/name", which is no object of this one.
callers := array.concat(clients, afar)

# METADATA
# description: Their containers, in the form of `containers`.
calling := array.concat(containers, [{"container": one, "list": list, "path": array.concat(made.path, [list, i]), "made": made} |
	some made in afar
	some list in ["containers", "initContainers"]
	some i, one in get.list(made.pod, list)
	asks_here(one)
])

# METADATA
# description: Those of other namespaces. Where a server stands beside them too, a name without a namespace may be that one's.
afar := [{
	"kind": kind,
	"name": name,
	"words": sprintf("%s %s of namespace %s", [kind, name, namespace]),
	"object": made,
	"path": path,
	"pod": get.map(made, path),
	"resource": k8s.reference(o),
} |
	some namespace in asking_namespaces
	not server_in(namespace)
	some [api_version, kind] in index.clients
	some name, o in inventory.by_name(namespace, api_version, kind)
	path := pods[sprintf("%s %s", [api_version, kind])]
	pod := get.map(o, path)
	made := object.union(o, nested(path, seen_from_here(pod, namespace)))
	count([1 | some one in containers_of(get.map(made, path)); asks_here(one)]) > 0
]

asking_namespaces := get.list(index.callers(get.map(input.inventory, "namespace")), k8s.namespace) if {
	inventory.given
	not inventory.served
	not alone
} else := []

# By what is written there: a host, and the namespace behind it.
asks_here(container) if {
	host := sprintf(`[a-z0-9]\.%s(?:\.svc\b|[^a-z0-9.-]|$)`, [k8s.namespace])
	some text in array.concat(words(container), [value | some variable in get.list(container, "env"); value := get.string(variable, "value")])
	regex.match(host, text)
}

nested(path, value) := {path[0]: {path[1]: value}} if count(path) == 2

nested(path, value) := {path[0]: {path[1]: {path[2]: value}}} if count(path) == 3

nested(path, value) := {path[0]: {path[1]: {path[2]: {path[3]: {path[4]: value}}}}} if count(path) == 5

seen_from_here(pod, namespace) := object.union(
	{list: [resolved(one, namespace) | some one in get.list(pod, list); is_object(one)] | some list in ["containers", "initContainers"]},
	{"volumes": [foreign(volume, namespace) | some volume in get.list(pod, "volumes"); is_object(volume)]},
)

resolved(container, namespace) := object.union(container, {
	"env": array.concat(
		[valued(variable, namespace) | some variable in get.list(container, "env"); is_object(variable)],
		[{"name": concat("", [object.get(source, "prefix", ""), entry.key]), "value": entry.text} |
			some source in get.list(container, "envFrom")
			some [field, kind] in [["configMapRef", "ConfigMap"], ["secretRef", "Secret"]]
			some entry in files.entries(inventory.namespaced_object(namespace, "v1", kind, get.string(source, [field, "name"])))
		],
	),
	"envFrom": [],
})

valued(variable, namespace) := {"name": object.get(variable, "name", ""), "value": found[0]} if {
	found := [entry.text |
		some [field, kind] in [["configMapKeyRef", "ConfigMap"], ["secretKeyRef", "Secret"]]
		some entry in files.entries(inventory.namespaced_object(namespace, "v1", kind, get.string(variable, ["valueFrom", field, "name"])))
		entry.key == get.string(variable, ["valueFrom", field, "key"])
	]
	count(found) > 0
} else := foreign(variable, namespace)

# Names of objects, wherever they stand, are those of the other namespace.
foreign(of, namespace) := object.union_n(array.concat([of], [nested(path, sprintf("%s/%s", [namespace, name])) |
	some path in [
		["configMap", "name"], ["secret", "secretName"], ["persistentVolumeClaim", "claimName"],
		["valueFrom", "configMapKeyRef", "name"], ["valueFrom", "secretKeyRef", "name"],
	]
	name := get.string(of, path)
]))
