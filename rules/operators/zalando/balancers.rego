package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.k8s

# Load balancers of the operator; see walguard.model. Without allowedSourceRanges it writes 127.0.0.1/32 (configureLoadBalanceService, pkg/cluster/k8sres.go).
facts contains {"balancers": balancers} if count(balancers) > 0

balancers := [{
	"balancer": balancer,
	"path": ["spec"],
	"ranges_path": array.concat(["spec"], [field | count(get.list(spec, "allowedSourceRanges")) > 0; field := "allowedSourceRanges"]),
	"service": {"metadata": {"annotations": annotations}, "spec": {"loadBalancerSourceRanges": allowed_ranges}},
	"cure": "Write the addresses of the clients into spec.allowedSourceRanges",
} |
	balancer := open_balancers[0]
]

# Those of the resource alone go to every Service (pkg/cluster/k8sres.go, getCustomServiceAnnotations); the operator's configuration may have more.
annotations := object.union_n([get.map(spec, field) | some field in ["serviceAnnotations", "masterServiceAnnotations", "replicaServiceAnnotations"]])

allowed_ranges := get.list(spec, "allowedSourceRanges") if count(get.list(spec, "allowedSourceRanges")) > 0

allowed_ranges := ["127.0.0.1/32"] if {
	count(get.list(spec, "allowedSourceRanges")) == 0
	not get.unknown(k8s.object, ["spec", "allowedSourceRanges"])
}

# What the resource says goes before the configuration of the operator.
open_balancers := array.concat(
	[sprintf("The load balancer of the %s", [role]) |
		some role, field in {"primary": "enableMasterLoadBalancer", "replicas": "enableReplicaLoadBalancer"}
		balanced(field, {"primary": "enable_master_load_balancer", "replicas": "enable_replica_load_balancer"}[role])
	],
	[sprintf("The load balancer of the %s", [role]) |
		some role, field in {"pooler": "enableMasterPoolerLoadBalancer", "replicas' pooler": "enableReplicaPoolerLoadBalancer"}
		get.boolean(spec, {"pooler": "enableConnectionPooler", "replicas' pooler": "enableReplicaConnectionPooler"}[role]) == true
		balanced(field, {"pooler": "enable_master_pooler_load_balancer", "replicas' pooler": "enable_replica_pooler_load_balancer"}[role])
	],
)

balanced(field, _) if get.boolean(spec, field) == true

balanced(field, configured) if {
	not get.present(spec, field)
	get.boolean(configuration, ["load_balancer", configured]) == true
}
