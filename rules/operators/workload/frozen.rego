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
		some name in {get.string(one, ["metadata", "name"]) | some one in claim_templates}
		i := max([j | some j, one in claim_templates; get.string(one, ["metadata", "name"]) == name])
		one := claim_templates[i]
	},
)

claim_templates := get.list(k8s.object, ["spec", "volumeClaimTemplates"])

template_of(one) := {
	"labels": get.map(one, ["metadata", "labels"]),
	"annotations": get.map(one, ["metadata", "annotations"]),
	"spec": object.remove(get.map(one, "spec"), ["volumeMode"]),
}
