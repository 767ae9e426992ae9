package walguard.lib.image_manifest_test

# METADATA
# description: |
#   For the tests of checks: a review of a StatefulSet prod/orders that runs this image with its data on a claim; of a change of its
#   image; and of a change of the image of a cluster of CloudNativePG whose spec has these fields.
workload(image) := {"review": {"object": stateful_set(image)}}

change(old, new) := {"review": {"operation": "UPDATE", "object": stateful_set(new), "oldObject": stateful_set(old)}}

cluster_change(old, new, spec) := {"review": {"operation": "UPDATE", "object": cluster(new, spec), "oldObject": cluster(old, spec)}}

stateful_set(image) := set_of({"name": "postgres", "image": image, "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]})

set_of(container) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {
		"replicas": 1,
		"template": {"spec": {"containers": [container]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "100Gi"}}}}],
	},
}

cluster(image, spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"instances": 3, "imageName": image, "storage": {"size": "100Gi"}}, spec),
}

# METADATA
# description: Where the image of the StatefulSet stands.
image_path := ["spec", "template", "spec", "containers", 0, "image"]

test_both_are_read if {
	data.walguard.model.major == 17 with input as workload("postgres:17.6")
	data.walguard.model.image.persistent with input as workload("postgres:17.6")
	data.walguard.model.before.cluster.major.value == 16 with input as change("postgres:16", "postgres:17")
	data.walguard.model.before.cluster.major.value == 16 with input as cluster_change("x:16", "x:17", {})
}
