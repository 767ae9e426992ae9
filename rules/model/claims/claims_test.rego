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
