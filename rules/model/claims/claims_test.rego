package walguard.model.claims_test

import data.walguard.model.claims

class_of(annotations) := names if {
	names := {claim.class_name | some claim in claims.claims} with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data", "annotations": annotations}, "spec": {"storageClassName": "zfs", "resources": {"requests": {"storage": "10Gi"}}}}],
		},
	}}}
}

test_annotated_class if {
	class_of({"volume.beta.kubernetes.io/storage-class": "ext4"}) == {"ext4"}
	class_of({"other": "ext4"}) == {"zfs"}
}

# What has the name that the template will give it is taken as it is.
held(claims_in_sight) := found if {
	found := [object.filter(claim, ["class_name", "size_bytes", "resource", "path"]) | some claim in claims.claims] with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {
				"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
				"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}}}],
			},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {name: {
			"apiVersion": "v1",
			"kind": "PersistentVolumeClaim",
			"metadata": object.union({"name": name, "namespace": "prod"}, metadata),
			"spec": {"storageClassName": class, "resources": {"requests": {"storage": size}}},
		} |
			some [name, class, size, metadata] in claims_in_sight
		}}}}},
	}
}

as_written := {"class_name": "fast", "size_bytes": 10737418240, "path": ["spec", "volumeClaimTemplates", 0, "spec"]}

as_made(name, changes) := object.union({"class_name": "fast", "size_bytes": 10737418240, "path": ["spec"], "resource": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "prod", "name": name}}, changes)

test_claims_made_before if {
	held([]) == [as_written]
	held([["data-orders-0", "fast", "10Gi", {}]]) == [as_written]
	held([["data-orders-0", "fast", "20Gi", {}]]) == [as_written]
	held([["data-other-0", "nfs", "1Gi", {}]]) == [as_written]
	held([["data-orders-0", "fast", "1Gi", {}]]) == [as_made("data-orders-0", {"size_bytes": 1073741824})]
	held([["data-orders-1", "nfs", "10Gi", {}]]) == [as_made("data-orders-1", {"class_name": "nfs"})]
	held([["data-orders-0", "fast", "10Gi", {"annotations": {"volume.beta.kubernetes.io/storage-class": "nfs"}}]]) == [as_made("data-orders-0", {"class_name": "nfs"})]
}
