package walguard.operators.workload

import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.outsider
import data.walguard.lib.workloads

# What runs no server and changes one is judged as that change, by what it says: whose server it is need not be in sight.

facts contains {
	"operator": k8s.kind,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"change": true,
	"partial": true,
	"parameters": [setting | some one in outsiders; some setting in one.settings],
	"parameters_path": outsider_path,
	"parameter_values": "text",
	"defaults": {},
} if {
	count(outsiders) > 0
}

facts contains {"unread": [object.union(
	{"source": sprintf("what container %s runs", [one.name]), "path": one.path, "severity": severity_of_outsider(one)},
	{"reason": sprintf("it %s", [one.unread]), "cure": "Set parameters where the server's own resource says them"},
) |
	some one in outsiders
	one.unread
]} if {
	count([1 | some one in outsiders; one.unread]) > 0
}

severity_of_outsider(one) := outsider.severity(one, inventory.unread)

outsider_path := workloads.pods[sprintf("%s %s", [k8s.api_version, k8s.kind])]

outsiders := outsider.found(k8s.object, outsider_path) if {
	outsider_path
	not server
	not generated
} else := []
