package walguard.model.traffic

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.model

# Of Cilium's policies what a store outside needs: an endpoint that one with egress selects goes where some policy says, and nowhere else (https://docs.cilium.io/en/stable/security/policy/).
kept_by_cilium := [object.union(need, {"policy": k8s.reference(shutting[0]), "pods": "the instances"}) |
	needs := [need | some need in get.list(model.cluster, "reaches"); need.to == "outside"]
	count(needs) > 0
	count(model.cluster.selection.labels) > 0
	ciliums := inventory.list(k8s.namespace, "cilium.io/v2", "CiliumNetworkPolicy")
	shutting := [o |
		some o in ciliums
		some rules in rules_of(o)
		count(get.list(rules, "egress")) > 0
		object.get(rules, ["enableDefaultDeny", "egress"], true) == true
		selects(plain_selector(rules), model.cluster.selection.labels)
	]
	count(shutting) > 0
	nothing_but_cilium
	some need in needs
	count([1 | some o in ciliums; some rules in rules_of(o); opened_by(rules, need)]) == 0
]

nothing_but_cilium if {
	count([1 | some [api_version, kind] in deciding; kind != "CiliumNetworkPolicy"; some _ in inventory.list(k8s.namespace, api_version, kind)]) == 0
	count([1 | some [api_version, kind] in deciding_everywhere; some _ in inventory.cluster_objects(api_version, kind)]) == 0
}

rules_of(o) := array.concat([get.map(o, "spec")], get.list(o, "specs"))

# A label may name its source. One of a namespace is no label of pods.
plain_selector(rules) := object.union(
	{"matchLabels": {regex.replace(label, `^(k8s|any)[:.]`, ""): value | some label, value in get.map(rules, ["endpointSelector", "matchLabels"])}},
	object.filter(get.map(rules, "endpointSelector"), ["matchExpressions"]),
)

opened_by(rules, need) if {
	may_select(plain_selector(rules))
	some rule in get.list(rules, "egress")
	is_object(rule)
	lets_port(get.list(rule, "toPorts"), need)
	leads_outside(rule, need)
}

lets_port([], _)

lets_port(listed, need) if {
	some one in listed
	ports := get.list(one, "ports")
	some wanted in need.ports
	count([1 | some port in ports; may_mean(get.text(object.get(port, "port", "0")), port, wanted)]) + count([1 | count(ports) == 0]) > 0
}

# 0 is every port, and a name may be any.
may_mean(text, _, _) if not regex.match(`^[1-9][0-9]*$`, text)

may_mean(text, port, wanted) if {
	regex.match(`^[1-9][0-9]*$`, text)
	to_number(text) <= wanted
	max([to_number(text), object.get(port, "endPort", 0)]) >= wanted
}

# {} is nothing but "deny by default", and ports alone are open to everybody.
leads_outside(rule, _) if {
	{field | some field, _ in rule} == {"toPorts"}
}

# Addresses are not compared with the store's, but for single ones.
leads_outside(rule, _) if {
	some field in ["toCIDR", "toCIDRSet"]
	some one in get.list(rule, field)
	not endswith(cidr_of(one), "/32")
}

cidr_of(one) := one if is_string(one)

cidr_of(one) := get.string(one, "cidr") if is_object(one)

leads_outside(rule, _) if {
	some entity in get.list(rule, "toEntities")
	entity in {"all", "world", "world-ipv4", "world-ipv6"}
}

leads_outside(rule, _) if {
	some field in ["toGroups", "toServices"]
	count(get.list(rule, field)) > 0
}

leads_outside(rule, need) if {
	some one in get.list(rule, "toFQDNs")
	some field in ["matchName", "matchPattern"]
	name := get.lower_case(trim_right(get.string(one, field), "."))
	may_be_host(name, need.host)
}

# A bucket may stand in front of the host.
may_be_host(name, host) if regex.match(concat("", ["^", replace(replace(name, ".", `\.`), "*", ".*"), "$"]), host)

may_be_host(name, host) if endswith(name, sprintf(".%s", [host]))

may_be_host(name, _) if placeholder.unknown(name)

may_be_host(name, _) if not regex.match(`^[a-z0-9*._-]+$`, name)
