# METADATA
# description: |
#   Who collects the metrics of the cluster, as far as files say: PodMonitors and ServiceMonitors that lead to its pods, and the one Prometheus among the files that would read them. What is only in a live
#   cluster is left alone, and so is everything where two of them may read, or where the one there is has no selector at all, which leaves its configuration to somebody else.
# related_resources:
#   - https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PrometheusSpec
# custom:
#   kinds:
#     - {group: monitoring.coreos.com, versions: [v1], kind: Prometheus, plural: prometheuses, namespaced: true, role: support, served: false}
#     - {group: monitoring.coreos.com, versions: [v1alpha1], kind: PrometheusAgent, plural: prometheusagents, namespaced: true, role: support, served: false}
package walguard.model.scrapes

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.model

# METADATA
# description: |
#   Where the one Prometheus among the files reads none of the monitors of the cluster: {"reason": one clause, "cure": a sentence without the full stop, "path", "resource"}.
unread := object.union(why[0], {"path": ["metadata"], "resource": k8s.reference(monitors[0])}) if {
	count(readers) == 1
	count([1 | some field in object.keys(kinds); get.present(readers[0], ["spec", selector_of(field)])]) > 0
	count(monitors) > 0
	why := [reason | some monitor in monitors; reason := passed_over(readers[0], monitor)]
	count(why) == count(monitors)
}

# METADATA
# description: The Poolers that no PodMonitor leads to, while one leads to the servers; see walguard.model, pooler_metrics.
unwatched_poolers := [one |
	count(array.concat(by_pods, [1 | model.cluster.own_monitor])) > 0
	some one in get.list(model.cluster, "pooler_metrics")
	count([1 | some monitor in all_of("PodMonitor"); may_lead_to(monitor, one.labels)]) == 0
]

readers := array.concat(inventory.in_all_files("monitoring.coreos.com/v1", "Prometheus"), inventory.in_all_files("monitoring.coreos.com/v1alpha1", "PrometheusAgent"))

all_of(kind) := [monitor |
	some monitor in inventory.in_all_files("monitoring.coreos.com/v1", kind)
	leads_here(monitor)
]

monitors := array.concat(by_pods, by_services)

by_pods := [monitor |
	some monitor in all_of("PodMonitor")
	surely(get.map(monitor, ["spec", "selector"]), model.cluster.selection.labels)
]

by_services := [monitor |
	some monitor in all_of("ServiceMonitor")
	count([1 |
		some service in inventory.list(k8s.namespace, "v1", "Service")
		surely(get.map(monitor, ["spec", "selector"]), get.map(service, ["metadata", "labels"]))
		surely({"matchLabels": get.map(service, ["spec", "selector"])}, model.cluster.selection.labels)
	]) > 0
]

leads_here(monitor) if {
	not get.present(monitor, ["spec", "namespaceSelector", "any"])
	not get.present(monitor, ["spec", "namespaceSelector", "matchNames"])
	object.get(monitor.metadata, "namespace", "default") == k8s.namespace
}

leads_here(monitor) if k8s.namespace in get.list(monitor, ["spec", "namespaceSelector", "matchNames"])

leads_here(monitor) if get.boolean(monitor, ["spec", "namespaceSelector", "any"])

# Of labels that are known in part: those that are there suffice.
surely(selector, labels) if {
	count(get.list(selector, "matchExpressions")) == 0
	wanted := get.map(selector, "matchLabels")
	count(wanted) > 0
	every label, value in wanted {
		labels[label] == value
	}
}

# A label that is not known may be there.
may_lead_to(monitor, labels) if {
	selector := get.map(monitor, ["spec", "selector"])
	count([1 | some label, value in get.map(selector, "matchLabels"); labels[label] != value; not placeholder.holds(value)]) == 0
	count([1 | some one in get.list(selector, "matchExpressions"); refuses(one, labels); one.key in object.keys(labels)]) == 0
}

kinds := {"PodMonitor": "podMonitor", "Probe": "probe", "ScrapeConfig": "scrapeConfig", "ServiceMonitor": "serviceMonitor"}

selector_of(kind) := sprintf("%sSelector", [kinds[kind]])

# By labels that are known in full.
passed_over(reader, monitor) := {
	"reason": sprintf("%s has no %s, and takes no %s", [title(reader), selector_of(monitor.kind), monitor.kind]),
	"cure": sprintf("Write %s: {} there", [selector_of(monitor.kind)]),
} if {
	object.get(reader, ["spec", selector_of(monitor.kind)], null) == null
} else := {
	"reason": sprintf("%s takes %ss with %s alone, and %s has not that label", [title(reader), monitor.kind, lacking, title(monitor)]),
	"cure": "Write it among its labels",
} if {
	lacking := unmet(get.map(reader, ["spec", selector_of(monitor.kind)]), get.map(monitor, ["metadata", "labels"]))[0]
} else := {
	"reason": sprintf("%s takes %ss of its own namespace %s alone, and %s is in %s", [title(reader), monitor.kind, reader.metadata.namespace, title(monitor), monitor.metadata.namespace]),
	"cure": sprintf("Write %sNamespaceSelector: {} there", [kinds[monitor.kind]]),
} if {
	object.get(reader, ["spec", sprintf("%sNamespaceSelector", [kinds[monitor.kind]])], null) == null
	reader.metadata.namespace != monitor.metadata.namespace
	not placeholder.holds(reader.metadata.namespace)
	not placeholder.holds(monitor.metadata.namespace)
} else := {
	"reason": sprintf("%s takes %ss of namespaces with %s alone, and %s has not that label", [title(reader), monitor.kind, lacking, monitor.metadata.namespace]),
	"cure": sprintf("Write it into %sNamespaceSelector, or the label into the Namespace", [kinds[monitor.kind]]),
} if {
	found := inventory.cluster_object("v1", "Namespace", monitor.metadata.namespace)
	lacking := unmet(
		get.map(reader, ["spec", sprintf("%sNamespaceSelector", [kinds[monitor.kind]])]),
		object.union({"kubernetes.io/metadata.name": monitor.metadata.namespace}, get.map(found, ["metadata", "labels"])),
	)[0]
}

title(o) := sprintf("%s %s", [o.kind, o.metadata.name])

# What a selector asks for and labels have not, in words.
unmet(selector, labels) := array.concat(
	[sprintf("%s=%s", [label, value]) |
		some label, value in get.map(selector, "matchLabels")
		is_string(value)
		object.get(labels, label, null) != value
		not placeholder.holds(value)
		not placeholder.holds(object.get(labels, label, ""))
	],
	[shown(one) |
		some one in get.list(selector, "matchExpressions")
		refuses(one, labels)
		not placeholder.holds(object.get(labels, one.key, ""))
	],
)

shown(one) := sprintf("%s in (%s)", [one.key, concat(", ", get.list(one, "values"))]) if one.operator == "In"

shown(one) := one.key if one.operator == "Exists"

refuses(one, labels) if {
	one.operator == "In"
	not object.get(labels, one.key, null) in get.list(one, "values")
	count([1 | some value in get.list(one, "values"); placeholder.holds(value)]) == 0
}

refuses(one, labels) if {
	one.operator == "Exists"
	object.get(labels, one.key, null) == null
}
