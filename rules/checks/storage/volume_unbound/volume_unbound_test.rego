package walguard.checks.storage.volume_unbound_test

import data.walguard.checks.storage.volume_unbound as check

findings(claim, persistent) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
				"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "pg"}}],
			}}},
		}},
		"inventory": {
			"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"pg": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "pg", "namespace": "prod"}, "spec": claim}}}}},
			"cluster": {"v1": {"PersistentVolume": {"pv": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": persistent}}}},
		},
	}
}

size(text) := {"resources": {"requests": {"storage": text}}}

claim_resource := {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": "pg", "namespace": "prod"}

test_other_class if {
	findings({"volumeName": "pv", "storageClassName": "fast"}, {"storageClassName": "manual"}) == {{
		"message": "The claim of the data volume does not bind to PersistentVolume pv: its storageClassName is manual, that of the claim fast. Write the same for both.",
		"path": ["spec", "storageClassName"],
		"resource": claim_resource,
	}}
	{f.message | some f in findings({"volumeName": "pv", "storageClassName": "fast"}, {})} == {`The claim of the data volume does not bind to PersistentVolume pv: its storageClassName is "", that of the claim fast. Write the same for both.`}
}

test_default_class if {
	findings({"volumeName": "pv"}, {"storageClassName": "manual"}) == {{
		"message": "The claim of the data volume does not bind to PersistentVolume pv: its storageClassName is manual, and the claim has none, so that it gets the default class. Write storageClassName: manual in the claim.",
		"path": ["spec", "storageClassName"],
		"resource": claim_resource,
		"severity": "warning",
	}}
	findings({"volumeName": "pv"}, {"storageClassName": "standard"}) == set()
}

# "" is no class, and not the default one.
test_no_class if {
	findings({"volumeName": "pv", "storageClassName": ""}, {"storageClassName": "manual"}) == {{
		"message": `The claim of the data volume does not bind to PersistentVolume pv: its storageClassName is manual, and the claim asks for none (""). Write storageClassName: manual in the claim.`,
		"path": ["spec", "storageClassName"],
		"resource": claim_resource,
	}}
}

picked(claim, persistent, labels) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
				"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "pg"}}],
			}}},
		}},
		"inventory": {
			"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"pg": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "pg", "namespace": "prod"}, "spec": object.union({"selector": {"matchLabels": {"app": "pg"}}}, claim)}}}}},
			"cluster": {"v1": {"PersistentVolume": {"pv": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv", "labels": labels}, "spec": persistent}}}},
		},
	}
}

test_selector_of_another_class if {
	labels := {"app": "pg", "type": "local"}
	picked({"storageClassName": ""}, {"storageClassName": "manual"}, labels) == {["warning", `No PersistentVolume that the selector of the claim of the data volume picks has class "": that of pv is manual, and the claim stays Pending. Write the same for both.`]}
	picked({"storageClassName": "manual"}, {}, labels) == {["warning", `No PersistentVolume that the selector of the claim of the data volume picks has class manual: that of pv is "", and the claim stays Pending. Write the same for both.`]}
	picked({"storageClassName": "manual"}, {"storageClassName": "manual"}, labels) == set()
	picked({"storageClassName": ""}, {}, labels) == set()

	# The default class may be any, another volume is meant for something else, and one that names its claim is given to it whatever its class.
	picked({}, {"storageClassName": "manual"}, labels) == set()
	picked({"storageClassName": ""}, {"storageClassName": "manual"}, {"app": "other"}) == set()
	picked({"storageClassName": ""}, {"storageClassName": "manual", "claimRef": {"name": "pg", "namespace": "prod"}}, labels) == set()
}

test_too_small if {
	findings(object.union({"volumeName": "pv", "storageClassName": "manual"}, size("20Gi")), {"storageClassName": "manual", "capacity": {"storage": "10Gi"}}) == {{
		"message": "The claim of the data volume does not bind to PersistentVolume pv: it has 10Gi, and the claim asks for 20Gi. Ask for no more.",
		"path": ["spec", "resources", "requests", "storage"],
		"resource": claim_resource,
	}}
}

test_bound if {
	findings(object.union({"volumeName": "pv", "storageClassName": "manual"}, size("10Gi")), {"storageClassName": "manual", "capacity": {"storage": "10Gi"}}) == set()
	findings({"volumeName": "pv", "storageClassName": ""}, {}) == set()
	findings({"volumeName": "pv"}, {}) == set()
}

test_silent_when_unknown if {
	findings({"volumeName": "elsewhere", "storageClassName": "fast"}, {"storageClassName": "manual"}) == set()
	findings({"volumeName": "pv", "storageClassName": "${CLASS}"}, {"storageClassName": "manual"}) == set()
	findings({"storageClassName": "fast"}, {"storageClassName": "manual"}) == set()
}

# What is said where nothing names the PersistentVolume.
of_class(claim, persistent, more) := {f.message | some f in found} if {
	full := object.union({"storageClassName": "manual", "accessModes": ["ReadWriteOnce"]}, claim)
	class := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "manual"}, "provisioner": "kubernetes.io/no-provisioner"}
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
				"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "pg"}}],
			}}},
		}},
		"inventory": {
			"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"pg": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "pg", "namespace": "prod"}, "spec": full}}}}},
			"cluster": {"storage.k8s.io/v1": {"StorageClass": {"manual": class}}, "v1": {"PersistentVolume": object.union({"pv": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": persistent}}, more)}},
		},
	}
}

test_class_without_a_provisioner if {
	small := {"storageClassName": "manual", "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"]}
	said := {"No PersistentVolume of class manual serves the claim of the data volume: pv has 10Gi, and the claim asks for 20Gi. Ask for no more."}
	of_class(size("20Gi"), small, {}) == said
	of_class(size("10Gi"), small, {}) == set()

	# One that is kept for another claim is none, one for this claim is.
	of_class(size("20Gi"), object.union(small, {"claimRef": {"name": "pg", "namespace": "prod"}}), {}) == said
	of_class(size("20Gi"), object.union(small, {"claimRef": {"name": "other", "namespace": "prod"}}), {}) == set()

	# One that serves is enough.
	large := {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "q"}, "spec": object.union(small, {"capacity": {"storage": "20Gi"}})}
	of_class(size("20Gi"), small, {"q": large}) == set()
}

test_access_modes_of_a_class if {
	of_class(size("10Gi"), {"storageClassName": "manual", "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteMany"]}, {}) == {"No PersistentVolume of class manual serves the claim of the data volume: pv has the access modes ReadWriteMany, and the claim asks for ReadWriteOnce. Write the same accessModes in both."}
}

# Of a template the modes stand in the resource itself.
test_claim_of_a_template if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {
				"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
				"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "manual", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}}],
			},
		}},
		"inventory": {"cluster": {"v1": {"PersistentVolume": {"pv": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": {"storageClassName": "manual", "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteMany"]}}}}}},
	}
	{[f.severity, f.message] | some f in found} == {["warning", "No PersistentVolume of class manual serves the claim of the data volume: pv has the access modes ReadWriteMany, and the claim asks for ReadWriteOnce. Write the same accessModes in both."]}
}

of_operator(object, modes) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": object},
		"inventory": {"cluster": {
			"v1": {"PersistentVolume": {"pv": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": {"capacity": {"storage": "20Gi"}, "accessModes": modes, "storageClassName": "local-storage"}}}},
			"storage.k8s.io/v1": {"StorageClass": {"local-storage": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "local-storage"}, "provisioner": "kubernetes.io/no-provisioner"}}},
		}},
	}
}

spilo_on_disk := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-db", "namespace": "prod"}, "spec": {"numberOfInstances": 1, "volume": {"size": "15Gi", "storageClass": "local-storage"}}}

cnpg_on_disk(modes) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"instances": 1, "storage": object.union({"size": "15Gi", "storageClass": "local-storage"}, modes)}}

test_operators_ask_for_one_node if {
	said := {["error", "No PersistentVolume of class local-storage serves the claim of the data volume: pv has the access modes ReadWriteMany, and the claim asks for ReadWriteOnce. Write the same accessModes in both."]}
	of_operator(spilo_on_disk, ["ReadWriteMany"]) == said
	of_operator(spilo_on_disk, ["ReadWriteMany", "ReadWriteOnce"]) == set()
	of_operator(cnpg_on_disk({}), ["ReadWriteMany"]) == said
	of_operator(cnpg_on_disk({"pvcTemplate": {"accessModes": ["ReadWriteMany"]}}), ["ReadWriteMany"]) == set()
}

test_selector_of_a_template if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {
				"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
				"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "fast", "selector": {"matchLabels": {"app": "pg"}}}}],
			},
		}},
		"inventory": {"cluster": {"v1": {"PersistentVolume": {"pv": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv", "labels": {"app": "pg"}}, "spec": {"storageClassName": "manual"}}}}}},
	}
	{f.severity | some f in found} == {"warning"}
}
