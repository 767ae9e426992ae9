package walguard.model.limits_test

import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.model.limits

items := [
	{"range": "a", "content": {"default": {"memory": "1Gi"}, "max": {"memory": "4Gi", "cpu": "2"}}},
	{"range": "b", "content": {"max": {"memory": "2Gi"}, "min": {"ephemeral-storage": "1Gi"}}},
	{"range": "c", "content": {"defaultRequest": {"hugepages-2Mi": "0"}}},
]

test_default_is_the_largest if {
	found := limits.default_of("memory") with limits.items as array.slice(items, 0, 2)
	[found.value, found.range] == ["2Gi", "b"]
	one := limits.default_of("cpu") with limits.items as [items[0]]
	[one.value, one.range] == ["2", "a"]
	not limits.default_of("ephemeral-storage") with limits.items as items
	limits.default_of("memory").range == "b" with limits.items as items
	not limits.default_of("memory") with limits.items as array.concat(array.slice(items, 0, 2), [{"range": "d", "content": {"default": {"memory": "x"}}}])
}

test_most_is_the_least if {
	found := limits.most_of("memory") with limits.items as items
	[found.value, found.range] == ["2Gi", "b"]
	not limits.most_of("ephemeral-storage") with limits.items as items
}

test_what_is_given if {
	every name, given in {"memory": [true, true], "cpu": [true, true], "ephemeral-storage": [true, false], "hugepages-2Mi": [true, false], "pods": [false, false]} {
		count([1 | limits.given(name)]) == count([1 | given[0]]) with limits.items as items
		count([1 | limits.limited(name)]) == count([1 | given[1]]) with limits.items as items
	}
}

# Each is left alone by one word of its own.
scalers := {
	"right": {},
	"off": {"updatePolicy": {"updateMode": "Off"}},
	"initial": {"updatePolicy": {"updateMode": "Initial"}},
	"another": {"targetRef": {"kind": "StatefulSet", "name": "other"}},
	"kind": {"targetRef": {"kind": "Deployment", "name": "db"}},
	"container": {"resourcePolicy": {"containerPolicies": [{"containerName": "exporter", "maxAllowed": {"memory": "2Gi"}}]}},
	"named": {"resourcePolicy": {"containerPolicies": [{"containerName": "postgres", "maxAllowed": {"memory": "2Gi"}}]}},
	"mode": {"resourcePolicy": {"containerPolicies": [{"containerName": "*", "mode": "Off", "maxAllowed": {"memory": "2Gi"}}]}},
	"requests": {"resourcePolicy": {"containerPolicies": [{"containerName": "*", "controlledValues": "RequestsOnly", "maxAllowed": {"memory": "2Gi"}}]}},
	"unbounded": {"resourcePolicy": {"containerPolicies": [{"containerName": "*", "maxAllowed": {"cpu": "2"}}]}},
}

scaled(_, api_version, kind) := [object.union(
	{"metadata": {"name": "vpa"}, "spec": {"targetRef": {"kind": "StatefulSet", "name": "db"}, "resourcePolicy": {"containerPolicies": [{"containerName": "*", "maxAllowed": {"memory": "2Gi"}}]}}},
	{"spec": input.other},
)] if {
	api_version == "autoscaling.k8s.io/v1"
	kind == "VerticalPodAutoscaler"
}

scaled(_, api_version, kind) := [] if [api_version, kind] != ["autoscaling.k8s.io/v1", "VerticalPodAutoscaler"]

test_autoscalers if {
	found := {name: most |
		some name, other in scalers
		most := limits.most_by_autoscaler({"path": []}) with input as {"other": other, "review": {"object": {"kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop"}}}}
			with inventory.list as scaled
			with k8s.object as {}
			with k8s.kind as "StatefulSet"
			with k8s.name as "db"
	}
	found == {name: {"value": "2Gi", "scaler": "vpa"} | some name in ["right", "initial", "named"]}
}
