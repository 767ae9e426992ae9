package walguard.checks.memory.node_headroom_test

import data.walguard.checks.memory.node_headroom as check
import data.walguard.lib.manifest_test as manifests

findings(type, resources) := found if {
	found := check.findings with input as manifests.review({}, {
		"affinity": {"nodeSelector": {"node.kubernetes.io/instance-type": type}},
		"resources": resources,
	})
}

test_nearly_all if {
	findings("ecs.g7.4xlarge", {"requests": {"cpu": 15, "memory": "60Gi"}}) == {
		{
			"message": "Requests 15 cores of cpu, and a ecs.g7.4xlarge has 16 cores: the kubelet, the system and DaemonSets need the rest and more. Request at most 87.5 % of a node, or larger nodes.",
			"path": ["spec", "resources"],
		},
		{
			"message": "Requests 60Gi of memory, and a ecs.g7.4xlarge has 64Gi: the kubelet, the system and DaemonSets need the rest and more. Request at most 87.5 % of a node, or larger nodes.",
			"path": ["spec", "resources"],
		},
	}
}

test_more_than_there_is if {
	findings("m6i.4xlarge", {"limits": {"memory": "128Gi"}}) == {{
		"message": "Requests 128Gi of memory, more than the largest node allowed has (m6i.4xlarge, 64Gi): the pods stay Pending. Request less, or allow larger nodes.",
		"severity": "warning",
		"path": ["spec", "resources"],
	}}
}

test_as_measured if findings("m6i.4xlarge", {"requests": {"cpu": 14, "memory": "56Gi"}}) == set()

test_per_set if {
	instance := {
		"name": "a",
		"resources": {"requests": {"memory": "15Gi"}},
		"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{
			"key": "node.kubernetes.io/instance-type",
			"operator": "In",
			"values": ["m6i.xlarge"],
		}]}]}}},
	}
	{f.path | some f in check.findings} == {["spec", "instances", 0, "resources"]} with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders"},
		"spec": {"instances": [instance, {"name": "b"}]},
	}}}
}

test_other_operators if {
	selector := {"node.kubernetes.io/instance-type": "m6i.xlarge"}
	resources := {"requests": {"memory": "15Gi"}}
	every case in [
		["apps/v1", "StatefulSet", {"template": {"spec": {"nodeSelector": selector, "containers": [{"image": "postgres:17", "resources": resources}]}}}],
		["apps.kubeblocks.io/v1", "Cluster", {"schedulingPolicy": {"nodeSelector": selector}, "componentSpecs": [{"name": "pg", "componentDef": "postgresql-16-1.0.0", "resources": resources}]}],
		["apps.kubeblocks.io/v1", "Cluster", {"componentSpecs": [{"name": "pg", "componentDef": "postgresql-16-1.0.0", "schedulingPolicy": {"nodeSelector": selector}, "resources": resources}]}],
	] {
		[version, kind, spec] := case
		count(check.findings) == 1 with input as {"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders"}, "spec": spec}}}
	}
}

test_stackgres if {
	profile := {"apiVersion": "stackgres.io/v1", "kind": "SGInstanceProfile", "metadata": {"name": "big", "namespace": "default"}, "spec": {"cpu": "4", "memory": "15Gi"}}
	count(check.findings) > 0 with input as {
		"review": {"object": {
			"apiVersion": "stackgres.io/v1",
			"kind": "SGCluster",
			"metadata": {"name": "orders"},
			"spec": {"sgInstanceProfile": "big", "pods": {"scheduling": {"nodeSelector": {"node.kubernetes.io/instance-type": "m6i.xlarge"}}}},
		}},
		"inventory": {"namespace": {"default": {"stackgres.io/v1": {"SGInstanceProfile": {"big": profile}}}}},
	}
}

test_silent_when_unknown if {
	findings("x1e.32xlarge", {"requests": {"memory": "4000Gi"}}) == set()
	findings("m6i.4xlarge", {}) == set()
	check.findings == set() with input as manifests.review({}, {"resources": {"requests": {"memory": "4000Gi"}}})
	check.findings == set() with input as manifests.change({"fsync": "on"})
}

test_exactly_a_node if {
	[f] := [f | some f in findings("m6i.4xlarge", {"requests": {"memory": "64Gi"}})]
	startswith(f.message, "Requests 64Gi of memory, and a m6i.4xlarge has 64Gi")
}
