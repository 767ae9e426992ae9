package walguard.checks.parameters.ignored_test

import data.walguard.checks.parameters.ignored as check

cluster := {
	"apiVersion": "apps.kubeblocks.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"clusterDef": "postgresql", "componentSpecs": [{"name": "postgresql", "serviceVersion": "16.4.0"}]},
}

change(component) := {
	"apiVersion": "operations.kubeblocks.io/v1alpha1",
	"kind": "OpsRequest",
	"metadata": {"name": "tune", "namespace": "prod"},
	"spec": {"type": "Reconfiguring", "clusterName": "orders", "reconfigures": [{
		"componentName": component,
		"parameters": [{"key": "work_mem", "value": "64MB"}],
	}]},
}

findings(component) := found if {
	found := check.findings with input as {
		"review": {"object": change(component)},
		"inventory": {"namespace": {"prod": {"apps.kubeblocks.io/v1": {"Cluster": {"orders": cluster}}}}},
	}
}

test_no_such_component if {
	findings("postgres") == {{
		"message": "KubeBlocks prod/orders sets work_mem where nobody reads it: the Cluster has no component postgres. It has no effect",
		"path": ["spec", "reconfigures", 0, "parameters", 0, "value"],
	}}
}

test_component if findings("postgresql") == set()

test_silent_when_the_cluster_is_not_in_sight if {
	check.findings == set() with input as {"review": {"object": change("postgres")}}
}

test_annotation if {
	noted := object.union(cluster, {"metadata": {"annotations": {"config.kubeblocks.io/init-parameters": `{"postgres": {"assignments": {"jit": "on"}}}`}}})
	{f.path | some f in check.findings} == {["metadata", "annotations", "config.kubeblocks.io/init-parameters"]} with input as {"review": {"object": noted}}
}
