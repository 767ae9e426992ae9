package walguard.model.pages_test

import data.walguard.model.pages

zfs_class := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "zfs"}, "provisioner": "zfs.csi.openebs.io", "parameters": {"fstype": "zfs", "recordsize": "16k", "poolname": "p"}}

# What holds full_page_writes=off back, of a cluster of CloudNativePG on ZFS whose claim says this too.
of_claim(claim, objects) := found if {
	found := pages.reasons with input as {
		"review": {"operation": "CREATE", "object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"instances": 1, "storage": {"size": "10Gi", "storageClass": "zfs", "pvcTemplate": claim}},
		}},
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"zfs": zfs_class}}, "v1": {"PersistentVolume": objects}}, "namespace": {}},
	}
}

of_driver(driver, class) := {"a": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}, "spec": {"storageClassName": class, "csi": {"driver": driver}}}}

test_what_the_class_makes if {
	of_claim({}, {}) == set()
	of_claim({"selector": {}}, {}) == set()
}

test_what_the_claim_picks if {
	of_claim({"selector": {"matchLabels": {"a": "b"}}}, {}) == {"a PersistentVolume that the claim picks by its selector"}
	named := {"PersistentVolume a, which the claim names"}
	of_claim({"volumeName": "a"}, {}) == named
	of_claim({"volumeName": "a", "selector": {"matchLabels": {"a": "b"}}}, {}) == named
	of_claim({"volumeName": "a"}, of_driver("nfs.csi.k8s.io", "zfs")) == named
	of_claim({"volumeName": "a"}, of_driver("zfs.csi.openebs.io", "other")) == named
	of_claim({"volumeName": "a"}, of_driver("zfs.csi.openebs.io", "zfs")) == set()
}

of_claims(operation, spec) := found if {
	found := pages.reasons with input as {
		"review": object.union(operation, {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {
			"replicas": 1,
			"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "zfs", "resources": {"requests": {"storage": "10Gi"}}}}],
		}}}),
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"zfs": zfs_class}}}, "namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"data-db-0": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data-db-0", "namespace": "prod", "uid": "1-2"}, "spec": object.union({"storageClassName": "zfs", "resources": {"requests": {"storage": "10Gi"}}}, spec)}}}}}},
	}
}

test_claims_that_are_there if {
	of_claims({"operation": "UPDATE"}, {}) == set()
	of_claims({"operation": "UPDATE"}, {"volumeName": "pvc-1-2"}) == set()
	held := {"the claim data-db-0 of StorageClass zfs"}
	of_claims({"operation": "UPDATE"}, {"volumeName": "pvc-3"}) == held
	of_claims({}, {"volumeName": "pvc-1-2"}) == held
	of_claims({}, {"selector": {"matchLabels": {"a": "b"}}}) == held
	of_claims({"operation": "UPDATE"}, {"selector": {"matchLabels": {"a": "b"}}, "volumeName": "pvc-1-2"}) == set()
}

of_claim_of_pod(operation, spec) := found if {
	found := pages.reasons with input as {
		"review": object.union(operation, {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"template": {"spec": {
			"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
			"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
		}}}}}),
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"zfs": zfs_class}}}, "namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"data": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "prod", "uid": "1-2"}, "spec": object.union({"storageClassName": "zfs", "resources": {"requests": {"storage": "10Gi"}}}, spec)}}}}}},
	}
}

test_a_claim_of_its_own if {
	of_claim_of_pod({"operation": "UPDATE"}, {"volumeName": "pvc-1-2"}) == set()
	of_claim_of_pod({"operation": "UPDATE"}, {"volumeName": "x"}) == {"PersistentVolume x, which the claim names"}
	of_claim_of_pod({}, {"selector": {"matchLabels": {"a": "b"}}}) == {"a PersistentVolume that the claim picks by its selector"}
}

# A script of the first start puts tables elsewhere.
spread(place) := found if {
	found := pages.reasons with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {
			"replicas": 1,
			"template": {"spec": {
				"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "more", "mountPath": "/more"}, {"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}],
				"volumes": [{"name": "init", "configMap": {"name": "init"}}],
			}},
			"volumeClaimTemplates": [
				{"metadata": {"name": "data"}, "spec": {"storageClassName": "zfs", "resources": {"requests": {"storage": "10Gi"}}}},
				{"metadata": {"name": "more"}, "spec": {"storageClassName": "gp3", "resources": {"requests": {"storage": "10Gi"}}}},
			],
		}}},
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"zfs": zfs_class}}}, "namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"a.sql": sprintf("CREATE TABLESPACE fast LOCATION '%s';", [place])}}}}}}},
	}
}

test_tablespaces_of_scripts if {
	spread("/more/fast") == {"StorageClass gp3, which is not known here"}
	spread("/var/lib/postgresql/data/fast") == set()
}
