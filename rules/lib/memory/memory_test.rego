package walguard.lib.memory_test

import data.walguard.lib.memory

bounded(resources, objects) := {[known.limit_bytes, memory.label(known)] | some known in sets} if {
	sets := memory.sets with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1, "storage": {"size": "1Gi"}, "resources": resources}}},
		"inventory": {"namespace": {"prod": objects}},
	}
}

range_of(limits) := {"v1": {"LimitRange": {"small": {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small", "namespace": "prod"}, "spec": {"limits": [object.union({"type": "Container"}, limits)]}}}}}

test_limit_ranges if {
	bounded({}, {}) == set()
	{one[0] | some one in bounded({}, range_of({"default": {"memory": "512Mi"}}))} == {536870912}
	{one[0] | some one in bounded({"limits": {"memory": "2Gi"}}, range_of({"default": {"memory": "512Mi"}}))} == {2147483648}
	bounded({}, range_of({"default": {"cpu": "1"}})) == set()
}

scaled(resources, target, policy, update) := {one[0] | some one in bounded(resources, {"autoscaling.k8s.io/v1": {"VerticalPodAutoscaler": {"up": {
	"apiVersion": "autoscaling.k8s.io/v1",
	"kind": "VerticalPodAutoscaler",
	"metadata": {"name": "up", "namespace": "prod"},
	"spec": object.union({"targetRef": {"kind": "Cluster", "name": target}, "resourcePolicy": {"containerPolicies": [object.union({"containerName": "*", "maxAllowed": {"memory": "1Gi"}}, policy)]}}, update),
}}}})}

test_autoscalers if {
	whole := {"limits": {"memory": "8Gi"}}
	scaled(whole, "orders", {}, {}) == {1073741824}
	scaled({"requests": {"memory": "4Gi"}, "limits": {"memory": "8Gi"}}, "orders", {}, {}) == {2147483648}
	scaled({"limits": {"memory": "512Mi"}}, "orders", {}, {}) == {536870912}
	scaled(whole, "others", {}, {}) == {8589934592}
	scaled(whole, "orders", {"controlledValues": "RequestsOnly"}, {}) == {8589934592}
	scaled(whole, "orders", {"mode": "Off"}, {}) == {8589934592}
	scaled(whole, "orders", {"containerName": "sidecar"}, {}) == {8589934592}
	scaled(whole, "orders", {"containerName": "postgres"}, {"updatePolicy": {"updateMode": "Initial"}}) == {1073741824}
	scaled(whole, "orders", {}, {"updatePolicy": {"updateMode": "Off"}}) == {8589934592}
}
