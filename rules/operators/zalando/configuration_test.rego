package walguard.operators.zalando_configuration_test

import data.walguard.operators.zalando

among(spec, maps) := found if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": spec}},
		"inventory": {
			"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "csi.example.com"}}}},
			"namespace": {"ops": {"v1": {"ConfigMap": {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "ops"}, "data": data_of} | some name, data_of in maps}}}},
		},
	}
}

operator := {
	"docker_image": "ghcr.io/zalando/spilo-16:3.3-p1",
	"cluster_labels": "application:spilo",
	"cluster_name_label": "cluster-name",
	"pod_role_label": "spilo-role",
	"default_memory_limit": "4Gi",
	"protected_role_names": "admin, cron",
	"resync_period": "30m",
	"workers": "8",
}

small := {"numberOfInstances": 2, "postgresql": {"version": "17"}, "volume": {"size": "10Gi", "storageClass": "fast"}, "resources": {"limits": {"cpu": "2"}}}

# All that a resource of the operator's would say.
test_a_map_is_read_as_a_whole if {
	found := among(small, {"postgres-operator": operator})
	found.archiving == {"value": "discards", "origin": "operator", "path": ["spec", "env"]}
	found.one_node.value == "enable_pod_antiaffinity is off in the operator's configuration"
	found.image_major.value == 16
	found.instance_sets[0].resources.limits == {"cpu": "2", "memory": "4Gi"}
	found.primary_budget.value
	found.deletions == [{
		"what": "volumes",
		"setting": "enable_persistent_volume_claim_deletion of the operator is on",
		"default": true,
		"cure": "Set it to false",
		"path": ["data"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "postgres-operator", "namespace": "ops"},
	}]
}

test_what_is_written_counts if {
	found := among(small, {"postgres-operator": object.union(operator, {
		"wal_s3_bucket": "wal",
		"enable_pod_antiaffinity": "true",
		"enable_pod_disruption_budget": "False",
		"enable_persistent_volume_claim_deletion": "false",
		"storage_resize_mode": "ebs",
	})})
	found.archiving.value == "on"
	found.claims_kept
	not found.one_node
	not found.primary_budget
	not found.deletions
	found.ungrown.path == ["data", "storage_resize_mode"]
	found.ungrown.resource.kind == "ConfigMap"
}

test_the_environment_of_all_pods_is_unknown_elsewhere if {
	not among(small, {"postgres-operator": object.union(operator, {"pod_environment_configmap": "ops/env"})}).archiving
}

# Of the ConfigMap that is in sight.
test_the_environment_of_all_pods if {
	maps := {"postgres-operator": object.union(operator, {"pod_environment_configmap": "ops/pods"}), "pods": {"WAL_S3_BUCKET": "wal", "WALG_BACKUP_FROM_REPLICA": "true"}}
	pods := {"apiVersion": "v1", "kind": "ConfigMap", "name": "pods", "namespace": "ops"}
	found := among(object.union(small, {"numberOfInstances": 1}), maps)
	found.archiving == {"value": "on", "origin": "written", "path": ["data", "WAL_S3_BUCKET"], "resource": pods}
	found.standby_backup == {"value": true, "origin": "written", "path": ["data", "WALG_BACKUP_FROM_REPLICA"], "resource": pods}
	found.lonely_backup == {"setting": "WALG_BACKUP_FROM_REPLICA", "path": ["data", "WALG_BACKUP_FROM_REPLICA"], "resource": pods}

	# Those of the cluster come first.
	own := among(object.union(small, {"env": [{"name": "WALG_S3_PREFIX", "value": "s3://own/$(SCOPE)"}, {"name": "WALG_BACKUP_FROM_REPLICA", "value": "false"}]}), maps)
	own.archiving.path == ["spec", "env", 0, "value"]
	own.standby_backup == {"value": false, "origin": "written", "path": ["spec", "env", 1, "value"]}
}

# A patch, two of them, and one with variables for the pods that are named like settings.
test_what_is_not_whole_is_unknown if {
	every maps in [
		{"postgres-operator": {"cluster_name_label": "cluster-name", "docker_image": "ghcr.io/zalando/spilo-16:3.3-p1", "workers": "8"}},
		{"postgres-operator": operator, "other": operator},
		{"env": {"wal_s3_bucket": "wal", "kube_iam_role": "r"}},
	] {
		found := among(small, maps)
		not found.archiving
		not found.one_node
		not found.deletions
	}
}

test_users_of_the_operators_map if {
	refused(maps) == {"cron"}
	refused({}) == set()
}

refused(maps) := {fault.path[2] |
	some fault in among({"users": {"cron": []}, "databases": {"shop": "cron"}}, maps).uncreated
	fault.path[1] == "users"
}

maps := {"postgres-operator": operator}

# Texts of a map are what fields of an OperatorConfiguration are.
test_values_of_a_map if {
	found := zalando.configuration with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": small}},
		"inventory": {"namespace": {"ops": {"v1": {"ConfigMap": {"o": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o", "namespace": "ops"}, "data": object.union(operator, {
			"custom_pod_annotations": "a:b,broken,c:d",
			"spilo_runasuser": "101",
			"spilo_fsgroup": "root",
			"enable_pod_antiaffinity": "True",
			"debug_logging": "false",
			"pod_environment_secret": "${SECRET}",
			"super_username": "",
		})}}}}}},
	}
	object.filter(found.kubernetes, [
		"custom_pod_annotations", "debug_logging", "docker_image", "enable_pod_antiaffinity", "enable_teams_api", "pod_environment_secret", "protected_role_names", "spilo_fsgroup", "spilo_runasuser",
		"super_username",
	]) == {
		"custom_pod_annotations": {"a": "b", "c": "d"},
		"debug_logging": false,
		"docker_image": "ghcr.io/zalando/spilo-16:3.3-p1",
		"enable_pod_antiaffinity": true,
		"enable_teams_api": true,
		"protected_role_names": ["admin", "cron"],
		"spilo_fsgroup": "root",
		"spilo_runasuser": 101,
	}
}

variables(more) := [[one.name, one.path, one.resource.name, one.reason] | some one in object.get(among(small, {"postgres-operator": object.union(operator, more)}), "ignored", [])]

test_variables_of_pods_in_the_map_of_the_operator if {
	variables({"AWS_REGION": "eu01", "USE_WALG_BACKUP": "true", "WAL_S3_BUCKET": "wal"}) == [[
		"WAL_S3_BUCKET",
		["data", "WAL_S3_BUCKET"],
		"postgres-operator",
		"the operator takes its options from this ConfigMap and gives pods none of its 3 variables, so write them into the ConfigMap that pod_environment_configmap names",
	]]
	variables({}) == []
	count(variables({"BACKUP_SCHEDULE": "0 1 * * *"})) == 1
	count(variables({"BACKUP_SCHEDULE": "0 1 * * *", "pod_environment_configmap": "shop/pods"})) == 1
	variables({"BACKUP_SCHEDULE": "0 1 * * *", "pod_environment_configmap": "ops/postgres-operator"}) == []
	variables({"BACKUP_SCHEDULE": "0 1 * * *", "pod_environment_configmap": "${PODS}"}) == []
	found := among(small, {"postgres-operator": object.union(operator, {"BACKUP_SCHEDULE": "0 1 * * *"}), "pods": {"BACKUP_SCHEDULE": "0 1 * * *"}})
	not found.ignored
}
