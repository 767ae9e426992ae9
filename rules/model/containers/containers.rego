# METADATA
# description: |
#   The containers that a manifest adds to the pods of a cluster (its adapter says where: "pods" of walguard.model).
#
#   setting    list of {"source", "path", "severity"}: those whose command sets parameters of the server, which walguard does not read
#   imageless  list of {"name", "path"}: those that have no image, and that nothing gives one before the pod is created
package walguard.model.containers

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.model

setting := [{"source": sprintf("what container %s runs", [cluster.name_or(container, i)]), "path": array.concat(path, [i]), "severity": inventory.unread} |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	regex.match(sets_parameters, get.lower_case(concat(" ", [word |
		some field in ["command", "args"]
		some word in get.list(container, field)
		is_string(word)
	])))
]

sets_parameters := `\balter\s+(/\*.*\*/\s*)*system\b|postgresql\.auto\.conf|>>?\s*\S*postgresql\.conf`

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
