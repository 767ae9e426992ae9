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

of_class(size, class) := object.get(found, "refusals", []) if found := kubeblocks.cluster with input as {
	"review": {"object": {"apiVersion": "operations.kubeblocks.io/v1alpha1", "kind": "OpsRequest", "metadata": {"name": "ops", "namespace": "shop"}, "spec": {"clusterName": "stock", "type": "VolumeExpansion", "volumeExpansion": [{"componentName": "postgresql", "volumeClaimTemplates": [{"name": "data", "storage": size}]}]}}},
	"inventory": {
		"namespace": {"shop": {"apps.kubeblocks.io/v1": {"Cluster": {"stock": json.patch(stock, [{"op": "add", "path": "/spec/componentSpecs/0/volumeClaimTemplates/0/spec/storageClassName", "value": "ssd"}])}}}},
		"cluster": {"storage.k8s.io/v1": {"StorageClass": {"ssd": object.union({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "ssd"}, "provisioner": "ebs.csi.aws.com"}, class)}}},
	},
}

test_volumes_that_cannot_grow if {
	[[fault.reason, fault.path] | some fault in of_class("40Gi", {})] == [[
		"data is to grow from 20Gi to 40Gi, and its StorageClass ssd does not allow expansion",
		["spec", "volumeExpansion", 0, "volumeClaimTemplates", 0, "storage"],
	]]
	of_class("20Gi", {}) == []
	of_class("40Gi", {"allowVolumeExpansion": true}) == []
	of_class("40Gi", {"allowVolumeExpansion": "${GROWS}"}) == []
}
