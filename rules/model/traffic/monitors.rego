package walguard.model.traffic

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.workloads
import data.walguard.model

# Monitors of the Prometheus operator (https://prometheus-operator.dev/docs/api-reference/api/). Prometheus comes from wherever it is: only that no policy has the port is looked at, and only where one is written for these pods.
from_monitors := [object.union(one, {"from": "monitor", "consequence": "Prometheus gets no metrics of this server"}) |
	count([1 | some policy in closing; count(get.map(policy, ["spec", "podSelector"])) > 0]) > 0
	some one in array.concat(by_services, by_pods)
]

by_services := [{"port": port, "monitor": sprintf("ServiceMonitor %s", [get.string(monitor, ["metadata", "name"])]), "other_names": names_but(port)} |
	some monitor in inventory.list(k8s.namespace, "monitoring.coreos.com/v1", "ServiceMonitor")
	of_this_namespace(monitor)
	wanted := get.map(monitor, ["spec", "selector", "matchLabels"])
	count(wanted) > 0
	some service in inventory.list(k8s.namespace, "v1", "Service")
	all_in(wanted, get.map(service, ["metadata", "labels"]))
	leading := get.map(service, ["spec", "selector"])
	count(leading) > 0
	all_in(leading, model.cluster.selection.labels)
	some endpoint in get.list(monitor, ["spec", "endpoints"])
	port := numbered(wanted_of(endpoint, service))
	port != 5432
]

by_pods := [{"port": port, "monitor": sprintf("PodMonitor %s", [get.string(monitor, ["metadata", "name"])]), "other_names": names_but(port)} |
	some monitor in inventory.list(k8s.namespace, "monitoring.coreos.com/v1", "PodMonitor")
	of_this_namespace(monitor)
	wanted := get.map(monitor, ["spec", "selector", "matchLabels"])
	count(wanted) > 0
	all_in(wanted, model.cluster.selection.labels)
	some endpoint in get.list(monitor, ["spec", "podMetricsEndpoints"])
	port := numbered(object.get(endpoint, "port", object.get(endpoint, "targetPort", "")))
]

of_this_namespace(monitor) if not get.present(monitor, ["spec", "namespaceSelector"])

of_this_namespace(monitor) if k8s.namespace in get.list(monitor, ["spec", "namespaceSelector", "matchNames"])

all_in(wanted, labels) if {
	every label, value in wanted {
		labels[label] == value
	}
}

# A monitor names the port of the Service, and NetworkPolicies see that of the pod.
wanted_of(endpoint, service) := object.get(entry, "targetPort", object.get(entry, "port", "")) if {
	some entry in get.list(service, ["spec", "ports"])
	get.string(entry, "name") == get.string(endpoint, "port")
}

wanted_of(endpoint, _) := endpoint.targetPort if not get.present(endpoint, "port")

numbered(port) := port if is_number(port)

numbered(port) := number if {
	is_string(port)
	number := [object.get(one, "containerPort", 0) | some one in ports_of_pods; get.string(one, "name") == port][0]
	is_number(number)
	number > 0
}

# CloudNativePG's instances (pkg/specs/pods.go).
numbered("metrics") := 9187 if {
	count([1 | some one in ports_of_pods; get.string(one, "name") == "metrics"]) == 0
	k8s.kind == "Cluster"
	regex.match(`^postgresql\.`, k8s.api_version)
}

names_but(port) := {name |
	some one in ports_of_pods
	object.get(one, "containerPort", 0) != port
	name := get.string(one, "name")
}

ports_of_pods := [port |
	some one in workloads.containers
	workloads.itself(one.made)
	some port in get.list(one.container, "ports")
]
