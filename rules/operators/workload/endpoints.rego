package walguard.operators.workload

import data.walguard.lib.dcs
import data.walguard.lib.k8s

# Patroni keeps its configuration in the annotation "config" of Endpoints, where it is not told to use ConfigMaps (patroni/dcs/kubernetes.py); every server of the scope takes the parameters, and an
# operator may write its own over them later.
facts contains {
	"operator": k8s.kind,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"change": true,
	"partial": true,
	"by_hand": true,
	"patroni": true,
	"parameters": dcs.own_parameters,
	"parameters_path": dcs.place,
	"parameter_values": "any",
	"defaults": {},
} if {
	kept_by_patroni_alone
}

facts contains {"unread": dcs.own_unread} if {
	kept_by_patroni_alone
	count(dcs.own_unread) > 0
}

kept_by_patroni_alone if kept_in_endpoints

kept_by_patroni_alone if kept_in_a_map

kept_in_endpoints if {
	k8s.kind == "Endpoints"
	k8s.api_version == "v1"
	dcs.keeps(k8s.object)
}
