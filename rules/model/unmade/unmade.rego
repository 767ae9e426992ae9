# METADATA
# description: |
#   Secrets that workloads of the namespace ask for and that the operator would make for other settings only; see unmade_secrets of walguard.model. One that something else in sight makes is left out.
package walguard.model.unmade

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.model

# METADATA
# description: '{"client": in words, "secret", "reason", "cure", "level", "path", "resource"}, one for each container and Secret.'
secrets := [object.union(object.filter(asked, ["client", "secret", "path", "resource"]), object.filter(unmade, ["reason", "cure", "level"])) |
	some unmade in get.list(model.cluster, "unmade_secrets")
	some asked in references
	regex.match(unmade.names, asked.secret)
	not asked.secret in unmade.made
	not made_otherwise(asked.secret)
]

references := [object.union(container, reference) |
	count(get.list(model.cluster, "unmade_secrets")) > 0
	some [api_version, kind, pod] in kinds
	some workload in inventory.list(k8s.namespace, api_version, kind)
	some list in ["initContainers", "containers"]
	some c, one in get.list(workload, array.concat(pod, [list]))
	container := {"client": sprintf("%s %s", [kind, get.string(workload, ["metadata", "name"])]), "resource": k8s.reference(workload)}
	some reference in of_container(one, array.concat(pod, [list, c]))
]

# The first place of each Secret says it.
of_container(one, path) := [found |
	places := array.concat(
		[[get.string(variable, ["valueFrom", "secretKeyRef", "name"]), array.concat(path, ["env", i])] |
			some i, variable in get.list(one, "env")
			object.get(variable, ["valueFrom", "secretKeyRef", "optional"], false) != true
		],
		[[get.string(source, ["secretRef", "name"]), array.concat(path, ["envFrom", i])] |
			some i, source in get.list(one, "envFrom")
			object.get(source, ["secretRef", "optional"], false) != true
		],
	)
	some name in {place[0] | some place in places}
	found := {"secret": name, "path": [place[1] | some place in places; place[0] == name][0]}
]

kinds := [
	["apps/v1", "Deployment", ["spec", "template", "spec"]],
	["apps/v1", "StatefulSet", ["spec", "template", "spec"]],
	["batch/v1", "Job", ["spec", "template", "spec"]],
	["batch/v1", "CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
]

made_otherwise(name) if {
	some [api_version, kind] in [["v1", "Secret"], ["bitnami.com/v1alpha1", "SealedSecret"]]
	inventory.namespaced_object(k8s.namespace, api_version, kind, name)
}

made_otherwise(name) if {
	some version in ["external-secrets.io/v1", "external-secrets.io/v1beta1"]
	some made in inventory.list(k8s.namespace, version, "ExternalSecret")
	object.get(made, ["spec", "target", "name"], get.string(made, ["metadata", "name"])) == name
}
