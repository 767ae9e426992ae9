package walguard.model.traffic

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.dumps

# METADATA
# description: |
#   What no policy lets pods of the cluster reach that they need, with "policy", a reference of one that selects them, and "pods", in words. Of the pods
#   that are only seen at times – of the Jobs of an operator, of the CronJobs that dump – too.
kept_from := array.concat(array.concat(kept_in, array.concat(kept_from_elsewhere, kept_from_names)), [need |
	some need in missed(array.concat(array.concat(get.list(model.cluster, "helpers"), [pods | some pods in dumping]), array.concat(asking, asking_poolers)))
	count([1 | some other in kept_in; other.to == need.to]) == 0
])

# What keeps the instances in keeps the others in as well, and is said once.
kept_in := missed([{"name": "the instances", "labels": model.cluster.selection.labels, "lacking": set(), "reaches": get.list(model.cluster, "reaches")} |
	count(model.cluster.selection.labels) > 0
])

missed(all_pods) := [object.union_n([need, {"policy": k8s.reference(shutting[0]), "pods": pods.name}, manner(shutting, need, pods)]) |
	count(policies_out) > 0
	alone
	some pods in all_pods
	shutting := [o | some o in policies_out; selects(get.map(o, ["spec", "podSelector"]), pods.labels); placed(o)]
	count(shutting) > 0
	some need in pods.reaches
	count([1 | some policy in policies_out; lets_out(policy, pods, need)]) == 0
]

# Most networks look at an address when it has become that of the server itself; Kubernetes leaves it open (docs/concepts/services-networking/network-policies).
manner(shutting, need, pods) := {
	"what": "the API server's own address (often port 6443)",
	"consequence": sprintf("most networks compare that, not %s, and the pods get no answer from it", [address]),
} if {
	address := by_service(need, pods)
} else := {"level": "error"} if {
	listed_for(shutting, need, pods)
} else := {}

by_service(need, pods) := [address |
	need.to == "api"
	some policy in policies_out
	may_be(get.map(policy, ["spec", "podSelector"]), pods)
	some rule in get.list(policy, ["spec", "egress"])
	some peer in get.list(rule, "to")
	address := trim_suffix(get.string(peer, ["ipBlock", "cidr"]), "/32")
	address in services_of_the_api
][0]

# The first address of the Services, by the defaults of kubeadm, K3s, EKS, MicroK8s and OpenShift; 10.100.0.1, the other one of EKS, may as well be a node.
services_of_the_api := {"10.96.0.1", "10.43.0.1", "172.20.0.1", "10.152.183.1", "172.30.0.1"}

# One that is written for these pods, and lists where they go, is meant to be all of it: what starts them is not left to another.
listed_for(shutting, need, pods) if {
	answered(need.to, pods)
	some policy in shutting
	count(get.map(policy, ["spec", "podSelector"])) > 0
	count(get.list(policy, ["spec", "egress"])) > 0
}

answered("api", _)

# A client without its server.
answered("instances", pods) if pods.client

answered("operated", _)

# Names are looked up before anything is dumped.
dumping := {{
	"name": sprintf("the pods of CronJob %s", [job.resource.name]),
	"labels": job.labels,
	"lacking": set(),
	"all": true,
	"reaches": [
		{"ports": resolvers, "to": "names", "what": "DNS (port 53)", "consequence": "the server's name is not found, and nothing is dumped"},
		need_of_server(job.labels, "nothing is dumped"),
	],
} |
	some job in dumps.jobs
}

# What a client needs is the same; a CronJob that dumps is said above.
asking := [{
	"name": sprintf("the pods of %s", [client.name]),
	"labels": client.labels,
	"lacking": set(),
	"all": true,
	"client": true,
	"reaches": [object.union(need_of_server(client.labels, "its connections time out"), {"together": "their connections time out", "client": client.name})],
} |
	some client in clients
	count([1 | some job in dumps.jobs; client.name == sprintf("CronJob %s", [job.resource.name])]) == 0
]

# Clients of the poolers that an operator makes, whose pods have a label of their own.
asking_poolers := [{
	"name": sprintf("the pods of %s", [made.words]),
	"labels": labels,
	"lacking": set(),
	"all": true,
	"client": true,
	"reaches": [object.union(need_of_server(labels, "its connections time out"), {"to": "operated", "labels": one.labels, "what": sprintf("pooler %s (port 5432)", [one.host])})],
} |
	some one in get.list(model.cluster, "pooler_pods")
	some made in workloads.clients
	some container in array.concat(get.list(made.pod, "initContainers"), get.list(made.pod, "containers"))
	asks_for(container, {one.host})
	labels := workloads.labels(made)
	count([1 | some value in labels; placeholder.holds(value)]) == 0
]

need_of_server(labels, consequence) := {"ports": {15008}, "to": "instances", "what": "the server (by port 15008 of Istio's ambient mesh)", "consequence": consequence} if {
	mesh.port == 15008
	object.get(labels, "istio.io/dataplane-mode", "ambient") != "none"
} else := {"ports": {5432}, "to": "instances", "what": "the server (port 5432)", "consequence": consequence}

resolvers := {53, 5353, 8053}

# Without types, a policy is about what goes out if it says anything of it.
policies_out := [o |
	some o in array.concat(inventory.list(k8s.namespace, "networking.k8s.io/v1", "NetworkPolicy"), of_cilium(k8s.namespace))
	"Egress" in object.get(o, ["spec", "policyTypes"], ["Egress" | get.present(o, ["spec", "egress"])])
]

lets_out(policy, pods, need) if {
	may_be(get.map(policy, ["spec", "podSelector"]), pods)
	some rule in get.list(policy, ["spec", "egress"])
	is_object(rule)
	opens(get.list(rule, "ports"), need)
	goes_to(get.list(rule, "to"), need)
}

# Of pods whose labels are not all known, another label may be there.
may_be(selector, pods) if count([1 |
	some label, value in get.map(selector, "matchLabels")
	object.get(pods.labels, label, unknown_label(label, value, pods)) != value
	not placeholder.holds(value)
]) == 0

unknown_label(label, _, pods) := null if label in pods.lacking

unknown_label(label, _, pods) := null if {
	object.get(pods, "all", false)
	not label in pods.lacking
}

unknown_label(label, value, pods) := value if {
	not object.get(pods, "all", false)
	not label in pods.lacking
}

opens([], _)

opens(ports, need) if {
	some one in ports
	is_object(one)
	some wanted in need.ports
	port := object.get(one, "port", wanted)
	met(port, one, wanted)
}

met(port, _, wanted) if port == wanted

met(port, _, _) if is_string(port)

met(port, one, wanted) if {
	port < wanted
	get.number(one, "endPort") >= wanted
}

goes_to([], _)

goes_to(peers, need) if {
	some peer in peers
	get.present(peer, "ipBlock")
	leads_there(get.string(peer, ["ipBlock", "cidr"]), need)
}

goes_to(peers, need) if {
	some peer in peers
	may_be_host(peer.host, need.host)
}

# A single address is no store's.
leads_there(cidr, need) if {
	need.to != "outside"
	not of_the_service(cidr, need)
}

of_the_service(cidr, need) if {
	need.to == "api"
	trim_suffix(cidr, "/32") in services_of_the_api
}

leads_there(cidr, need) if {
	need.to == "outside"
	not endswith(cidr, "/32")
}

# What runs in another namespace, or in the network of a node, may be meant.
goes_to(peers, need) if {
	need.to != "outside"
	some peer in peers
	get.present(peer, "namespaceSelector")
	not of_others(peer, need)
}

# The API server runs in no namespace of that name, wherever it is a pod at all.
of_others(peer, need) if {
	need.to == "api"
	name := get.string(peer, ["namespaceSelector", "matchLabels", "kubernetes.io/metadata.name"])
	not placeholder.unknown(name)
	not regex.match(`api|control|default|host|kube|openshift|vcluster`, name)
}

goes_to(peers, need) if {
	need.to == "instances"
	some peer in peers
	may_select(get.map(peer, "podSelector"))
}

# Other labels of theirs are not known.
goes_to(peers, need) if {
	need.to == "operated"
	some peer in peers
	get.present(peer, "podSelector")
	count([1 |
		some label, value in get.map(peer, ["podSelector", "matchLabels"])
		need.labels[label] != value
		not placeholder.holds(value)
	]) == 0
}
