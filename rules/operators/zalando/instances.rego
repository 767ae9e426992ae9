package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.probe

instances := shared.number_at(k8s.object, ["spec", "numberOfInstances"])

instance_set := object.union_n([
	{"name": k8s.name, "path": ["spec"], "resources": resources, "resources_path": ["spec", "resources"], "resources_filled": true},
	{"replicas": n | n := instances},
	{"data": volume | volume := data_volume},
	{"wal": volume | volume := wal_volume},
	{"default_limit": limit | limit := default_limit},
])

# What the operator sets as the limit of memory where neither the resource nor a configuration in sight says one (charts/postgres-operator/values.yaml, default_memory_limit); a larger request takes
# the limit along (pkg/cluster/k8sres.go, matchLimitsWithRequestsIfSmaller). wal-g is in the container of the server.
default_limit := object.union({"memory": "500Mi"}, {"archives": true | archives_with_variables}) if {
	not configuration

	# Fields that the CRD requires: a patch has others.
	get.present(spec, ["numberOfInstances"])
	get.present(spec, ["postgresql"])
	every path in [["resources"], ["resources", "limits"], ["resources", "requests"]] {
		readable(object.get(spec, path, null))
	}
	not get.present(spec, ["resources", "limits", "memory"])
	not get.present(spec, ["resources", "requests", "memory"])
}

readable(part) if part == null

readable(part) if {
	is_object(part)
	count([1 | some name, _ in part; placeholder.unknown(name)]) == 0
}

archives_with_variables if {
	some name in ["WAL_S3_BUCKET", "WALG_S3_PREFIX", "WALE_S3_PREFIX", "WAL_GS_BUCKET", "WALG_GS_PREFIX", "WALG_AZ_PREFIX"]
	environment[name]
}

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
