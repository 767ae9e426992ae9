package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys

facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

facts contains {"hosts": hosts} if count(hosts) > 0

hosts := sort({name |
	server
	name := get.string(k8s.object, ["spec", "serviceName"])
} | {name |
	server
	count(pod_labels) > 0
	some service in inventory.list(k8s.namespace, "v1", "Service")
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; pod_labels[label] == value]) == count(wanted)
	name := get.string(service, ["metadata", "name"])
})

facts contains {"annotations": {"path": ["spec", "template", "metadata", "annotations"], "volume": mount_of(directory).name}} if {
	k8s.kind != "Pod"
	lasts(mount_of(directory).name)
}

missing_keys := array.concat(
	[found |
		server
		some list in ["initContainers", "containers"]
		some i, one in get.list(k8s.object, array.concat(pod_path, [list]))
		some found in keys.of_environment(array.concat(pod_path, [list, i]), one)
	],
	[found |
		server
		some found in keys.of_volumes(pod_path)
	],
)
