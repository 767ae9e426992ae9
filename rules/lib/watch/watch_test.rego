package walguard.lib.watch_test

import data.walguard.lib.watch

deployment(namespace, name, container) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object.union({"name": name}, {"namespace": namespace | namespace != ""}), "spec": {"template": {"spec": {"containers": [container]}}}}

operator(environment) := {"name": "manager", "image": "ghcr.io/example/operator:1.2", "env": environment}

read(objects, metadata) := found if {
	found := watch.elsewhere(`^operator$`, {"WATCH", "MORE"}) with input as {
		"review": {"object": {"apiVersion": "v1", "kind": "Cluster", "metadata": metadata}},
		"inventory": {"namespace": objects},
	}
}

among(deployments) := read({"ops": {"apps/v1": {"Deployment": deployments}}}, {"name": "orders", "namespace": "shop"})

alone(environment) := among({"operator": deployment("ops", "operator", operator(environment))})

said(watched, names) := [{
	"reason": sprintf("The operator in namespace ops watches %s alone (%s): in shop it creates nothing, unless another operator is there", [watched, names]),
	"cure": "Add shop there, or watch all namespaces",
	"level": "warning",
	"path": ["metadata", "namespace"],
}]

own := {"name": "WATCH", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}

test_another_namespace if {
	alone([own]) == said("ops", "WATCH")
	alone([{"name": "WATCH", "value": "staging, test"}]) == said("staging and test", "WATCH")
	alone([{"name": "WATCH", "value": "staging"}, {"name": "MORE", "value": "test"}]) == said("staging and test", "MORE and WATCH")
}

test_it_is_watched if {
	every value in ["", "*", "shop", "staging,shop", "${NAMESPACE}"] {
		alone([{"name": "WATCH", "value": value}]) == []
	}
	alone([{"name": "WATCH"}]) == []
	alone([{"name": "OTHER", "value": "staging"}]) == []
	alone([{"name": "WATCH", "value": "staging"}, {"name": "MORE", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}]) == []
}

# Which of them is meant, and where it is.
test_unknown_operators if {
	two := {name: deployment("ops", name, operator([own])) | some name in ["a", "b"]}
	among(two) == []
	among({"a": deployment("", "a", operator([own]))}) == []
	among({"a": deployment("ops", "a", object.union(operator([own]), {"image": "example/other:1"}))}) == []
	among({}) == []
	here := {"ops": {"apps/v1": {"Deployment": {"operator": deployment("ops", "operator", operator([{"name": "WATCH", "value": "staging"}]))}}}}
	read(here, {"name": "orders"}) == []
	read(here, {"name": "orders", "namespace": "ops"}) == []
	read(here, {"name": "orders", "namespace": "${NAMESPACE}"}) == []
	count(read(here, {"name": "orders", "namespace": "shop"})) == 1
}

test_its_configuration if {
	settings := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config", "namespace": "ops"}, "data": {"WATCH_NAMESPACE": "staging"}}
	container := object.union(operator([]), {"args": ["controller", "--config-map-name=config", 5]})
	objects := {"ops": {"apps/v1": {"Deployment": {"operator": deployment("ops", "operator", container)}}, "v1": {"ConfigMap": {"config": settings}}}}
	found := watch.elsewhere(`^operator$`, {"WATCH_NAMESPACE"}) with input as {
		"review": {"object": {"apiVersion": "v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "shop"}}},
		"inventory": {"namespace": objects},
	}
	found == said("staging", "WATCH_NAMESPACE")
}
