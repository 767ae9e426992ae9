# METADATA
# description: |
#   What NetworkPolicies in sight keep away from a cluster's pods. Who needs to reach them is "traffic" of walguard.model. Policies add up: what one
#   of them allows is allowed. Where something else decides too (Cilium's and Calico's policies, those of administrators), nothing is known.
# related_resources:
#   - https://kubernetes.io/docs/concepts/services-networking/network-policies/
# custom:
#   kinds:
#     - {group: networking.k8s.io, versions: [v1], kind: NetworkPolicy, plural: networkpolicies, namespaced: true, role: support, served: false}
#     - {group: cilium.io, versions: [v2], kind: CiliumNetworkPolicy, plural: ciliumnetworkpolicies, namespaced: true, role: support, served: false}
#     - {group: cilium.io, versions: [v2], kind: CiliumClusterwideNetworkPolicy, plural: ciliumclusterwidenetworkpolicies, namespaced: false, role: support, served: false}
#     - {group: projectcalico.org, versions: [v3], kind: NetworkPolicy, plural: networkpolicies, namespaced: true, role: support, served: false}
#     - {group: projectcalico.org, versions: [v3], kind: GlobalNetworkPolicy, plural: globalnetworkpolicies, namespaced: false, role: support, served: false}
#     - {group: crd.projectcalico.org, versions: [v1], kind: NetworkPolicy, plural: networkpolicies, namespaced: true, role: support, served: false}
#     - {group: crd.projectcalico.org, versions: [v1], kind: GlobalNetworkPolicy, plural: globalnetworkpolicies, namespaced: false, role: support, served: false}
#     - {group: policy.networking.k8s.io, versions: [v1alpha1], kind: AdminNetworkPolicy, plural: adminnetworkpolicies, namespaced: false, role: support, served: false}
#     - {group: policy.networking.k8s.io, versions: [v1alpha1], kind: BaselineAdminNetworkPolicy, plural: baselineadminnetworkpolicies, namespaced: false, role: support, served: false}
package walguard.model.traffic

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.model

# METADATA
# description: Each part of the traffic that no policy allows, with "policy", a reference of one that selects the pods.
blocked := [object.union(flow, {"policy": k8s.reference(closing[0])}) |
	count(closing) > 0
	count([1 | some [api_version, kind] in deciding; some _ in inventory.list(k8s.namespace, api_version, kind)]) == 0
	count([1 | some [api_version, kind] in deciding_everywhere; some _ in inventory.cluster_objects(api_version, kind)]) == 0
	some flow in get.list(model.cluster, "traffic")
	count([1 | some policy in policies; lets_in(policy, flow)]) == 0
]

deciding := [["cilium.io/v2", "CiliumNetworkPolicy"], ["projectcalico.org/v3", "NetworkPolicy"], ["crd.projectcalico.org/v1", "NetworkPolicy"]]

deciding_everywhere := [["cilium.io/v2", "CiliumClusterwideNetworkPolicy"], ["projectcalico.org/v3", "GlobalNetworkPolicy"], ["crd.projectcalico.org/v1", "GlobalNetworkPolicy"], ["policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy"], ["policy.networking.k8s.io/v1alpha1", "BaselineAdminNetworkPolicy"]]

# Without types a policy is about what comes in.
policies := [o |
	some o in inventory.list(k8s.namespace, "networking.k8s.io/v1", "NetworkPolicy")
	"Ingress" in object.get(o, ["spec", "policyTypes"], ["Ingress"])
]

# What comes in is forbidden once one policy selects the pods.
closing := [o |
	count(model.cluster.selection.labels) > 0
	some o in policies
	selector := get.map(o, ["spec", "podSelector"])
	count(get.list(selector, "matchExpressions")) == 0
	every label, value in get.map(selector, "matchLabels") {
		model.cluster.selection.labels[label] == value
	}
]

# Pods have labels that are not known here, so that only another value of a known one speaks against it.
lets_in(policy, flow) if {
	may_select(get.map(policy, ["spec", "podSelector"]))
	some rule in get.list(policy, ["spec", "ingress"])
	is_object(rule)
	reaches(get.list(rule, "ports"), flow)
	comes_from(get.list(rule, "from"), flow)
}

may_select(selector) if count([1 |
	some label, value in get.map(selector, "matchLabels")
	model.cluster.selection.labels[label] != value
	not placeholder.unknown(value)
]) == 0

reaches([], _)

reaches(ports, flow) if {
	some one in ports
	is_object(one)
	port := object.get(one, "port", flow.port)
	meets(port, one, flow)
}

meets(port, _, flow) if port == flow.port

meets(port, one, flow) if {
	port < flow.port
	get.number(one, "endPort") >= flow.port
}

# A name may be any port's, but for those that are another one's.
meets(port, _, flow) if {
	is_string(port)
	not port in object.get(flow, "other_names", [])
}

comes_from([], _)

comes_from(peers, _) if {
	some peer in peers
	get.present(peer, "ipBlock")
}

comes_from(peers, flow) if {
	some peer in peers
	get.present(peer, "namespaceSelector")
	flow.from == "operator"
}

comes_from(peers, flow) if {
	flow.from == "instances"
	some peer in peers
	may_select(get.map(peer, "podSelector"))
}

# An operator may run in the namespace of the cluster.
comes_from(peers, flow) if {
	flow.from == "operator"
	some peer in peers
	some _, value in get.map(peer, ["podSelector", "matchLabels"])
	regex.match(`operator|cloudnative-pg`, value)
}
