# METADATA
# description: Manifests for the tests of checks, so that a check is tested on what an operator really reads.
package walguard.model_test

# METADATA
# description: A review of a CloudNativePG cluster prod/orders with these parameters and these additions to its spec.
review(parameters, spec) := {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"postgresql": {"parameters": parameters}}, spec),
}}}

# METADATA
# description: A review of a KubeBlocks OpsRequest that changes these parameters of the cluster prod/orders.
change(parameters) := {"review": {"object": {
	"apiVersion": "operations.kubeblocks.io/v1alpha1",
	"kind": "OpsRequest",
	"metadata": {"name": "tune", "namespace": "prod"},
	"spec": {
		"type": "Reconfiguring",
		"clusterName": "orders",
		"reconfigures": [{
			"componentName": "postgresql",
			"parameters": changed,
		}],
	},
}}} if {
	changed := [{"key": key, "value": value} | some key, value in parameters]
}
