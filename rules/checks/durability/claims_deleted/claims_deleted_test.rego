package walguard.checks.durability.claims_deleted_test

import data.walguard.checks.durability.claims_deleted as check

findings(object) := found if found := check.findings with input as {"review": {"object": object}}

set(spec) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": {"containers": [{"image": "postgres:17"}]}}}, spec),
}

percona(finalizers, repos) := {
	"apiVersion": "pgv2.percona.com/v2",
	"kind": "PerconaPGCluster",
	"metadata": {"name": "orders", "namespace": "prod", "finalizers": finalizers},
	"spec": {"postgresVersion": 17, "backups": {"pgbackrest": {"repos": repos}}},
}

test_stateful_set if {
	findings(set({"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"}})) == {{
		"message": "persistentVolumeClaimRetentionPolicy.whenDeleted: Delete: the volumes go when this resource is deleted, by mistake too. Take it out, and delete them by hand when they are no longer needed",
		"path": ["spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted"],
		"severity": "warning",
	}}
	findings(set({})) == set()
}

# Who stops a database of one server scales it to 0.
test_scaled_to_nothing if {
	findings(set({"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Delete"}})) == {{
		"message": "persistentVolumeClaimRetentionPolicy.whenScaled: Delete: the volumes go when this resource is scaled to 0, by mistake too. Take it out, and delete them by hand when they are no longer needed",
		"path": ["spec", "persistentVolumeClaimRetentionPolicy", "whenScaled"],
		"severity": "warning",
	}}
	findings(set({"replicas": 3, "persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}})) == set()
}

test_percona if {
	found := findings(percona(["percona.com/delete-pvc", "percona.com/delete-backups", "percona.com/delete-ssl"], [{"name": "repo1"}]))
	{[f.path, f.severity] | some f in found} == {[["metadata", "finalizers", 0], "info"], [["metadata", "finalizers", 1], "warning"]}
	{f.severity | some f in findings(percona(["percona.com/delete-pvc"], []))} == {"warning"}
	findings(percona([], [])) == set()
}

test_kubeblocks if {
	cluster := {"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "orders"}, "spec": {"clusterDef": "postgresql", "terminationPolicy": "WipeOut", "componentSpecs": [{"name": "postgresql"}]}}
	{f.path | some f in findings(cluster)} == {["spec", "terminationPolicy"]}
	{f.severity | some f in findings(object.union(cluster, {"spec": {"terminationPolicy": "Delete"}}))} == {"info"}
	findings(object.union(cluster, {"spec": {"terminationPolicy": "DoNotTerminate"}})) == set()
}

test_silent_about_others if findings({"kind": "Service"}) == set()

zalando(configuration, class) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "volume": {"size": "20Gi", "storageClass": "disks"}},
	}},
	"inventory": {
		"cluster": {"storage.k8s.io/v1": {"StorageClass": {"disks": object.union({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disks"}}, class)}}},
		"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"operator": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "OperatorConfiguration",
			"metadata": {"name": "operator", "namespace": "ops"},
			"configuration": {"kubernetes": configuration},
		}}}}},
	},
}

test_default_of_zalando if {
	zalando({}, {}) == {{
		"message": "enable_persistent_volume_claim_deletion of the operator is on: the volumes go when this resource is deleted, by mistake too. Set it to false, and delete them by hand when they are no longer needed",
		"path": ["configuration", "kubernetes"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "operator", "namespace": "ops"},
		"severity": "info",
	}}
	zalando({"enable_persistent_volume_claim_deletion": false}, {}) == set()
	zalando({}, {"reclaimPolicy": "Retain"}) == set()
}

# What the StatefulSet is told to keep the operator deletes.
test_retained_in_vain if {
	retain := {"persistent_volume_claim_retention_policy": {"when_deleted": "retain", "when_scaled": "retain"}}
	zalando(retain, {}) == {{
		"message": "when_deleted: retain binds the StatefulSet only, enable_persistent_volume_claim_deletion is on by default: the claims go when this resource is deleted, by mistake too. Set it to false, and delete them by hand when they are no longer needed",
		"path": ["configuration", "kubernetes", "persistent_volume_claim_retention_policy"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "operator", "namespace": "ops"},
		"severity": "warning",
	}}
	zalando(object.union(retain, {"enable_persistent_volume_claim_deletion": false}), {}) == set()
	zalando(retain, {"reclaimPolicy": "Retain"}) == set()

	# As the chart has both.
	{f.severity | some f in zalando(object.union(retain, {"enable_persistent_volume_claim_deletion": true}), {})} == {"info"}
	{f.severity | some f in zalando({"persistent_volume_claim_retention_policy": {"when_deleted": "delete"}}, {})} == {"info"}
	{f.severity | some f in zalando({"persistent_volume_claim_retention_policy": {"when_scaled": "retain"}}, {})} == {"info"}
}

by_map(data_of) := {[f.severity, f.path] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"numberOfInstances": 2, "volume": {"size": "20Gi"}}}},
		"inventory": {"namespace": {"ops": {"v1": {"ConfigMap": {"operator": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "operator", "namespace": "ops"}, "data": object.union({"docker_image": "ghcr.io/zalando/spilo-17:4.0-p3", "cluster_name_label": "cluster-name", "pod_role_label": "spilo-role", "workers": "8", "resync_period": "30m"}, data_of)}}}}}},
	}
}

test_retained_in_vain_by_a_map if {
	by_map({"persistent_volume_claim_retention_policy": "when_deleted:retain,when_scaled:retain"}) == {["warning", ["data", "persistent_volume_claim_retention_policy"]]}
	by_map({"persistent_volume_claim_retention_policy": "when_deleted:retain,when_scaled:retain", "enable_persistent_volume_claim_deletion": "false"}) == set()
	by_map({"persistent_volume_claim_retention_policy": "when_deleted:delete,when_scaled:retain"}) == set()
	by_map({}) == set()
}

flux(name, spec) := {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": name, "namespace": "flux-system"}, "spec": spec}

class(policy) := {"storage.k8s.io/v1": {"StorageClass": {"fast": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "p", "reclaimPolicy": policy}}}}

recreated(metadata, kustomizations, classes) := {[f.severity, object.get(f, ["resource", "name"], "")] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": object.union({"name": "orders", "namespace": "prod"}, metadata), "spec": {"instances": 3, "storage": {"size": "1Gi", "storageClass": "fast"}}}},
		"inventory": {
			"files": {},
			"cluster": classes,
			"namespace": {"flux-system": {"kustomize.toolkit.fluxcd.io/v1": {"Kustomization": {one.metadata.name: one | some one in kustomizations}}}},
		},
	}
}

forcing := flux("db", {"force": true})

annotated(name, value) := {"annotations": {name: value}}

test_forced_by_a_kustomization if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3, "storage": {"size": "1Gi"}}}},
		"inventory": {"files": {}, "namespace": {"flux-system": {"kustomize.toolkit.fluxcd.io/v1": {"Kustomization": {"db": forcing}}}}},
	}
	found == {{
		"message": "Kustomization db has force: true: when the API server refuses a change (an immutable field, a smaller volume), Flux deletes this resource with its volumes, and creates it anew and empty. Set force: false there.",
		"path": ["spec", "force"],
		"resource": {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "name": "db", "namespace": "flux-system"},
		"severity": "warning",
	}}
	recreated({}, [forcing], class("Delete")) == {["error", "db"]}
	recreated({}, [forcing], class("Retain")) == set()
	recreated({}, [forcing, flux("apps", {})], class("Delete")) == set()
	recreated({}, [flux("apps", {})], class("Delete")) == set()

	# It does not except the resource.
	recreated(annotated("kustomize.toolkit.fluxcd.io/force", "disabled"), [forcing], class("Delete")) == {["info", "db"]}
	recreated(annotated("kustomize.toolkit.fluxcd.io/ssa", "IfNotPresent"), [forcing], class("Delete")) == set()
	recreated(annotated("kustomize.toolkit.fluxcd.io/reconcile", "disabled"), [forcing], class("Delete")) == set()
}

test_forced_by_an_annotation if {
	recreated(annotated("kustomize.toolkit.fluxcd.io/force", "Enabled"), [forcing], class("Delete")) == {["error", ""]}
	recreated({"labels": {"kustomize.toolkit.fluxcd.io/force": "enabled"}}, [], {}) == {["warning", ""]}
	recreated(annotated("argocd.argoproj.io/sync-options", "Force=true, Replace=true"), [], class("Delete")) == {["error", ""]}
	recreated(annotated("argocd.argoproj.io/sync-options", "Replace=true"), [], class("Delete")) == set()
}

# What stays when its resource goes loses nothing.
test_claims_that_stay if {
	check.findings == set() with input as {"review": {"object": object.union(set({}), {"metadata": {"name": "orders", "namespace": "prod", "annotations": {"kustomize.toolkit.fluxcd.io/force": "enabled"}}})}}
	kubeblocks := {"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod", "annotations": {"kustomize.toolkit.fluxcd.io/force": "enabled"}}, "spec": {"terminationPolicy": "Delete", "clusterDef": "postgresql", "componentSpecs": [{"name": "postgresql", "componentDef": "postgresql", "replicas": 2}]}}
	found := {f.severity | some f in check.findings} with input as {"review": {"object": kubeblocks}}
	found == {"info", "warning"}
}
