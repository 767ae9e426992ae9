package walguard.operators.zalando_restored_test

import data.walguard.operators.zalando

# The findings of a cluster whose operator and whose pods' variables are in sight.
stores(spec, options, variables) := [[fault.reason, fault.cure, fault.path, object.get(fault, "level", "error")] |
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-back", "namespace": "shop"}, "spec": spec}},
		"inventory": {"namespace": {"ops": {
			"acid.zalan.do/v1": {"OperatorConfiguration": {"op": {
				"apiVersion": "acid.zalan.do/v1",
				"kind": "OperatorConfiguration",
				"metadata": {"name": "op", "namespace": "ops"},
				"configuration": object.union({"docker_image": "ghcr.io/zalando/spilo-17:4.0-p3", "kubernetes": {"pod_environment_configmap": "ops/pods"}}, options),
			}}},
			"v1": {"ConfigMap": {"pods": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "ops"}, "data": variables}}},
		}}},
	}
	some fault in object.get(found, "unusable_stores", [])
]

clone := {"clone": {"cluster": "acid-orders", "uid": "u", "timestamp": "2026-06-01T10:00:00+00:00"}}

path := {"clone": object.union(clone.clone, {"s3_wal_path": "s3://b/w"})}

s3 := {"aws_or_gcp": {"aws_region": "eu", "wal_s3_bucket": "b"}}

gs := {"aws_or_gcp": {"wal_gs_bucket": "b"}}

role := {"AWS_ROLE_ARN": "arn:aws:iam::1:role/pg", "AWS_WEB_IDENTITY_TOKEN_FILE": "/t"}

test_role_of_the_pods_alone if {
	expected := [[
		"The source of the clone is read with CLONE_AWS_ROLE_ARN, which is not set, and AWS_ROLE_ARN serves the own archive of the pods: no backup is found",
		"Set CLONE_AWS_ROLE_ARN and CLONE_AWS_WEB_IDENTITY_TOKEN_FILE",
		["spec", "clone"],
		"error",
	]]
	stores(clone, s3, role) == expected
	stores(path, {}, role) == expected
	[fault[2] | some fault in stores({"standby": {"s3_wal_path": "s3://b/w"}}, s3, role)] == [["spec", "standby"]]
	every more in ["CLONE_AWS_ROLE_ARN", "CLONE_AWS_ENDPOINT"] {
		stores(clone, s3, object.union(role, {more: "x", "CLONE_AWS_REGION": "eu"})) == []
	}
	stores(clone, {"aws_or_gcp": object.union(s3.aws_or_gcp, {"irsa_role_arn": "arn"})}, role) == []
	stores(clone, {"aws_or_gcp": object.union(s3.aws_or_gcp, {"kube_iam_role": "pg"})}, role) == []
	stores({"clone": object.union(path.clone, {"s3_access_key_id": "a", "s3_secret_access_key": "b"})}, {}, role) == []
	stores(clone, s3, {}) == []
	stores({}, s3, role) == []
	count([1 | some fault in stores(clone, s3, object.union(role, {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"})); contains(fault[0], "ROLE")]) == 0
}

test_role_of_the_account if {
	definition := {"kubernetes": {"pod_environment_configmap": "ops/pods", "pod_service_account_definition": "{\"metadata\":{\"annotations\":{\"eks.amazonaws.com/role-arn\":\"arn\"}}}"}}
	[[fault[3], contains(fault[0], "AWS_ROLE_ARN serves")] | some fault in stores(clone, object.union(s3, definition), {})] == [["warning", true]]
	stores(clone, object.union(s3, definition), {"CLONE_AWS_ROLE_ARN": "arn"}) == []
}

test_key_of_google if {
	walg := {"USE_WALG_BACKUP": "true", "CLONE_USE_WALG_RESTORE": "true", "STANDBY_USE_WALG_RESTORE": "true"}
	key := object.union(walg, {"GOOGLE_APPLICATION_CREDENTIALS": "key.json"})
	[fault[1] | some fault in stores(clone, gs, key)] == ["Set CLONE_GOOGLE_APPLICATION_CREDENTIALS"]
	standby := {"standby": {"gs_wal_path": "gs://b/w"}}
	given := {"aws_or_gcp": object.union(gs.aws_or_gcp, {"gcp_credentials": "key.json"})}
	[[fault[1], fault[2]] | some fault in stores(standby, given, walg)] == [["Set STANDBY_GOOGLE_APPLICATION_CREDENTIALS", ["spec", "standby"]]]
	stores(clone, given, walg) == []
	stores(clone, gs, walg) == []
	stores(clone, gs, object.union(key, {"CLONE_GOOGLE_APPLICATION_CREDENTIALS": "key.json"})) == []
}

test_key_of_azure if {
	place := {"WALG_AZ_PREFIX": "azure://c/a", "CLONE_WALG_AZ_PREFIX": "azure://c/a", "CLONE_USE_WALG_RESTORE": "true"}
	own := object.union(place, {"AZURE_STORAGE_ACCOUNT": "a", "AZURE_STORAGE_ACCESS_KEY": "k"})
	[fault[1] | some fault in stores(clone, {}, own)] == ["Set CLONE_AZURE_STORAGE_ACCESS_KEY"]
	account := {"aws_or_gcp": {"wal_az_storage_account": "a"}}
	[fault[1] | some fault in stores(clone, account, own)] == ["Set CLONE_AZURE_STORAGE_ACCESS_KEY"]
	stores(clone, account, object.union(own, {"CLONE_AZURE_STORAGE_SAS_TOKEN": "t"})) == []
}

test_backups_of_wal_e if {
	[[fault[1], fault[2]] | some fault in stores(clone, gs, {"USE_WALG_BACKUP": "true", "USE_WALG_RESTORE": "true"})] == [["Set CLONE_USE_WALG_RESTORE to \"true\"", ["spec", "clone"]]]
	[[fault[1], fault[2]] | some fault in stores({"standby": {"gs_wal_path": "gs://b/w"}}, gs, {"USE_WALG_BACKUP": "true"})] == [["Set STANDBY_USE_WALG_RESTORE to \"true\"", ["spec", "standby"]]]
	stores(clone, gs, {"USE_WALG_BACKUP": "true", "CLONE_USE_WALG_RESTORE": "true"}) == []
	stores(clone, object.union(gs, {"docker_image": "ghcr.io/zalando/spilo-18:4.1-p2"}), {"USE_WALG_BACKUP": "true"}) == []
	stores(clone, s3, {"USE_WALG_BACKUP": "true"}) == []
}

# ------------------------------------------------------------------------------------------- labels of Argo CD

tracking := {"application.resourceTrackingMethod": "label"}

labels := ["team", "app.kubernetes.io/instance"]

pruning := {"destination": {"namespace": "shop"}, "syncPolicy": {"automated": {"prune": true}}}

pruned(own, options, metadata, application) := [[one.level, one.path, one.resource.name] |
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": object.union({"name": "acid-orders", "namespace": "shop"}, metadata), "spec": {}}},
		"inventory": {"namespace": {
			"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"op": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "op", "namespace": "ops"}, "configuration": {"kubernetes": options}}}}},
			"argocd": {
				"v1": {"ConfigMap": {"argocd-cm": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm", "namespace": "argocd"}, "data": own}}},
				"argoproj.io/v1alpha1": {"Application": {"orders": {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "orders", "namespace": "argocd"}, "spec": application}}},
			},
		}},
	}
	some one in object.get(found, "pruned", [])
]

at := ["configuration", "kubernetes", "inherited_labels"]

test_labels_of_argo if {
	pruned(tracking, {"inherited_labels": labels}, {}, pruning) == [["error", at, "op"]]
	pruned(tracking, {"inherited_labels": labels}, {}, {"destination": {"namespace": "shop"}}) == [["warning", at, "op"]]
	pruned(tracking, {"inherited_labels": labels}, {"labels": {"app.kubernetes.io/instance": "orders"}}, {}) == [["warning", at, "op"]]
	pruned(object.union(tracking, {"application.instanceLabelKey": "team"}), {"inherited_labels": ["team"]}, {}, pruning) == [["error", at, "op"]]
}

test_labels_that_nobody_tracks_by if {
	pruned(tracking, {"inherited_labels": labels}, {}, {"destination": {"namespace": "other"}, "syncPolicy": pruning.syncPolicy}) == []
	pruned(tracking, {"inherited_labels": ["team"]}, {}, pruning) == []
	pruned({"application.resourceTrackingMethod": "annotation+label"}, {"inherited_labels": labels}, {}, pruning) == []
	pruned({}, {"inherited_labels": labels}, {}, pruning) == []
	pruned(object.union(tracking, {"application.instanceLabelKey": "argocd.argoproj.io/instance"}), {"inherited_labels": labels}, {}, pruning) == []
	pruned(tracking, {"inherited_labels": labels, "enable_owner_references": true}, {}, pruning) == []
	pruned(tracking, {"inherited_labels": labels}, {"ownerReferences": [{"kind": "Team"}]}, pruning) == []
}
