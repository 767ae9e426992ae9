package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.probe

instances := shared.number_at(k8s.object, ["spec", "numberOfInstances"])

instance_set := object.union_n([
	{"name": k8s.name, "path": ["spec"], "resources": resources, "resources_path": ["spec", "resources"], "resources_filled": true},
	{"replicas": n | n := instances},
	{"data": volume | volume := data_volume},
	{"wal": volume | volume := wal_volume},
])

# What the cluster does not say of its containers the operator's configuration says.
resources := {kind: object.union(configured_resources[kind], written) |
	some kind, written in shared.resources(k8s.object, ["spec", "resources"])
}

configured_resources := {
	"requests": {name: amount |
		some name in ["cpu", "memory"]
		amount := get.text_at(pod_resources, sprintf("default_%s_request", [name]))
	},
	"limits": {name: amount |
		some name in ["cpu", "memory"]
		amount := get.text_at(pod_resources, sprintf("default_%s_limit", [name]))
	},
}

pod_resources := get.map(configuration, "postgres_pod_resources") if configuration

pod_resources := {} if not configuration

synchronous := fact.written(get.boolean(spec, ["patroni", "synchronous_mode"]), ["spec", "patroni", "synchronous_mode"])

patience := probe.patience(k8s.object, ["spec"])
