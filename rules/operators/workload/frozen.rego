package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s

# What the API server does not let anybody change of a StatefulSet; see walguard.model.
facts contains {"frozen": frozen} if {
	server
	k8s.kind == "StatefulSet"
}

frozen := object.union(
	{name: {"value": object.get(k8s.object, ["spec", name], null), "path": ["spec", name]} | some name in ["serviceName", "podManagementPolicy", "selector"]},
	{sprintf("volumeClaimTemplates %s", [name]): {"value": template_of(one), "path": ["spec", "volumeClaimTemplates", i]} |
		some i, one in get.list(k8s.object, ["spec", "volumeClaimTemplates"])
		name := get.string(one, ["metadata", "name"])
	},
)

template_of(one) := {
	"labels": get.map(one, ["metadata", "labels"]),
	"annotations": get.map(one, ["metadata", "annotations"]),
	"spec": object.remove(get.map(one, "spec"), ["volumeMode"]),
}
