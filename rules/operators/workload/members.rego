package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory

# Clients that come to any of several members, of which the primary alone takes what they write; see lost_clients of walguard.model. Patroni tells it apart by a label that it puts on the pods, or leads the Endpoints to
# it itself (patroni/dcs/kubernetes.py), and repmgr does neither. A probe for the primary leaves the others out. Among files alone.
at_any_member := [object.union(object.filter(asked, ["path", "resource"]), {
	"client": one.client,
	"reason": sprintf("writes by Service %s, which leads to all %d members alike", [asked.host, replicas.value]),
	"outcome": "on a standby it fails (\"read-only transaction\")",
	"cure": way_to_primary,
	"level": "error",
}) |
	not inventory.served
	replicas.value > 1
	not regex.match(`primary|master|leader|read-write`, json.marshal(object.get(container, "readinessProbe", {})))
	some one in asking_for_names
	regex.match(`^(Deployment|StatefulSet) `, one.client)
	not regex.match(`(?i)barman|export|grafana|haproxy|metabase|metric|odyssey|pgadmin|pgcat|pgdog|pgpool|read|repl|report|standby|superset`, concat(" ", [one.client, get.string(one.container, "image")]))
	asked := [way | some way in one.asked; way.host in member_services; not regex.match(`(?i)target_?session|targetserver|read|repl|report|slave|standby|_ro(_|$)`, concat(" ", [way.name, way.text]))][0]
]

member_services := {get.string(service, ["metadata", "name"]) |
	some service in services
	count([1 | some label, _ in service.spec.selector; regex.match(set_by_others, label)]) == 0
}

way_to_primary := sprintf("Add %s: primary to its selector (master before Patroni 4)", [object.get(variables, ["PATRONI_KUBERNETES_ROLE_LABEL", "value"], "role")]) if {
	layout == "patroni"
	in_kubernetes
	not endpoints_used == "yes"
}

way_to_primary := "Lead it to Pgpool-II, or to a Service of the primary alone" if server.product.name == "postgresql-repmgr"
