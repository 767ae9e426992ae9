# METADATA
# description: |
#   What NetworkPolicies in sight keep away from a cluster's pods, and what they keep its pods from. Who needs to reach them is "traffic" of
#   walguard.model, what they need to reach "reaches". Policies add up: what one of them allows is allowed. Cilium's of the namespace are read as well; where something else
#   decides too (its policies for all namespaces, Calico's, those of administrators), nothing is known.
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
#     - {group: monitoring.coreos.com, versions: [v1], kind: ServiceMonitor, plural: servicemonitors, namespaced: true, role: support, served: false}
#     - {group: monitoring.coreos.com, versions: [v1], kind: PodMonitor, plural: podmonitors, namespaced: true, role: support, served: false}
package walguard.model.traffic

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: Each part of the traffic that no policy allows, with "policy", a reference of one that selects the pods, and "together", the consequence in the plural, where it is a client's.
blocked := array.concat(
	[object.union_n([{"level": "error" | vital(flow)}, flow, {"policy": k8s.reference(closing[0])}]) |
		count(closing) > 0
		alone
		some flow in array.concat(array.concat(array.concat(get.list(model.cluster, "traffic"), from_outside), array.concat(from_clients, from_mesh)), from_monitors)
		count([1 | some policy in policies; lets_in(policy, flow)]) == 0
	],
	array.concat(doubtful, unmeshed),
)

# Without its operator or its primary no instance of a new cluster becomes ready. A policy that is written for these pods, and lists the clients that may come, is meant to be all of it; one that lets in
# another namespace alone may be one of several.
vital(flow) if {
	[flow.from, flow.port] in {["instances", 5432], ["operator", 8000]}
	some policy in closing
	count(get.map(policy, ["spec", "podSelector"])) > 0
	some rule in get.list(policy, ["spec", "ingress"])
	some peer in get.list(rule, "from")
	get.present(peer, "podSelector")
	not get.present(peer, "namespaceSelector")
}

# So is a list of the clients that may come without one that names the server.
vital(flow) if {
	flow.from == "client"
	some policy in closing
	count(get.map(policy, ["spec", "podSelector"])) > 0
	some rule in get.list(policy, ["spec", "ingress"])
	some peer in get.list(rule, "from")
	count(get.map(peer, "podSelector")) > 0
	not get.present(peer, "namespaceSelector")
}

# What only namespaces with a label of somebody's own are let in by: whether the operator's is one of them no file says.
doubtful := [object.union(flow, {"policy": k8s.reference(closing[0]), "level": "info", "consequence": sprintf("unless its namespace has the label %s, %s", [labels[0], flow.consequence])}) |
	count(closing) > 0
	alone
	some flow in get.list(model.cluster, "traffic")
	flow.from == "operator"
	count([1 | some policy in policies; lets_in(policy, flow)]) > 0
	count([1 | some policy in policies; lets_in(policy, object.union(flow, {"from": "known operator"}))]) == 0
	labels := [sprintf("%s=%s", [label, value]) |
		some policy in policies
		some rule in get.list(policy, ["spec", "ingress"])
		some peer in get.list(rule, "from")
		some label, value in get.map(peer, ["namespaceSelector", "matchLabels"])
		is_string(value)
		label != name_label
	]
	count(labels) > 0
]

name_label := "kubernetes.io/metadata.name"

# Nothing but NetworkPolicies decides.
alone if {
	count([1 | some [api_version, kind] in deciding; some _ in inventory.list(k8s.namespace, api_version, kind)]) == 0
	count([1 | some [api_version, kind] in deciding_everywhere; some _ in inventory.cluster_objects(api_version, kind)]) == 0
	not mixed(k8s.namespace)
}

# A load balancer brings clients whose addresses are no pod's: theirs, or that of the node it came by.
from_outside := [{"port": port, "from": "outside", "service": get.string(service, ["metadata", "name"]), "consequence": "connections that come through it time out"} |
	some service in balancers
	not shared.by_private_network(service)
	some one in get.list(service, ["spec", "ports"])
	port := object.get(one, "targetPort", object.get(one, "port", 5432))
	is_number(port)
]

balancers := [service |
	some service in inventory.list(k8s.namespace, "v1", "Service")
	get.string(service, ["spec", "type"]) == "LoadBalancer"
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; model.cluster.selection.labels[label] == value]) == count(wanted)
]

# METADATA
# description: |
#   Services that choose pods by what all clusters of an operator have in common, where the namespace has several, as shared_services of walguard.model. A label of somebody's own may tell them apart.
shared_services := [{
	"reason": sprintf("Service %s chooses by %s alone and leads to the pods of %s, two databases: connections reach one or the other", [get.string(service, ["metadata", "name"]), concat(" and ", [sprintf("%s=%v", [label, wanted[label]]) | some label in sort(object.keys(wanted))]), concat(" and ", sort([k8s.name, siblings[0]]))]),
	"level": "error",
	"path": ["spec", "selector"],
	"resource": k8s.reference(service),
} |
	common := get.list(model.cluster, "common_labels")
	count(common) > 0
	carried := get.map(model.cluster, ["selection", "labels"])
	some service in inventory.list(k8s.namespace, "v1", "Service")
	count(get.list(service, ["metadata", "ownerReferences"])) == 0
	object.get(service, ["spec", "clusterIP"], "") != "None"
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	every label, value in wanted {
		label in common
		not placeholder.unknown(value)
		object.get(carried, label, value) == value
	}
	object.keys(wanted) != {"role"}
	siblings := [name |
		some other in inventory.list(k8s.namespace, k8s.api_version, k8s.kind)
		name := get.string(other, ["metadata", "name"])
		name != k8s.name
	]
	count(siblings) > 0
]

# Workloads of the namespace that name the cluster as their server. Another port than the usual one is left alone.
from_clients := [object.union({"port": 5432, "from": "client", "client": client.name, "labels": client.labels}, outcome(client)) |
	some client in clients
]

outcome(client) := {"consequence": "its connections time out", "together": "their connections time out"} if not client.copies

outcome(client) := {"level": "error", "consequence": "it cannot copy the primary, so no standby starts"} if client.copies

clients := [object.union({"name": made.words, "labels": labels}, {"copies": true | copying(all_of, made)}) |
	count(named) > 0
	not model.written.port
	some made in workloads.clients
	labels := workloads.labels(made)
	count([1 | some label, value in labels; placeholder.holds(value)]) == 0
	all_of := [container | some list in ["initContainers", "containers"]; some container in get.list(made.pod, list)]
	count([1 | some container in all_of; asks_for_server(container)]) > 0
	not workloads.itself(made)
]

# A server that has an init container copy the primary before its first start.
copying(all_of, made) if {
	made.kind == "StatefulSet"
	count([1 | some container in all_of; asks_for_server(container); regex.match(`\bpg_basebackup\b`, script.of(container))]) > 0
}

# ------------------------------------------------------------------------------------------------------- meshes

# Between two pods of a mesh the connection goes to a port of the mesh, and a NetworkPolicy sees that one: HBONE's of Istio's ambient mode, where the CNI enforces policies outside of the pod, and the one of
# Linkerd's proxy. Istio's sidecars keep the port of the server.
mesh := {"name": "Istio's ambient mesh", "port": 15008} if {
	ambient
	not kept_out
}

mesh := {"name": "the Linkerd mesh", "port": 4143} if {
	get.string(space, ["metadata", "annotations", "linkerd.io/inject"]) in {"enabled", "ingress"}
	not ambient
	not kept_out
}

ambient if get.string(space, ["metadata", "labels", "istio.io/dataplane-mode"]) == "ambient"

space := inventory.cluster_object("v1", "Namespace", k8s.namespace)

# The pods, or the port, are left out of it.
kept_out if {
	some one in [k8s.object, space]
	regex.match(`"istio\.io/dataplane-mode":"none"|"linkerd\.io/inject":"disabled"|/skip-(in|out)bound-ports"|"ambient\.istio\.io/`, json.marshal(one))
}

from_mesh := [{"port": mesh.port, "from": "mesh", "mesh": mesh.name, "consequence": "connections to port 5432 come by it, and time out"} |
	count(closing) > 0
	not model.written.port
	mesh
	count([1 | some policy in policies; meant_for_pods(policy)]) > 0
]

# Pods of the namespace, which is in the mesh, are to reach the server.
meant_for_pods(policy) if {
	may_select(get.map(policy, ["spec", "podSelector"]))
	some rule in get.list(policy, ["spec", "ingress"])
	some one in get.list(rule, "ports")
	server_port(object.get(one, "port", 0))
	of_namespace(get.list(rule, "from"))
}

server_port(5432)

server_port(name) if regex.match(`postgres|pgsql|^(pg|db|database|sql)$`, name)

of_namespace([])

of_namespace(peers) if {
	some peer in peers
	get.present(peer, "podSelector")
	not get.present(peer, "namespaceSelector")
}

asks_for_server(container) if asks_for(container, named)

asks_for(container, hosts) if {
	some variable in get.list(container, "env")
	names_server(get.upper_case(get.string(variable, "name")), get.string(variable, "value"), hosts)
}

# By an option of libpq's programs.
asks_for(container, hosts) if {
	command := concat(" ", [word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)])
	regex.match(`\b(psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup|pg_isready)\b`, command)
	some match in regex.find_all_string_submatch_n(`(?:\s-h\s*|\s--host[= ]|://(?:[^@/\s"']*@)?|\bhost=)["']?([A-Za-z0-9][A-Za-z0-9-]*)((?:\.[A-Za-z0-9-]+)*)(?::5432)?(?:["'/?\s;]|$)`, command, -1)
	match[1] in hosts
	in_namespace(match[2])
	not regex.match(`\s(-p\s*|--port[= ])["']?[0-46-9]`, command)
}

# Where the poolers of an operator stand between, its pods are not what clients reach.
named := {host | some host in get.list(model.cluster, "hosts"); host != ""; not contains(host, "-pooler")}

names_server(name, value, hosts) if {
	regex.match(`HOST|URL|URI|DSN|ADDR|SERVER|DATABASE|JDBC|CONN|POSTGRES|PG`, name)
	some match in regex.find_all_string_submatch_n(`(?:^|//|@|host=)([A-Za-z0-9][A-Za-z0-9-]*)((?:\.[A-Za-z0-9-]+)*)(?::5432)?(?:/|\?|\s|$)`, value, -1)
	match[1] in hosts
	in_namespace(match[2])
	regex.match(`HOST|ADDR|SERVER|://|:5432|host=`, concat(" ", [name, value]))
}

in_namespace("") := true

in_namespace(rest) if split(rest, ".")[1] == k8s.namespace

deciding := [["projectcalico.org/v3", "NetworkPolicy"], ["crd.projectcalico.org/v1", "NetworkPolicy"]]

deciding_everywhere := [["cilium.io/v2", "CiliumClusterwideNetworkPolicy"], ["projectcalico.org/v3", "GlobalNetworkPolicy"], ["crd.projectcalico.org/v1", "GlobalNetworkPolicy"], ["policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy"], ["policy.networking.k8s.io/v1alpha1", "BaselineAdminNetworkPolicy"]]

# Without types a policy is about what comes in.
policies := [o |
	some o in array.concat(inventory.list(k8s.namespace, "networking.k8s.io/v1", "NetworkPolicy"), of_cilium(k8s.namespace))
	"Ingress" in object.get(o, ["spec", "policyTypes"], ["Ingress"])
]

# What comes in is forbidden once one policy selects the pods.
closing := [o |
	count(model.cluster.selection.labels) > 0
	some o in policies
	selects(get.map(o, ["spec", "podSelector"]), model.cluster.selection.labels)
	placed(o)
]

# A policy that names no namespace, and no label of the cluster's own, is for the namespace that kustomize, Flux or kubectl puts it into: a
# default-deny that lies in a file of its own need not be the cluster's.
placed(policy) if get.string(policy, ["metadata", "namespace"])

placed(policy) if {
	k8s.namespace != "default"
	not get.string(policy, ["metadata", "namespace"])
}

placed(policy) if {
	common := {label | some label in get.list(model.cluster, "common_labels")}
	count(object.keys(get.map(policy, ["spec", "podSelector", "matchLabels"])) - common) > 0
}

selects(selector, labels) if {
	count(get.list(selector, "matchExpressions")) == 0
	every label, value in get.map(selector, "matchLabels") {
		labels[label] == value
	}
}

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
	not placeholder.holds(value)
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
	not foreign(port, flow)
}

# That of a mesh is in no container of ours.
foreign(port, flow) if {
	flow.from == "mesh"
	not regex.match(`hbone|mesh|istio|linkerd|proxy`, port)
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
	not for_others(peer)
}

# One that chooses by name, by no label at all, or by labels that need not be written out, is taken as meant for the operator.
comes_from(peers, flow) if {
	flow.from == "known operator"
	some peer in peers
	get.present(peer, "namespaceSelector")
	not for_others(peer)
	count([1 | some label, value in get.map(peer, ["namespaceSelector", "matchLabels"]); label != name_label; own_label(label, value)]) == 0
}

own_label(label, value) if {
	not placeholder.holds(value)
	not regex.match(`operator|cnpg|cloudnative|postgres|kubernetes\.io/`, concat(" ", [label, value]))
}

# Namespaces that are chosen by names, and all of them names of what never is the operator.
for_others(peer) if {
	names := array.concat(
		[name | name := get.string(peer, ["namespaceSelector", "matchLabels", name_label])],
		[name |
			some expression in get.list(peer, ["namespaceSelector", "matchExpressions"])
			expression.key == name_label
			expression.operator == "In"
			some name in get.list(expression, "values")
		],
	)
	count(names) > 0
	count([1 | some name in names; not regex.match(others, name)]) == 0
}

# The pods of a cluster are no operator either, in whatever namespace.
for_others(peer) if {
	some label, _ in get.map(peer, ["podSelector", "matchLabels"])
	label in object.keys(model.cluster.selection.labels)
}

others := `^(monitoring|prometheus|observability|grafana|metrics|logging|loki|ingress(-nginx)?|traefik|istio-system|cert-manager|argo-?cd|flux-system|keycloak)$`

comes_from(peers, flow) if {
	flow.from == "instances"
	some peer in peers
	may_select(get.map(peer, "podSelector"))
	not strange(get.map(peer, "podSelector"), flow)
	not of_another_namespace(peer)
}

# Of pods that a template makes all labels are known, but for the role that Patroni writes and what controllers and meshes add.
strange(selector, flow) if {
	some label, value in get.map(selector, "matchLabels")
	not placeholder.holds(value)
	not regex.match(`role$|hash$|^(statefulset|apps)\.kubernetes\.io/|(istio|linkerd)\.io/`, label)
	not label in object.keys(flow.labels)
}

# Every namespace has this label, and the instances of a cluster are in one.
of_another_namespace(peer) if {
	name := get.string(peer, ["namespaceSelector", "matchLabels", "kubernetes.io/metadata.name"])
	not placeholder.holds(name)
	own := get.string(k8s.object, ["metadata", "namespace"])
	not placeholder.holds(own)
	own != name
}

comes_from(_, flow) if flow.from in {"mesh", "monitor"}

# All labels of a client are known, and none of an expression is looked at.
comes_from(peers, flow) if {
	flow.from == "client"
	some peer in peers
	get.present(peer, "podSelector")
	chosen(get.map(peer, "podSelector"), flow.labels)
}

comes_from(peers, flow) if {
	flow.from == "client"
	some peer in peers
	get.present(peer, "namespaceSelector")
	not get.present(peer, "podSelector")
}

chosen(selector, labels) if {
	every label, value in get.map(selector, "matchLabels") {
		meant(labels, label, value)
	}
}

meant(labels, label, value) if labels[label] == value

meant(_, _, value) if placeholder.holds(value)

# --------------------------------------------------------------------------------------------------------- ingress

# An operator may run in the namespace of the cluster.
comes_from(peers, flow) if {
	flow.from in {"operator", "known operator"}
	some peer in peers
	some _, value in get.map(peer, ["podSelector", "matchLabels"])
	regex.match(`operator|cloudnative-pg`, value)
}
