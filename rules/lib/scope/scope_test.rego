package walguard.lib.scope_test

import data.walguard.lib.scope

resource := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "namespace": "shop", "name": "legacy-1"}

in_cluster(pattern) if scope.covers(pattern, resource) with input as {"review": {"operation": "CREATE", "object": {"kind": "Cluster"}}}

# Everybody may give an object a name.
test_a_namespace_is_needed_in_a_cluster if {
	not in_cluster({"name": "legacy*"})
	not in_cluster({"kind": "Cluster", "name": "legacy-1"})
	in_cluster({"namespace": "shop", "name": "legacy*"})
	in_cluster({"namespace": "*", "name": "legacy*"})
	not in_cluster({"namespace": "bank", "name": "legacy*"})
	not in_cluster({})
}

test_files if scope.covers({"name": "legacy*"}, resource) with input as {"review": {"object": {"kind": "Cluster"}}}

test_objects_of_administrators if {
	class := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "namespace": "", "name": "fast"}
	scope.covers({"kind": "StorageClass"}, class) with input as {"review": {"operation": "UPDATE", "object": {"kind": "StorageClass"}}}
}

# One for objects of a namespace that names none covers nothing; of the cluster scope there are others.
test_homeless if {
	every kind in ["StorageClass", "ClusterImageCatalog", "KubeletConfig", "MachineConfig", "Storage*", "*"] {
		not scope.homeless({"kind": kind, "name": "a"})
	}
	scope.homeless({"kind": "Cluster", "name": "a"})
	scope.homeless({"kind": "StatefulSet"})
	every one in [{"kind": "Cluster", "namespace": "prod"}, {"name": "a"}, "Cluster", 3] {
		not scope.homeless(one)
	}
}

test_reviewed if {
	reviewed := {"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "shop"}}}}
	scope.covers_reviewed({"kind": "Pod", "name": "a"}) with input as reviewed
	scope.covers_reviewed({"namespace": "shop"}) with input as reviewed
	not scope.covers_reviewed({"kind": "Pod", "name": "b"}) with input as reviewed
	not scope.covers_reviewed("a") with input as reviewed
	not scope.covers_reviewed({}) with input as reviewed
	every kind in ["StorageClass", "ClusterImageCatalog", "KubeletConfig", "MachineConfig"] {
		scope.covers({"kind": kind, "name": "a"}, {"kind": kind, "namespace": "", "name": "a"}) with input as {"review": {"operation": "CREATE", "object": {"kind": kind}}}
	}
}
