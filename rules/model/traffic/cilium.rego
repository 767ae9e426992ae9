package walguard.model.traffic

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.placeholder

# Cilium's policies of a namespace as NetworkPolicies that allow no less, each under its own name: an endpoint that one of them selects takes what some policy of either kind allows, and no more
# (https://docs.cilium.io/en/stable/security/policy/). What has no like there is taken for everything.
of_cilium(namespace) := [policy |
	some o in inventory.list(namespace, "cilium.io/v2", "CiliumNetworkPolicy")
	is_object(o)
	some rules in array.concat([get.map(o, "spec")], get.list(o, "specs"))
	is_object(rules)
	policy := object.union(object.filter(o, ["apiVersion", "kind", "metadata"]), {"spec": {
		"podSelector": plain_selector(get.map(rules, "endpointSelector")),
		"policyTypes": [way | some way in ["Ingress", "Egress"]; count(get.list(rules, get.lower_case(way))) > 0],
		"ingress": [allowed | some rule in get.list(rules, "ingress"); some allowed in allowed_by(rule, "from")],
		"egress": [allowed | some rule in get.list(rules, "egress"); some allowed in allowed_by(rule, "to")],
	}})
]

# Rules that only add to what is open.
mixed(namespace) if {
	some o in inventory.list(namespace, "cilium.io/v2", "CiliumNetworkPolicy")
	some rules in array.concat([get.map(o, "spec")], get.list(o, "specs"))
	get.present(rules, "enableDefaultDeny")
}

# {} is nothing but "deny by default", and ICMP is no connection.
allowed_by(rule, way) := [{way: peers, "ports": ports_of(rule)}] if {
	is_object(rule)
	fields := {field | some field, _ in rule; startswith(field, way); field != "toPorts"}
	count(fields) > 0
	peers := [peer | some field in fields; some one in get.list(rule, field); some peer in peers_of(trim_prefix(field, way), one)]
	count(peers) > 0
}

allowed_by(rule, way) := [{way: [], "ports": ports_of(rule)}] if {
	is_object(rule)
	get.present(rule, "toPorts")
	count({field | some field, _ in rule; startswith(field, way); field != "toPorts"}) == 0
}

# 0 is every port, and a list of ports that is empty is no bound.
ports_of(rule) := listed if {
	listed := [port | some one in get.list(rule, "toPorts"); some written in get.list(one, "ports"); port := port_of(written)]
	bounded(rule)
}

ports_of(rule) := [] if not bounded(rule)

bounded(rule) if {
	count(get.list(rule, "toPorts")) > 0
	count([1 | some one in get.list(rule, "toPorts"); count(get.list(one, "ports")) == 0]) == 0
	count([1 | some one in get.list(rule, "toPorts"); some port in get.list(one, "ports"); object.get(port, "port", "0") in {0, "0"}]) == 0
}

port_of(written) := object.union({"port": number_of(written.port)}, object.filter(written, ["endPort"]))

number_of(port) := to_number(port) if regex.match(`^[0-9]+$`, get.text(port))

number_of(port) := port if not regex.match(`^[0-9]+$`, get.text(port))

everything := [{"ipBlock": {"cidr": "0.0.0.0/0"}}, {"namespaceSelector": {}}]

nodes := [{"ipBlock": {"cidr": "127.0.0.1/32"}}]

peers_of("Endpoints", selector) := everything if {
	some label, _ in get.map(selector, "matchLabels")
	startswith(label, "reserved:")
} else := [{"namespaceSelector": {}, "podSelector": {"matchLabels": own_labels(selector)}}] if {
	count(get.list(selector, "matchExpressions")) > 0
} else := [{"namespaceSelector": {"matchLabels": {name_label: namespace}}, "podSelector": {"matchLabels": own_labels(selector)}}] if {
	some label, namespace in get.map(selector, "matchLabels")
	regex.match(`^((k8s|any)[:.])?io\.kubernetes\.pod\.namespace$`, label)
} else := [{"namespaceSelector": {}, "podSelector": {"matchLabels": own_labels(selector)}}] if {
	some label, _ in get.map(selector, "matchLabels")
	contains(label, "io.cilium.k8s.namespace.labels")
} else := [{"podSelector": {"matchLabels": own_labels(selector)}}]

peers_of("Entities", entity) := found if {
	found := object.get({"all": everything, "cluster": array.concat(nodes, [{"namespaceSelector": {}}]), "world": [everything[0]], "world-ipv4": [everything[0]], "world-ipv6": [everything[0]]}, entity, nodes)
}

peers_of("CIDR", cidr) := [{"ipBlock": {"cidr": cidr}}]

peers_of("CIDRSet", one) := [{"ipBlock": {"cidr": object.get(one, "cidr", "0.0.0.0/0")}}]

peers_of("FQDNs", one) := [{"host": get.lower_case(trim_right(name, "."))} | some field in ["matchName", "matchPattern"]; name := get.string(one, field)]

peers_of(field, _) := everything if not field in {"Endpoints", "Entities", "CIDR", "CIDRSet", "FQDNs"}

# A label may name its source, and that of a namespace is no pod's.
own_labels(selector) := {regex.replace(label, `^(k8s|any)[:.]`, ""): value |
	some label, value in get.map(selector, "matchLabels")
	not contains(label, "io.kubernetes.pod.namespace")
	not contains(label, "io.cilium.k8s")
}

plain_selector(selector) := object.union({"matchLabels": own_labels(selector)}, object.filter(selector, ["matchExpressions"]))

# A bucket may stand in front of the host.
may_be_host(name, host) if regex.match(concat("", ["^", replace(replace(name, ".", `\.`), "*", ".*"), "$"]), host)

may_be_host(name, host) if endswith(name, sprintf(".%s", [host]))

may_be_host(name, _) if placeholder.unknown(name)
