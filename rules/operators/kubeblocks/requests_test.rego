package walguard.operators.kubeblocks_requests_test

import data.walguard.operators.kubeblocks

stock := {
	"apiVersion": "apps.kubeblocks.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "stock", "namespace": "shop"},
	"spec": {"clusterDef": "postgresql", "topology": "replication", "terminationPolicy": "Delete", "componentSpecs": [{
		"name": "postgresql",
		"serviceVersion": "17.5.0",
		"replicas": 2,
		"volumeClaimTemplates": [{"name": "data", "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}}}],
	}]},
}

refused(spec) := object.get(found, "refusals", []) if found := kubeblocks.cluster with input as {
	"review": {"object": {"apiVersion": "operations.kubeblocks.io/v1alpha1", "kind": "OpsRequest", "metadata": {"name": "ops", "namespace": "shop"}, "spec": object.union({"clusterName": "stock"}, spec)}},
	"inventory": {"namespace": {"shop": {"apps.kubeblocks.io/v1": {"Cluster": {"stock": stock}}}}},
}

set_to(name, value) := refused({"type": "Reconfiguring", "reconfigures": [{"componentName": "postgresql", "parameters": [{"key": name, "value": value}]}]})

test_parameter_that_nobody_changes if {
	[[fault.reason, fault.cure] | some fault in set_to("ssl", "on")] == [["ssl is one of the parameters that its PostgreSQL addon lets nobody change, and the request fails with all others that it has", "Take it out"]]
	set_to("max_connections", "200") == []
}

expanded(name, size) := refused({"type": "VolumeExpansion", "volumeExpansion": [{"componentName": "postgresql", "volumeClaimTemplates": [{"name": name, "storage": size}]}]})

test_volumes if {
	[[fault.reason, fault.cure] | some fault in expanded("data", "10Gi")] == [["data is asked to have 10Gi and has 20Gi, and no volume gets smaller", "Write more than 20Gi, or restore a backup into a cluster with less"]]
	expanded("data", "40Gi") == []
	count([1 | some _ in expanded("${VOLUME}", "${SIZE}")]) == 0
}
