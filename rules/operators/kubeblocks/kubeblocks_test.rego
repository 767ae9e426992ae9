package walguard.operators.kubeblocks_test

import data.walguard.operators.kubeblocks

# The cluster together with the evidence that is read apart from it.
whole := object.union(kubeblocks.cluster, {"backups": kubeblocks.backups, "restores": kubeblocks.restores})

resource(spec) := {
	"apiVersion": "apps.kubeblocks.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "shop", "uid": "1"},
	"spec": spec,
}

component(fields) := object.union(
	{
		"name": "postgresql",
		"serviceVersion": "16.4.0",
		"replicas": 2,
		"resources": {"limits": {"cpu": "4", "memory": "16Gi"}},
		"volumeClaimTemplates": ["hostile", {"name": "data", "spec": {"storageClassName": "essd", "resources": {"requests": {"storage": "300Gi"}}}}],
	},
	fields,
)

orders := resource({"clusterDef": "postgresql", "topology": "replication", "componentSpecs": [component({})]})

read(object) := found if found := whole with input as {"review": {"object": object}}

# objects: {apiVersion: {kind: {name: object}}} in the namespace "shop".
among(object, objects) := found if {
	found := whole with input as {"review": {"object": object}, "inventory": {"namespace": {"shop": objects}}}
}

path := ["spec", "componentSpecs", 0]

data_claim := {
	"path": array.concat(path, ["volumeClaimTemplates", 1, "spec"]),
	"size": "300Gi",
	"size_path": array.concat(path, ["volumeClaimTemplates", 1, "spec", "resources", "requests", "storage"]),
	"class": "essd",
	"class_path": array.concat(path, ["volumeClaimTemplates", 1, "spec", "storageClassName"]),
}

test_whole_cluster if {
	cluster := read(orders)
	cluster.data_claims == `^data-orders-postgresql-(.*-)?[0-9]+$`
	object.remove(cluster, ["selection", "defaults", "managed", "rewind", "data_claims"]) == {
		"operator": "KubeBlocks",
		"name": "orders",
		"namespace": "shop",
		"major": {"value": 16, "origin": "written", "path": array.concat(path, ["serviceVersion"])},
		"minor": {"value": 4, "origin": "written", "path": array.concat(path, ["serviceVersion"])},
		"parameters": [],
		"parameters_path": ["metadata", "annotations"],
		"parameter_values": "text",
		"instances": {"value": 2, "origin": "written", "path": array.concat(path, ["replicas"])},
		"instance_sets": [{
			"name": "postgresql",
			"path": path,
			"replicas": {"value": 2, "origin": "written", "path": array.concat(path, ["replicas"])},
			"resources": {"requests": {}, "limits": {"cpu": "4", "memory": "16Gi"}},
			"resources_path": array.concat(path, ["resources"]),
			"data": data_claim,
		}],
		"pods": [{"environment": [array.concat(path, ["env"])]}],
		"segment": {"value": 16, "unit": "MB", "origin": "operator", "path": path},
		"checksums": {"value": true, "origin": "operator", "path": path},
		"pooler": {"value": true, "origin": "operator", "path": path},
		"backups": [],
		"restores": [],
	}
	cluster.defaults.max_wal_size == "8192MB"
	cluster.defaults.wal_init_zero == "off"
	cluster.rewind.used
}

# ------------------------------------------------------------------------------------------------- is it PostgreSQL

test_every_spelling_of_postgresql if {
	read(resource({"componentSpecs": [component({"componentDef": "postgresql"})]}))
	read(resource({"componentSpecs": [component({"componentDef": "postgresql-16-1.0.3", "name": "pg"})]}))
	read(resource({"componentSpecs": [component({"componentDef": "vanilla-postgresql-15"})]}))
	read(resource({"clusterDefinitionRef": "postgresql", "componentSpecs": [component({"componentDefRef": "postgresql", "name": "db"})]}))
	read(resource({"clusterDefinitionRef": "postgresql", "clusterVersionRef": "postgresql-14.8.0"}))
	read(resource({"clusterDef": "supabase", "componentSpecs": [component({})]})).partial
	read(resource({"clusterDef": "orioledb", "componentSpecs": [component({})]})).partial
}

test_other_databases_are_not_read if {
	not read(resource({"clusterDef": "apecloud-mysql", "componentSpecs": [component({"name": "mysql"})]}))
	not read(resource({"componentSpecs": [component({"componentDef": "redis-7", "name": "redis"}), 3]}))
	not read(resource({"componentSpecs": [component({"componentDef": "postgresql-pgbouncer"})]}))
	not read(resource({"clusterDef": "postgresql", "componentSpecs": [component({"componentDef": "etcd", "name": "etcd"})]}))
	not read({"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster"})
	not read({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "spec": {"clusterDef": "postgresql"}})
}

test_component_beside_others if {
	cluster := read(resource({"clusterDef": "postgresql", "componentSpecs": [{"name": "etcd", "componentDef": "etcd-3"}, component({})]}))
	cluster.instance_sets[0].path == ["spec", "componentSpecs", 1]
}

# ------------------------------------------------------------------------------------------------------ version

test_major_of_the_component_definition if {
	component_definition := object.remove(component({"componentDef": "postgresql-14-1.0.3"}), ["serviceVersion"])
	read(resource({"componentSpecs": [component_definition]})).major == {
		"value": 14,
		"origin": "written",
		"path": array.concat(path, ["componentDef"]),
	}
}

test_major_of_the_cluster_version if {
	cluster := read(resource({"clusterDefinitionRef": "postgresql", "clusterVersionRef": "postgresql-14.8.0", "replicas": 3, "storage": {"size": "20Gi"}}))
	cluster.major == {"value": 14, "origin": "written", "path": ["spec", "clusterVersionRef"]}
	cluster.instances == {"value": 3, "origin": "written", "path": ["spec", "replicas"]}
	cluster.instance_sets == [{
		"name": "orders",
		"path": ["spec"],
		"replicas": {"value": 3, "origin": "written", "path": ["spec", "replicas"]},
		"resources": {"requests": {}, "limits": {}},
		"resources_path": ["spec", "resources"],
		"data": {
			"path": ["spec", "storage"],
			"size": "20Gi",
			"size_path": ["spec", "storage", "size"],
			"class_path": ["spec", "storage"],
		},
	}]
}

test_hostile_values_are_no_facts if {
	cluster := read(resource({"clusterDef": "postgresql", "componentSpecs": [{
		"name": "postgresql",
		"serviceVersion": 16,
		"replicas": "two",
		"resources": [],
		"instances": ["x", {"replicas": "y"}],
		"volumeClaimTemplates": {"name": "data"},
	}]}))
	object.keys(cluster) & {"major", "instances"} == set()
	cluster.instance_sets == [{
		"name": "postgresql",
		"path": path,
		"resources": {"requests": {}, "limits": {}},
		"resources_path": array.concat(path, ["resources"]),
	}]
	cluster.defaults.max_connections == "10000"
}

test_one_instance_by_default if {
	read(resource({"clusterDef": "postgresql", "componentSpecs": [{"name": "postgresql"}]})).instances == {
		"value": 1,
		"origin": "operator",
		"path": array.concat(path, ["replicas"]),
	}
}

test_instances_that_differ if {
	claim := {"name": "data", "spec": {"resources": {"requests": {"storage": "600Gi"}}}}
	cluster := read(resource({"clusterDef": "postgresql", "componentSpecs": [component({
		"replicas": 3,
		"instances": [{"name": "big", "resources": {"limits": {"memory": "32Gi"}}, "volumeClaimTemplates": [claim]}, {}],
	})]}))
	[[s.name, s.replicas.value, s.resources.limits.memory, s.data.size] | some s in cluster.instance_sets] == [
		["postgresql", 1, "16Gi", "300Gi"],
		["big", 1, "32Gi", "600Gi"],
		["postgresql", 1, "16Gi", "300Gi"],
	]
}

test_first_of_two_templates_of_a_name if {
	claims := [{"name": "data", "spec": {"resources": {"requests": {"storage": size}}}} | some size in ["1Gi", "2Gi"]]
	cluster := read(resource({"clusterDef": "postgresql", "componentSpecs": [component({"volumeClaimTemplates": claims})]}))
	[s.data.size | some s in cluster.instance_sets] == ["1Gi"]
}

test_all_instances_differ if {
	cluster := read(resource({"clusterDef": "postgresql", "componentSpecs": [component({"replicas": 2, "instances": [{"replicas": 2}]})]}))
	[s.replicas.value | some s in cluster.instance_sets] == [2]
}

# --------------------------------------------------------------------------------------------------- parameters

test_sizes_that_nobody_can_read if {
	every changed in [{"resources": {"limits": {"memory": "16GB"}}}, {"volumeClaimTemplates": [{"name": "data", "spec": {"resources": {"requests": {"storage": "300GB"}}}}]}] {
		cluster := read(resource({"clusterDef": "postgresql", "componentSpecs": [component(changed)]}))
		cluster.defaults.shared_buffers == ""
		cluster.defaults.max_wal_senders == "64"
	}
}

written(name, value, at) := {"name": name, "value": value, "path": at}

annotated := object.union(orders, {"metadata": {"annotations": {"config.kubeblocks.io/init-parameters": `{"postgresql": {"assignments": {"jit": "on", "work_mem": "4MB"}}, "pgbouncer": {"assignments": {"x": "1"}}}`}}})

init_path := ["metadata", "annotations", "config.kubeblocks.io/init-parameters"]

test_parameters_of_the_annotation if {
	read(annotated).parameters == [written("jit", "on", init_path), written("work_mem", "4MB", init_path)]
}

component_parameter := {
	"apiVersion": "parameters.kubeblocks.io/v1alpha1",
	"kind": "ComponentParameter",
	"metadata": {"name": "orders-postgresql", "namespace": "shop"},
	"spec": {"clusterName": "orders", "componentName": "postgresql", "desired": {"assignments": {"JIT": "off"}}},
}

by_component_parameter := object.union(written("JIT", "off", ["spec", "desired", "assignments", "JIT"]), {"resource": {
	"apiVersion": "parameters.kubeblocks.io/v1alpha1",
	"kind": "ComponentParameter",
	"namespace": "shop",
	"name": "orders-postgresql",
}})

test_component_parameter_displaces_the_annotation if {
	sight := {"parameters.kubeblocks.io/v1alpha1": {"ComponentParameter": {"orders-postgresql": component_parameter}}}
	among(annotated, sight).parameters == [written("work_mem", "4MB", init_path), by_component_parameter]
}

test_component_parameter_of_another_cluster if {
	other := object.union(component_parameter, {"spec": {"clusterName": "invoices"}})
	sight := {"parameters.kubeblocks.io/v1alpha1": {"ComponentParameter": {"orders-postgresql": other}}}
	among(orders, sight).parameters == []
}

config_map := {
	"apiVersion": "v1",
	"kind": "ConfigMap",
	"metadata": {"name": "mine", "namespace": "shop"},
	"data": {"postgresql.conf": "fsync = off"},
}

configured := resource({"clusterDef": "postgresql", "componentSpecs": [component({"configs": [{"name": "postgresql-configuration", "configMap": {"name": "mine"}}]})]})

test_config_map_that_the_cluster_names if {
	among(configured, {"v1": {"ConfigMap": {"mine": config_map}}}).parameters == [object.union(
		written("fsync", "off", ["data", "postgresql.conf"]),
		{"line": 1, "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "mine"}},
	)]
}

# ------------------------------------------------------------------------------------------------------ changes

request(parameters) := {
	"apiVersion": "operations.kubeblocks.io/v1alpha1",
	"kind": "OpsRequest",
	"metadata": {"name": "tune", "namespace": "shop"},
	"spec": {"type": "Reconfiguring", "clusterName": "orders", "reconfigures": [{"componentName": "postgresql", "parameters": parameters}]},
}

value_path := ["spec", "reconfigures", 0, "parameters", 0, "value"]

test_change_alone_is_partial if {
	read(request([{"key": "full_page_writes", "value": "off"}])) == {
		"operator": "KubeBlocks",
		"name": "orders",
		"namespace": "shop",
		"partial": true,
		"change": true,
		"parameters": [written("full_page_writes", "off", value_path)],
		"parameters_path": [],
		"parameter_values": "text",
		"defaults": {},
		"managed": kubeblocks.managed,
		"instance_sets": [],
		"backups": [],
		"restores": [],
	}
}

clusters(o) := {o.apiVersion: {"Cluster": {"orders": o}}}

test_change_with_its_cluster if {
	cluster := among(request([{"key": "full_page_writes", "value": "off"}]), clusters(orders))
	home := {"resource": {"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "namespace": "shop", "name": "orders"}}
	not cluster.partial
	cluster.change
	cluster.parameters == [written("full_page_writes", "off", value_path)]
	cluster.parameters_path == []
	cluster.major == object.union({"value": 16, "origin": "written", "path": array.concat(path, ["serviceVersion"])}, home)
	cluster.instance_sets[0].data == object.union(data_claim, home)
	cluster.instance_sets[0].resource == home.resource
	cluster.defaults.max_wal_size == "8192MB"
}

test_change_of_another_component_or_database if {
	mysql := resource({"clusterDef": "mysql", "componentSpecs": [component({"name": "mysql"})]})
	not among(request([{"key": "fsync", "value": "off"}]), clusters(mysql))
	not read(object.union(request([]), {"spec": {"reconfigures": [{"componentName": "mysql", "parameters": [{"key": "max_connections", "value": "9"}]}]}}))
	beside := object.union(request([]), {"spec": {"reconfigures": [{"componentName": "pgbouncer", "parameters": [{"key": "x", "value": "9"}]}]}})
	among(beside, clusters(orders)).parameters == []
}

test_what_changes_nothing_is_not_read if {
	not read(object.union(request([]), {"spec": {"type": "Restart"}}))
	not among(object.union(request([]), {"spec": {"type": "Restart"}}), clusters(orders))
	not read({"apiVersion": "v1", "kind": "ConfigMap", "data": {"postgresql.conf": "fsync = off"}})
	not read({"apiVersion": "v1", "kind": "Pod"})
}

test_config_map_of_a_user if {
	cluster := among(config_map, clusters(configured))
	cluster.name == "orders"
	cluster.parameters == [object.union(written("fsync", "off", ["data", "postgresql.conf"]), {"line": 1})]
}

test_rendered_config_map_repeats_the_template if {
	rendered := object.union(config_map, {
		"metadata": {"name": "orders-postgresql-postgresql-configuration", "labels": {"app.kubernetes.io/instance": "orders", "apps.kubeblocks.io/component-name": "postgresql"}},
		"data": {"postgresql.conf": "fsync = off\nwal_init_zero = off\nmax_wal_size = '5000MB'"},
	})
	alone := read(rendered)
	alone.defaults == {"wal_init_zero": "off", "max_wal_size": "5000MB"}
	alone.parameters == [object.union(written("fsync", "off", ["data", "postgresql.conf"]), {"line": 1})]
	among(rendered, clusters(orders)).defaults.max_wal_size == "5000MB"
	among(rendered, clusters(orders)).defaults.huge_pages == "try"
}

test_component_parameter_under_review_is_read_once if {
	sight := object.union(clusters(orders), {"parameters.kubeblocks.io/v1alpha1": {"ComponentParameter": {"orders-postgresql": component_parameter}}})
	among(component_parameter, sight).parameters == [object.remove(by_component_parameter, ["resource"])]
}

# ------------------------------------------------------------------------------------------------------- backups

protection(kind, name, fields) := {"dataprotection.kubeblocks.io/v1alpha1": {kind: {name: object.union(
	{
		"apiVersion": "dataprotection.kubeblocks.io/v1alpha1",
		"kind": kind,
		"metadata": {"name": name, "namespace": "shop", "labels": {"app.kubernetes.io/instance": "orders"}},
	},
	fields,
)}}}

scheduled(schedules) := protection("BackupSchedule", "plan", {"spec": {"schedules": schedules}})

at_schedule(value, i) := {
	"value": value,
	"origin": "written",
	"path": ["spec", "schedules", i, "backupMethod"],
	"resource": {"apiVersion": "dataprotection.kubeblocks.io/v1alpha1", "kind": "BackupSchedule", "namespace": "shop", "name": "plan"},
}

test_schedules if {
	cluster := among(orders, scheduled([
		{"backupMethod": "wal-g", "enabled": false},
		{"backupMethod": "pg-basebackup", "enabled": true},
		{"backupMethod": "archive-wal", "enabled": true},
		"hostile",
	]))
	cluster.standby_backup == at_schedule(true, 1)
	cluster.archiving == at_schedule("on", 2)
}

test_backup_of_the_cluster_itself if {
	cluster := read(object.union(orders, {"spec": {"backup": {"enabled": true, "method": "pg-basebackup", "pitrEnabled": true}}}))
	cluster.standby_backup == {"value": true, "origin": "written", "path": ["spec", "backup", "method"]}
	cluster.archiving == {"value": "on", "origin": "written", "path": ["spec", "backup", "pitrEnabled"]}
	not read(object.union(orders, {"spec": {"backup": {"enabled": false, "method": "pg-basebackup"}}})).standby_backup
}

test_archiving_discards_when_nothing_can_be_out_of_sight if {
	not read(orders).archiving
	cluster := kubeblocks.cluster with input as {"review": {"object": orders}, "inventory": {"complete": true}}
	cluster.archiving == {"value": "discards", "origin": "operator", "path": ["spec", "backup", "pitrEnabled"]}
}

test_archive_command_of_a_change if {
	read(request([{"key": "archive_command", "value": "'wal-g wal-push %p'"}])).archiving == {
		"value": "on",
		"origin": "written",
		"path": value_path,
	}
}

backup(name, method, fields) := protection("Backup", name, object.union(
	{
		"metadata": {"labels": {"dataprotection.kubeblocks.io/cluster-uid": "1"}},
		"spec": {"backupMethod": method},
		"status": {"phase": "Completed", "completionTimestamp": "2026-05-01T03:00:00Z"},
	},
	fields,
))

completed(name, from) := {"finished": "2026-05-01T03:00:00Z", "from": from, "name": name}

test_completed_backups if {
	found := among(orders, object.union_n([
		backup("a", "pg-basebackup", {}),
		backup("b", "other", {"status": {"backupMethod": {"name": "wal-g"}}}),
		backup("dump", "pgdumpall", {}),
		backup("failed", "pg-basebackup", {"status": {"phase": "Failed"}}),
		backup("former", "pg-basebackup", {"metadata": {"labels": {"dataprotection.kubeblocks.io/cluster-uid": "0"}}}),
		backup("foreign", "pg-basebackup", {"metadata": {"labels": {"app.kubernetes.io/instance": "invoices"}}}),
	])).backups
	found == [completed("a", "standby"), completed("b", "unknown")]
}

test_backup_of_the_only_instance_or_of_nobody_knows if {
	one := resource({"clusterDef": "postgresql", "componentSpecs": [component({"replicas": 1})]})
	among(one, backup("a", "pg-basebackup", {})).backups == [completed("a", "primary")]
	some_number := resource({"clusterDef": "postgresql", "componentSpecs": [component({"replicas": "?"})]})
	among(some_number, backup("a", "pg-basebackup", {})).backups == [completed("a", "unknown")]
}

restored(phase) := object.union_n([
	backup("a", "pg-basebackup", {}),
	protection("Restore", "orders-copy-restore", {
		"metadata": {"labels": {"app.kubernetes.io/instance": "orders-copy"}},
		"spec": {"backup": {"name": "a", "namespace": "shop"}},
		"status": {"phase": "Completed", "completionTimestamp": "2026-05-02T03:00:00Z"},
	}),
	{"apps.kubeblocks.io/v1": {"Cluster": {"orders-copy": {"kind": "Cluster", "status": {"phase": phase}}}}},
])

test_restore if {
	among(orders, restored("Running")).restores == [{"ready": "2026-05-02T03:00:00Z", "cluster": "orders-copy"}]
	among(orders, restored("Failed")).restores == []
}

# ----------------------------------------------------------------------------------------- scaling, shardings

ops(fields) := {
	"apiVersion": "operations.kubeblocks.io/v1alpha1",
	"kind": "OpsRequest",
	"metadata": {"name": "grow", "namespace": "shop"},
	"spec": object.union({"clusterName": "orders"}, fields),
}

scaled(fields) := among(ops(fields), {"apps.kubeblocks.io/v1": {"Cluster": {"orders": orders}}})

test_expanded if {
	cluster := scaled({"type": "VolumeExpansion", "volumeExpansion": [
		"hostile",
		{"componentName": "other", "volumeClaimTemplates": [{"name": "data", "storage": "1Gi"}]},
		{"componentName": "postgresql", "volumeClaimTemplates": [{"name": "log", "storage": "2Gi"}, {"name": "data", "storage": "900Gi"}]},
	]})
	cluster.change
	volume := cluster.instance_sets[0].data
	[volume.size, volume.size_path, volume.own] == ["900Gi", ["spec", "volumeExpansion", 2, "volumeClaimTemplates", 1, "storage"], ["size_path"]]
	[volume.class, volume.class_path, volume.resource.kind] == ["essd", data_claim.class_path, "Cluster"]
	cluster.instance_sets[0].resource.kind == "Cluster"
}

test_scaled_vertically if {
	cluster := scaled({"type": "VerticalScaling", "verticalScaling": [{"componentName": "postgresql", "limits": {"memory": "4Gi"}}]})
	set := cluster.instance_sets[0]
	[set.resources, set.resources_path] == [{"requests": {}, "limits": {"memory": "4Gi"}}, ["spec", "verticalScaling", 0]]
	not set.resource
	cluster.defaults.shared_buffers == "1GB"
}

scaled_to(one) := scaled({"type": "HorizontalScaling", "horizontalScaling": [object.union({"componentName": "postgresql"}, one)]}).instances

test_scaled_horizontally if {
	at := ["spec", "horizontalScaling", 0]
	scaled_to({"replicas": 1}) == {"value": 1, "origin": "written", "path": array.concat(at, ["replicas"])}
	scaled_to({"scaleIn": {"replicaChanges": 1}}) == {"value": 1, "origin": "written", "path": at}
	scaled_to({"scaleIn": {"replicaChanges": 5}}).value == 0
	scaled_to({"scaleOut": {"replicaChanges": 2}}).value == 4

	# What changes nothing is no matter.
	not scaled_to({"scaleOut": {"replicaChanges": 0.5}})
}

# Without the Cluster nothing is known of what becomes of it.
test_scaled_out_of_sight if {
	request := ops({"type": "VolumeExpansion", "volumeExpansion": [{"componentName": "postgresql", "volumeClaimTemplates": [{"name": "data", "storage": "1Gi"}]}]})
	not kubeblocks.cluster with input as {"review": {"object": request}}
}

test_sharding if {
	every field in ["shardings", "shardingSpecs"] {
		cluster := read(resource({"clusterDef": "postgresql", field: [
			{"name": "cache", "template": {"componentDef": "redis-7"}},
			{"name": "shard", "shards": 3, "template": object.union(component({}), {"componentDef": "postgresql-16-1.0.0", "name": "ignored"})},
		]}))
		at := ["spec", field, 1, "template"]
		[cluster.major.value, cluster.instances.path] == [16, array.concat(at, ["replicas"])]
		set := cluster.instance_sets[0]
		[set.name, set.path, set.data.size] == ["shard", at, "300Gi"]
		not cluster.selection
	}
}

test_change_of_a_sharding if {
	sharded := resource({"shardings": [{"name": "shard", "template": object.union(component({}), {"componentDef": "postgresql-16-1.0.0"})}]})
	cluster := among(ops({"type": "VolumeExpansion", "volumeExpansion": [{"componentName": "shard", "volumeClaimTemplates": [{"name": "data", "storage": "20Gi"}]}]}), {"apps.kubeblocks.io/v1": {"Cluster": {"orders": sharded}}})
	cluster.instance_sets[0].data.size == "20Gi"
}

# --------------------------------------------------------------------------------- several components, several Clusters

two := resource({"clusterDef": "postgresql", "componentSpecs": [
	component({"name": "main", "componentDef": "postgresql-16-1.0.3"}),
	component({"name": "archive", "componentDef": "postgresql-16-1.0.3", "replicas": 1}),
]})

chosen(object, title, objects) := found if {
	found := kubeblocks.cluster with input as {"review": {"object": object, "chosen": title}, "inventory": {"namespace": {"shop": objects}}}
}

test_one_of_several_components if {
	first := read(two)
	[first.instances.path, first.others] == [["spec", "componentSpecs", 0, "replicas"], ["component archive"]]
	second := chosen(two, "component archive", {})
	[second.instances.path, second.instance_sets[0].name] == [["spec", "componentSpecs", 1, "replicas"], "archive"]
	not read(orders).others
}

test_one_of_several_clusters_that_take_a_config_map if {
	other := object.union(configured, {"metadata": {"name": "stock"}})
	sight := {"apps.kubeblocks.io/v1": {"Cluster": {"orders": configured, "stock": other}}}
	first := among(config_map, sight)
	[first.name, first.others] == ["orders", ["Cluster shop/stock"]]
	chosen(config_map, "Cluster shop/stock", sight).name == "stock"
	not among(config_map, clusters(configured)).others
}

# A pattern is tried on the names that the addon's definitions have.
test_component_definition_by_pattern if {
	every pattern in ["^post.*-16-", "^(postgresql|vanilla-postgresql)-16"] {
		read(resource({"componentSpecs": [component({"componentDef": pattern, "name": "db"})]})).instances.value == 2
	}
	not read(resource({"componentSpecs": [component({"componentDef": "^mysql.*", "name": "db"})]}))
	not read(resource({"componentSpecs": [component({"componentDef": "post(", "name": "db"})]}))
}

test_unread if {
	read(configured).unread == [{
		"source": "ConfigMap shop/mine",
		"path": array.concat(path, ["configs", 0, "configMap", "name"]),
		"missing": true,
	}]
	not among(configured, {"v1": {"ConfigMap": {"mine": config_map}}}).unread
	templated := object.union(component_parameter, {"spec": {"configItemDetails": [
		{"userConfigTemplates": {"templateRef": "tuned"}},
		{"importTemplateRef": {"name": "base", "namespace": "ops"}},
	]}})
	read(templated).unread == [
		{"source": "the template in ConfigMap shop/tuned", "path": ["spec", "configItemDetails", 0, "userConfigTemplates"], "severity": "info"},
		{"source": "the template in ConfigMap ops/base", "path": ["spec", "configItemDetails", 1, "importTemplateRef"], "severity": "info"},
	]
	elsewhere := object.union(component_parameter, {"spec": {"desired": {"userConfigTemplates": {"postgresql-configuration": {"templateRef": "tuned"}}}}})
	read(elsewhere).unread == [{"source": "the template in ConfigMap shop/tuned", "path": ["spec", "desired", "userConfigTemplates", "postgresql-configuration"], "severity": "info"}]
	begun := object.union(orders, {"metadata": {"annotations": {"config.kubeblocks.io/init-parameters": json.marshal({"postgresql": {"userConfigTemplates": {"postgresql-configuration": {"templateRef": "tuned"}}}})}}})
	read(begun).unread == [{"source": "the template in ConfigMap shop/tuned", "path": ["metadata", "annotations", "config.kubeblocks.io/init-parameters"], "severity": "info"}]
}

test_what_no_definition_knows if {
	sections := [{"updates": [{"type": "Set", "key": "fsync", "value": "off"}]}]
	under := ["spec", "desired", "unmanagedUpdates", 0, "updates", 0, "updates", 0, "value"]
	wanted := object.union(component_parameter, {"spec": {"desired": {"unmanagedUpdates": [{"template": "postgresql-configuration", "file": "postgresql.conf", "updates": sections}]}}})
	written("fsync", "off", under) in read(wanted).parameters
	listed := object.union(component_parameter, {"spec": {"configItemDetails": [{"configFileParams": {"postgresql.conf": {"unmanagedUpdates": sections}}}]}})
	written("fsync", "off", ["spec", "configItemDetails", 0, "configFileParams", "postgresql.conf", "unmanagedUpdates", 0, "updates", 0, "value"]) in read(listed).parameters
	begun := object.union(orders, {"metadata": {"annotations": {"config.kubeblocks.io/init-parameters": json.marshal({"postgresql": {"unmanagedUpdates": [{"file": "postgresql.conf", "updates": sections}]}})}}})
	written("fsync", "off", init_path) in read(begun).parameters
	other := object.union(component_parameter, {"spec": {"desired": {"unmanagedUpdates": [{"template": "x", "file": "pgbouncer.ini", "updates": sections}]}}})
	not "fsync" in {p.name | some p in read(other).parameters}
}

with_file(key, text) := among(configured, {"v1": {"ConfigMap": {"mine": object.union(config_map, {"data": {key: text}})}}})

test_files_beside_the_configuration if {
	kept := with_file("patroni.yaml", "postgresql:\n  parameters:\n    fsync: \"off\"\n")
	{"name": "fsync", "value": "off", "path": ["data", "patroni.yaml"], "line": 3} in {object.remove(p, ["resource"]) | some p in kept.parameters}
	with_file("patroni.yaml", "postgresql: {parameters: {fsync: off}}\n").unread[0].source == "patroni.yaml of the configuration"
	[one.line | some one in with_file("pg_hba.conf", "# mine\nhost all all all trust\n").hba] == ["# mine", "host all all all trust"]
	not with_file("patroni.yaml", "ttl: 30\nloop_wait: 10\n").unread
}

test_claims_kept if {
	every policy in ["DoNotTerminate", "Halt"] {
		read(object.union(orders, {"spec": {"terminationPolicy": policy}})).claims_kept
	}
	every policy in ["Delete", "WipeOut"] {
		not read(object.union(orders, {"spec": {"terminationPolicy": policy}})).claims_kept
	}
}

# A ComponentParameter that was left behind says nothing to a new Cluster of that name.
test_new_cluster_begins_with_its_annotation if {
	objects := {"parameters.kubeblocks.io/v1alpha1": {"ComponentParameter": {"orders-postgresql": component_parameter}}}
	found := kubeblocks.cluster.parameters with input as {
		"review": {"operation": "CREATE", "object": annotated},
		"inventory": {"namespace": {"shop": objects}},
	}
	found == [written("jit", "on", init_path), written("work_mem", "4MB", init_path)]
}

# -------------------------------------------------------------------------------------------------- what is proven

with_status(status) := backup("a", "pg-basebackup", {"status": object.union({"path": "/shop/orders-1/postgresql/a"}, status)})

proven_of(backups) := found if {
	found := kubeblocks.backups with input as {"review": {"object": orders}, "inventory": {"live": true, "namespace": {"shop": backups}}}
}

proven_backup := [object.union(completed("a", "standby"), {"proven": true})]

test_backup_is_proven_by_the_path_and_the_pods_of_its_status if {
	proven_of(with_status({"target": {"selectedTargetPods": ["orders-postgresql-1"]}})) == proven_backup
	proven_of(with_status({"targets": ["hostile", {"selectedTargetPods": ["orders-postgresql-0", 7]}]})) == proven_backup
	proven_of(with_status({"actions": [{"targetPodName": "orders-postgresql-0"}, {}]})) == proven_backup
	every status in [
		{},
		{"actions": [{"targetPodName": "invoices-postgresql-0"}]},
		{"target": {"selectedTargetPods": ["orders-postgresql-0", "orders-mysql-0"]}},
		{"target": {"selectedTargetPods": ["orders-postgresql-0"]}, "path": "/shop/orders-0/postgresql/a"},
	] {
		proven_of(with_status(status)) == [completed("a", "standby")]
	}
}

taken := with_status({"target": {"selectedTargetPods": ["orders-postgresql-1"]}})

restored_with(restore, phase, from) := found if {
	objects := object.union_n([
		from,
		protection("Restore", "orders-copy-restore", object.union(
			{
				"metadata": {"generation": 1, "labels": {"app.kubernetes.io/instance": "orders-copy"}},
				"spec": {
					"backup": {"name": "a", "namespace": "shop"},
					"prepareDataConfig": {"volumeClaimsTemplate": {"templates": [{"metadata": {"name": "data-orders-copy-postgresql"}}]}},
				},
				"status": {"phase": "Completed", "completionTimestamp": "2026-05-02T03:00:00Z"},
			},
			restore,
		)),
		{"apps.kubeblocks.io/v1": {"Cluster": {"orders-copy": {"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "orders-copy"}, "status": {"phase": phase}}}}},
	])
	found := kubeblocks.restores with input as {"review": {"object": orders}, "inventory": {"live": true, "namespace": {"shop": objects}}}
}

test_restore_from_a_proven_backup if {
	unproven := [{"ready": "2026-05-02T03:00:00Z", "cluster": "orders-copy"}]
	restored_with({}, "Running", taken) == [object.union(unproven[0], {"proven": true})]
	restored_with({}, "Running", with_status({})) == unproven
	restored_with({"metadata": {"generation": 2}}, "Running", taken) == unproven
	restored_with({"spec": {"prepareDataConfig": {"volumeClaimsTemplate": {"templates": [{"metadata": {"name": "data-other-postgresql"}}]}}}}, "Running", taken) == unproven
	restored_with({}, "Running", object.union(taken, with_status({"completionTimestamp": "2026-05-03T03:00:00Z", "target": {"selectedTargetPods": ["orders-postgresql-1"]}}))) == unproven
}

test_environment_of_the_component if {
	component := {"name": "postgresql", "componentDef": "postgresql-16-1.0.0", "env": [
		{"name": "SPILO_CONFIGURATION", "value": "{fsync: off}"},
		{"name": "CRONTAB", "value": "[]"},
		{"name": "TZ", "value": "UTC"},
	]}
	cluster := read({"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "a", "namespace": "shop"}, "spec": {"componentSpecs": [component]}})
	[[place.source, place.severity] | some place in cluster.unread] == [["the variable SPILO_CONFIGURATION", "warning"], ["the variable CRONTAB", "info"]]
}

# SQL that cannot be read, in a request for the Cluster in sight.
test_script_of_a_request if {
	home := {"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "a", "namespace": "shop"}, "spec": {"componentSpecs": [{"name": "postgresql", "componentDef": "postgresql-16-1.0.0"}]}}
	asked := {"apiVersion": "apps.kubeblocks.io/v1alpha1", "kind": "OpsRequest", "metadata": {"name": "o", "namespace": "shop"}, "spec": {"clusterName": "a", "type": "DataScript", "scriptSpec": {"script": ["ALTER SYSTEM SET fsync = $X"], "scriptFrom": {"configMapRef": [{"name": "x"}]}}}}
	found := kubeblocks.cluster with input as {"review": {"object": asked}, "inventory": {"namespace": {"shop": {"apps.kubeblocks.io/v1": {"Cluster": {"a": home}}}}}}
	[place.source | some place in found.unread] == ["the script of an OpsRequest", "the script that an OpsRequest names"]
}

# ------------------------------------------------------------------------------------------- Components of their own

alone(name, spec) := {
	"apiVersion": "apps.kubeblocks.io/v1",
	"kind": "Component",
	"metadata": {"name": name, "namespace": "shop", "labels": {"app.kubernetes.io/instance": "orders"}},
	"spec": object.union({"compDef": "postgresql-16-1.0.0", "serviceVersion": "16.4.0", "replicas": 2}, spec),
}

by(cluster, one) := object.union(one, {"metadata": {"ownerReferences": [{"apiVersion": cluster.apiVersion, "kind": "Cluster", "name": cluster.metadata.name, "uid": cluster.metadata.uid, "controller": true}]}})

test_component_alone if {
	read_alone := read(alone("orders-postgresql", {}))
	read_alone.name == "orders"
	read_alone.major.value == 16
	read_alone.instance_sets[0].path == ["spec"]
	read_alone.instance_sets[0].name == "postgresql"
	read_alone.pods == [{"environment": [["spec", "env"]]}]
	not read_alone.selection
	read(alone("other", {"serviceVersion": ""})).major == {"value": 16, "origin": "written", "path": ["spec", "compDef"]}
	read(alone("other", {})).name == "other"
	not read(alone("other", {"compDef": "mysql-8.0"}))
}

test_component_of_a_cluster if {
	objects := {"apps.kubeblocks.io/v1": {"Cluster": {"orders": orders}}}
	not among(by(orders, alone("orders-postgresql", {})), objects)
	among(alone("orders-postgresql", {}), objects)
	among(by(orders, alone("orders-other", {})), objects)
	among(by(orders, alone("orders-postgresql-a1b", {})), objects)

	# One shard among several has a word behind the name.
	sharded := resource({"shardings": [{"name": "postgresql", "shards": 2, "template": component({"componentDef": "postgresql-16-1.0.0"})}]})
	shards := {"apps.kubeblocks.io/v1": {"Cluster": {"orders": sharded}}}
	not among(by(sharded, alone("orders-postgresql-a1b", {})), shards)
}

test_what_a_component_names if {
	named := alone("orders-postgresql", {"configs": [{"configMap": {"name": "mine"}}]})
	mine := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine", "namespace": "shop"}, "data": {"postgresql.conf": "fsync = off\n"}}
	[p.name | some p in among(named, {"v1": {"ConfigMap": {"mine": mine}}}).parameters] == ["fsync"]
	[p.name | some p in among(mine, {"apps.kubeblocks.io/v1": {"Component": {"orders-postgresql": named}}}).parameters] == ["fsync"]
	read(named).unread[0].source == "ConfigMap shop/mine"

	# That of a Cluster is found by its Cluster.
	of_cluster := by(orders, named)
	not among(mine, {"apps.kubeblocks.io/v1": {"Component": {"orders-postgresql": of_cluster}, "Cluster": {"orders": orders}}})
}

test_parts_in_the_place_of_the_definition if {
	cluster := among(
		resource({"clusterDef": "postgresql", "componentSpecs": [component({
			"volumes": [{"name": "scripts", "configMap": {"name": "off"}}, {"name": "cache", "emptyDir": {}}],
			"configs": [{"reconfigure": {"exec": {"command": ["psql", "-c", "ALTER SYSTEM SET fsync = off"]}}}, {"reconfigure": {"exec": {"command": ["true"]}}}],
		})]}),
		{"v1": {"ConfigMap": {"off": {"data": {"a": "fsync = off"}}}}},
	)
	cluster.unread == [
		{"source": "what volume scripts of the component holds", "path": array.concat(path, ["volumes", 0]), "severity": "warning"},
		{"source": "what the component runs when its configuration changes", "path": array.concat(path, ["configs", 0, "reconfigure"]), "severity": "warning"},
	]
}

refused(version) := {f.reason | some f in found} if {
	found := kubeblocks.cluster.refusals with input as {"review": {"object": {
		"apiVersion": "apps.kubeblocks.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "stock", "namespace": "shop"},
		"spec": {"clusterDef": "postgresql", "topology": "replication", "terminationPolicy": "Delete", "componentSpecs": [{"name": "postgresql", "serviceVersion": version, "replicas": 1}]},
	}}}
} else := set()

test_version_that_is_none if {
	refused("postgresql-16.4.0") == {"serviceVersion postgresql-16.4.0 is no semantic version, and nothing is created"}
	refused("16") == {"serviceVersion 16 is no semantic version, and nothing is created"}
	refused("16.3.0") == {"serviceVersion 16.3.0 is none of the addon's, and nothing is created"}
}

test_version_that_is_one if {
	refused("16.4.0") == set()
	refused("16.99.0") == set()
	refused("19.0.0") == set()
	refused("16.4.0-rc1") == set()
	refused("${VERSION}") == set()
}

# What to write instead: the same three numbers, the oldest release of a major that the addon has, and else of 17.
test_cure_of_a_version if {
	every version, cure in {
		"postgresql-16.4.0": "Write three numbers, such as 16.4.0",
		"16": "Write three numbers, such as 16.4.0",
		"14": "Write three numbers, such as 14.7.2",
		"99": "Write three numbers, such as 17.5.0",
		"latest": "Write three numbers, such as 17.5.0",
		"16.3.0": "Write 16.4.0, 16.9.0 or 16.14.0",
		"17.4.0": "Write 17.5.0 or 17.10.0",
	} {
		spec := {"clusterDef": "postgresql", "topology": "replication", "terminationPolicy": "Delete", "componentSpecs": [component({"serviceVersion": version, "volumeClaimTemplates": []})]}
		[fault.cure | some fault in read(resource(spec)).refusals] == [cure]
	}
}

test_claims_of_other_names if {
	read(resource({"clusterDef": "postgresql", "componentSpecs": [component({"volumeClaimTemplates": [
		{"name": "data", "persistentVolumeClaimName": "own.claim", "spec": {}},
		{"name": "scripts", "persistentVolumeClaimName": "other", "spec": {}},
	]})]})).data_claims == `^(data-orders-postgresql|own\.claim)-(.*-)?[0-9]+$`
}

kept(text) := among(orders, {"v1": {"ConfigMap": {"orders-postgresql-config": {
	"apiVersion": "v1",
	"kind": "ConfigMap",
	"metadata": {"name": "orders-postgresql-config", "namespace": "shop", "annotations": {"config": text}},
}}}})

test_configuration_that_patroni_keeps if {
	at_it := {"path": ["metadata", "annotations", "config"], "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "orders-postgresql-config"}}
	kept(`{"postgresql": {"custom_conf": "/tmp/more.conf"}}`).unread == [object.union({"source": "what Patroni runs or reads by its ConfigMap orders-postgresql-config", "severity": "info"}, at_it)]
	kept(`{"postgresql": {"parameters": {"jit": "off"}}}`).parameters == [object.union({"name": "jit", "value": "off"}, at_it)]
}

# A variable of a new instance that names a file or a program which the server loads.
test_variables_of_new_instances if {
	asked := {
		"apiVersion": "operations.kubeblocks.io/v1alpha1",
		"kind": "OpsRequest",
		"metadata": {"name": "o", "namespace": "shop"},
		"spec": {"clusterName": "a", "type": "HorizontalScaling", "horizontalScaling": [{"componentName": "postgresql", "scaleOut": {"newInstances": [{"name": "x", "env": [{"name": "LD_PRELOAD", "value": "/x.so"}, {"name": "TZ", "value": "UTC"}]}]}}]},
	}
	home := {
		"apiVersion": "apps.kubeblocks.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "a", "namespace": "shop"},
		"spec": {"clusterDef": "postgresql", "topology": "replication", "componentSpecs": [{"name": "postgresql", "serviceVersion": "17.5.0", "replicas": 2}]},
	}
	found := kubeblocks.cluster with input as {"review": {"object": asked}, "inventory": {"namespace": {"shop": {"apps.kubeblocks.io/v1": {"Cluster": {"a": home}}}}}}
	[place.source | some place in found.unread] == ["the variable LD_PRELOAD"]
}

# A placeholder may stand for the data's name.
test_claims_of_a_name_that_is_filled_in if {
	every name, lost in {"data": false, "${CLAIM}": false, "logs": true} {
		found := kubeblocks.cluster with input as {"review": {"object": {
			"apiVersion": "apps.kubeblocks.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "a", "namespace": "shop"},
			"spec": {"clusterDef": "postgresql", "topology": "replication", "componentSpecs": [{"name": "postgresql", "serviceVersion": "17.5.0", "replicas": 2, "volumeClaimTemplates": [{"name": name}]}]},
		}}}
		count([1 | some one in object.get(found, "lost", []); one.what == "The data directory"]) > 0 == lost
	}
}

# ---------------------------------------------------------------------------------------------- names of definitions

refused_definition(component) := [[fault.path, fault.reason, fault.cure] | some fault in found.refusals] if {
	cluster := kubeblocks.cluster with input as {"review": {"object": {
		"apiVersion": "apps.kubeblocks.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "pg", "namespace": "shop"},
		"spec": {"terminationPolicy": "Delete", "componentSpecs": [object.union({"name": "postgresql", "replicas": 2}, component)]},
	}}}
	found := object.union({"refusals": []}, cluster)
}

test_definition_of_another_major if {
	refused_definition({"componentDef": "postgresql-15", "serviceVersion": "16.4.0"}) == [[
		["spec", "componentSpecs", 0, "componentDef"],
		"componentDef postgresql-15 is for PostgreSQL 15, serviceVersion 16.4.0 is not, and nothing is created",
		"Write componentDef: postgresql-16",
	]]
	refused_definition({"componentDef": "postgresql-11-1.0.0"}) == [[
		["spec", "componentSpecs", 0, "componentDef"],
		"componentDef postgresql-11-1.0.0 is none of the addon's, which has PostgreSQL 12 to 18, and nothing is created",
		"Write that of a major that it has",
	]]
}

former(version, spec, component) := [fault.path | some fault in found.refusals] if {
	cluster := kubeblocks.cluster with input as {"review": {"object": {
		"apiVersion": sprintf("apps.kubeblocks.io/%s", [version]),
		"kind": "Cluster",
		"metadata": {"name": "pg", "namespace": "shop"},
		"spec": object.union({"terminationPolicy": "Delete", "clusterDefinitionRef": "postgresql", "componentSpecs": [object.union({"name": "postgresql", "replicas": 2}, component)]}, spec),
	}}}
	found := object.union({"refusals": []}, cluster)
}

test_definitions_of_the_former_version if {
	former("v1", {}, {}) == [["spec", "clusterDefinitionRef"]]
	former("v1", {"clusterVersionRef": "postgresql-14.8.0"}, {"componentDefRef": "postgresql"}) == [["spec", "clusterDefinitionRef"]]
	former("v1alpha1", {}, {"componentDefRef": "postgresql"}) == []
	former("v1", {"clusterDef": "postgresql"}, {}) == []
	former("v1", {}, {"componentDef": "postgresql-16"}) == []
}

test_definitions_of_the_addon if {
	every component in [
		{"componentDef": "postgresql-16-1.0.1", "serviceVersion": "16.4.0"},
		{"componentDef": "postgresql", "serviceVersion": "16.4.0"},
		{"componentDef": "postgresql-16"},
		{"componentDef": "postgresql-19"},
		{"componentDef": "vanilla-postgresql-12", "serviceVersion": "15.7.0"},
	] {
		refused_definition(component) == []
	}
}
