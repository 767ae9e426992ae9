package walguard.checks.manifest.metrics_uncollected_test

import data.walguard.checks.manifest.metrics_uncollected as check

cluster(fields) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"instances": 3}, fields)}

asked(fields, inventory) := found if {
	found := check.findings with input as {"review": {"object": cluster(fields)}, "inventory": inventory}
}

said(found) := {f.message | some f in found}

of_servers := {"cnpg.io/cluster": "orders", "cnpg.io/podRole": "instance"}

monitor(labels, selector) := {"apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor", "metadata": {"name": "orders", "namespace": "prod", "labels": labels}, "spec": {"selector": selector, "podMetricsEndpoints": [{"port": "metrics"}]}}

reader(spec) := {"apiVersion": "monitoring.coreos.com/v1", "kind": "Prometheus", "metadata": {"name": "main", "namespace": "monitoring"}, "spec": spec}

files(monitors, readers) := {"namespace": {
	"prod": {"monitoring.coreos.com/v1": {"PodMonitor": monitors}},
	"monitoring": {"monitoring.coreos.com/v1": {"Prometheus": readers}},
}}

by_label := {"podMonitorSelector": {"matchLabels": {"release": "monitoring"}}, "podMonitorNamespaceSelector": {}}

silent := "no metrics of this cluster are collected, and alerts stay silent"

test_label if {
	asked({}, files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader(by_label)})) == {{
		"message": sprintf("Prometheus main takes PodMonitors with release=monitoring alone, and PodMonitor orders has not that label: %s. Write it among its labels.", [silent]),
		"path": ["metadata"],
		"resource": {"apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor", "name": "orders", "namespace": "prod"},
	}}
	asked({}, files({"orders": monitor({"release": "monitoring"}, {"matchLabels": of_servers})}, {"main": reader(by_label)})) == set()
	asked({}, files({"orders": monitor({"release": "${RELEASE}"}, {"matchLabels": of_servers})}, {"main": reader(by_label)})) == set()
	asked({}, files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader({"podMonitorSelector": {}, "podMonitorNamespaceSelector": {}})})) == set()
	asked({}, files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader({"podMonitorSelector": {"matchLabels": {"release": "${RELEASE}"}}, "podMonitorNamespaceSelector": {}})})) == set()
}

test_expressions if {
	by({"key": "team", "operator": "In", "values": ["b", "c"]}) == {sprintf("Prometheus main takes PodMonitors with team in (b, c) alone, and PodMonitor orders has not that label: %s. Write it among its labels.", [silent])}
	by({"key": "scrape", "operator": "Exists"}) == {sprintf("Prometheus main takes PodMonitors with scrape alone, and PodMonitor orders has not that label: %s. Write it among its labels.", [silent])}
	every expression in [{"key": "team", "operator": "In", "values": ["a"]}, {"key": "team", "operator": "Exists"}, {"key": "team", "operator": "In", "values": ["${TEAM}"]}, {"key": "team", "operator": "NotIn", "values": ["a"]}] {
		by(expression) == set()
	}
}

by(expression) := said(asked({}, files({"orders": monitor({"team": "a"}, {"matchLabels": of_servers})}, {"main": reader({"podMonitorSelector": {"matchExpressions": [expression]}, "podMonitorNamespaceSelector": {}})})))

test_no_selector_at_all if {
	said(asked({}, files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader({"serviceMonitorSelector": {}})}))) == {sprintf("Prometheus main has no podMonitorSelector, and takes no PodMonitor: %s. Write podMonitorSelector: {} there.", [silent])}
	asked({}, files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader({})})) == set()
}

test_namespaces if {
	said(asked({}, files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader({"podMonitorSelector": {}})}))) == {sprintf("Prometheus main takes PodMonitors of its own namespace monitoring alone, and PodMonitor orders is in prod: %s. Write podMonitorNamespaceSelector: {} there.", [silent])}
	chosen := files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader({"podMonitorSelector": {}, "podMonitorNamespaceSelector": {"matchLabels": {"scrape": "yes"}}})})
	said(asked({}, object.union(chosen, namespace({})))) == {sprintf("Prometheus main takes PodMonitors of namespaces with scrape=yes alone, and prod has not that label: %s. Write it into podMonitorNamespaceSelector, or the label into the Namespace.", [silent])}
	asked({}, object.union(chosen, namespace({"scrape": "yes"}))) == set()
	asked({}, chosen) == set()
}

namespace(labels) := {"cluster": {"v1": {"Namespace": {"prod": {"metadata": {"name": "prod", "labels": labels}}}}}}

# Another one may read them, and a monitor may be for others.
test_what_is_not_known if {
	asked({}, files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader(by_label), "more": object.union(reader(by_label), {"metadata": {"name": "more"}})})) == set()
	asked({}, files({"orders": monitor({}, {"matchLabels": {"app": "web"}})}, {"main": reader(by_label)})) == set()
	asked({}, files({"orders": monitor({}, {"matchLabels": of_servers, "matchExpressions": [{"key": "a", "operator": "Exists"}]})}, {"main": reader(by_label)})) == set()
	asked({}, files({}, {"main": reader(by_label)})) == set()
	asked({}, files({"orders": monitor({}, {"matchLabels": of_servers})}, {})) == set()
	asked({}, object.union(files({"orders": monitor({}, {"matchLabels": of_servers})}, {"main": reader(by_label)}), {"live": true})) == set()
	asked({}, files({"orders": monitor({}, {"matchLabels": of_servers}), "two": object.union(monitor({"release": "monitoring"}, {"matchLabels": of_servers}), {"metadata": {"name": "two"}})}, {"main": reader(by_label)})) == set()
}

test_monitors_of_another_namespace if {
	count(elsewhere({"matchNames": ["prod"]})) == 1
	count(elsewhere({"any": true})) == 1
	elsewhere({"matchNames": ["dev"]}) == set()
	elsewhere({}) == set()
}

elsewhere(chosen) := said(asked({}, {"namespace": {"monitoring": {"monitoring.coreos.com/v1": {
	"PodMonitor": {"orders": object.union(monitor({}, {"matchLabels": of_servers}), {"metadata": {"namespace": "monitoring"}, "spec": {"namespaceSelector": chosen}})},
	"Prometheus": {"main": reader(by_label)},
}}}}))

test_service_monitors if {
	found := said(asked({}, {"namespace": {
		"prod": {
			"v1": {"Service": {"metrics": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "metrics", "namespace": "prod", "labels": {"app": "orders"}}, "spec": {"selector": of_servers}}}},
			"monitoring.coreos.com/v1": {"ServiceMonitor": {"orders": {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"selector": {"matchLabels": {"app": "orders"}}}}}},
		},
		"monitoring": {"monitoring.coreos.com/v1alpha1": {"PrometheusAgent": {"main": {"apiVersion": "monitoring.coreos.com/v1alpha1", "kind": "PrometheusAgent", "metadata": {"name": "main", "namespace": "monitoring"}, "spec": by_label}}}},
	}}))
	found == {sprintf("PrometheusAgent main has no serviceMonitorSelector, and takes no ServiceMonitor: %s. Write serviceMonitorSelector: {} there.", [silent])}
}

# --------------------------------------------------------------------------------------------------------- poolers

pooler(fields) := {"postgresql.cnpg.io/v1": {"Pooler": {"orders-rw": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "orders-rw", "namespace": "prod"}, "spec": object.union({"cluster": {"name": "orders"}}, fields)}}}}

pooled(spec, fields, monitors) := asked(spec, {"namespace": {"prod": object.union(pooler(fields), {"monitoring.coreos.com/v1": {"PodMonitor": monitors}})}})

test_pooler if {
	pooled({}, {}, {"orders": monitor({}, {"matchLabels": of_servers})}) == {{
		"message": "The servers have a PodMonitor, and Pooler orders-rw has none: clients that PgBouncer keeps waiting or turns away go unseen. Create one that selects cnpg.io/poolerName: orders-rw.",
		"path": ["metadata", "name"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "name": "orders-rw", "namespace": "prod"},
		"severity": "info",
	}}
	count(pooled({"monitoring": {"enablePodMonitor": true}}, {}, {})) == 1
}

test_pooler_that_is_seen if {
	pooled({}, {}, {}) == set()
	pooled({}, {"monitoring": {"enablePodMonitor": true}}, {"orders": monitor({}, {"matchLabels": of_servers})}) == set()
	pooled({}, {"monitoring": {"enablePodMonitor": "${ENABLED}"}}, {"orders": monitor({}, {"matchLabels": of_servers})}) == set()
	pooled({}, {}, {"orders": monitor({}, {"matchLabels": {"cnpg.io/cluster": "orders"}})}) == set()
	every selector in [
		{"matchLabels": {"cnpg.io/poolerName": "orders-rw"}},
		{"matchLabels": {"app": "orders"}},
		{"matchLabels": {"cnpg.io/podRole": "${ROLE}"}},
		{"matchExpressions": [{"key": "cnpg.io/podRole", "operator": "In", "values": ["instance", "pooler"]}]},
		{"matchExpressions": [{"key": "cnpg.io/poolerName", "operator": "Exists"}]},
		{"matchExpressions": [{"key": "app", "operator": "In", "values": ["orders"]}]},
	] {
		pooled({}, {}, {"orders": monitor({}, {"matchLabels": of_servers}), "pooler": monitor({}, selector)}) == set()
	}
	every selector in [
		{"matchLabels": {"cnpg.io/poolerName": "other"}},
		{"matchExpressions": [{"key": "cnpg.io/podRole", "operator": "In", "values": ["instance"]}]},
	] {
		count(pooled({}, {}, {"orders": monitor({}, {"matchLabels": of_servers}), "pooler": monitor({}, selector)})) == 1
	}
	count(pooled({}, {"template": {"metadata": {"labels": {"app": "pool"}}}}, {"orders": monitor({}, {"matchLabels": of_servers}), "pooler": monitor({}, {"matchLabels": {"app": "orders"}})})) == 1
}
