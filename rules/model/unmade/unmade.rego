# METADATA
# description: |
#   Secrets that workloads of the namespace ask for and that the operator would make for other settings only; see unmade_secrets of walguard.model. One that something else in sight makes is left out.
package walguard.model.unmade

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.reference
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: '{"client": in words, "secret", "reason", "cure", "level", "path", "resource"}, one for each workload and Secret.'
secrets := [object.union(object.filter(asked, ["client", "secret", "path", "resource"]), object.filter(unmade, ["reason", "cure", "level"])) |
	some unmade in get.list(model.cluster, "unmade_secrets")
	some asked in references
	regex.match(unmade.names, asked.secret)
	not asked.secret in unmade.made
	not made_otherwise(asked.secret)
	count([1 | some other in references; other.resource == asked.resource; other.secret == asked.secret; other.path < asked.path]) == 0
]

# METADATA
# description: Likewise keys of Secrets that it makes, with "key".
keys := [object.union(object.filter(asked, ["client", "secret", "key", "path", "resource"]), object.filter(unmade, ["reason", "cure"])) |
	some unmade in get.list(model.cluster, "unmade_keys")
	some asked in references
	asked.secret == unmade.secret
	asked.key in unmade.keys
	not made_otherwise(asked.secret)
]

# METADATA
# description: |
#   Workloads of other namespaces that ask for a Secret that the operator makes in this one: {"client", "secret", "home": the namespace of the workload, "path", "resource"}. Only among files where each says its
#   namespace, and nothing in sight copies Secrets.
strays := [{"client": sprintf("%s %s", [kind, made.metadata.name]), "secret": asked.secret, "home": home, "path": asked.path, "resource": k8s.reference(made)} |
	names := {name | some name in get.list(model.cluster, "made_secrets")}
	count(names) > 0
	get.string(k8s.object, ["metadata", "namespace"]) == k8s.namespace
	not placeholder.holds(k8s.namespace)
	inventory.holders(k8s.api_version, k8s.kind, k8s.name) == {k8s.namespace}
	not reference.is_copied(k8s.object)
	some kind in ["Deployment", "StatefulSet"]
	some made in inventory.in_all_files("apps/v1", kind)
	home := get.string(made, ["metadata", "namespace"])
	home != k8s.namespace
	not placeholder.holds(home)
	some list in ["initContainers", "containers"]
	some i, one in get.list(made, ["spec", "template", "spec", list])
	some asked in of_container(one, ["spec", "template", "spec", list, i])
	asked.secret in names
	not made_in(home, asked.secret)
]

made_in(namespace, name) if {
	some [version, kind, path] in [
		["v1", "Secret", ["metadata", "name"]], ["bitnami.com/v1alpha1", "SealedSecret", ["metadata", "name"]],
		["external-secrets.io/v1", "ExternalSecret", ["metadata", "name"]], ["external-secrets.io/v1", "ExternalSecret", ["spec", "target", "name"]],
		["external-secrets.io/v1beta1", "ExternalSecret", ["metadata", "name"]], ["external-secrets.io/v1beta1", "ExternalSecret", ["spec", "target", "name"]],
	]
	some made in inventory.list(namespace, version, kind)
	get.string(made, path) == name
}

references := array.concat(
	[object.union({"client": one.made.words, "resource": one.made.resource}, reference) |
		asked_for
		some one in workloads.containers
		some reference in of_container(one.container, one.path)
	],
	[{"client": made.words, "resource": made.resource, "secret": name, "key": "", "path": array.concat(made.path, ["volumes", i])} |
		asked_for
		some made in workloads.clients
		some i, volume in get.list(made.pod, "volumes")
		some [source, field] in array.concat([[get.map(volume, "secret"), "secretName"]], [[get.map(part, "secret"), "name"] | some part in get.list(volume, ["projected", "sources"])])
		object.get(source, "optional", false) != true
		name := get.string(source, field)
	],
)

asked_for if count(array.concat(get.list(model.cluster, "unmade_secrets"), get.list(model.cluster, "unmade_keys"))) > 0

of_container(one, path) := array.concat(
	[{"secret": name, "key": object.get(variable, ["valueFrom", "secretKeyRef", "key"], ""), "path": array.concat(path, ["env", i])} |
		some i, variable in get.list(one, "env")
		object.get(variable, ["valueFrom", "secretKeyRef", "optional"], false) != true
		name := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
	],
	[{"secret": name, "key": "", "path": array.concat(path, ["envFrom", i])} |
		some i, source in get.list(one, "envFrom")
		object.get(source, ["secretRef", "optional"], false) != true
		name := get.string(source, ["secretRef", "name"])
	],
)

made_otherwise(name) if {
	some [api_version, kind] in [["v1", "Secret"], ["bitnami.com/v1alpha1", "SealedSecret"]]
	inventory.namespaced_object(k8s.namespace, api_version, kind, name)
}

made_otherwise(name) if {
	some version in ["external-secrets.io/v1", "external-secrets.io/v1beta1"]
	some made in inventory.list(k8s.namespace, version, "ExternalSecret")
	object.get(made, ["spec", "target", "name"], get.string(made, ["metadata", "name"])) == name
}
