package walguard.operators.kubeblocks.changes_test

import data.walguard.operators.kubeblocks.changes

change(component, hint, name, value, path) := {"component": component, "hint": hint, "name": name, "value": value, "path": path}

request(api_version, spec) := {
	"apiVersion": api_version,
	"kind": "OpsRequest",
	"metadata": {"name": "reconfigure", "namespace": "shop"},
	"spec": object.union({"type": "Reconfiguring"}, spec),
}

test_request if {
	o := request("operations.kubeblocks.io/v1alpha1", {"clusterName": "orders", "reconfigures": [
		{"componentName": "postgresql", "parameters": [{"key": "max_wal_size", "value": "'8GB'"}, {"key": "jit", "value": null}, "hostile"]},
		7,
	]})
	changes.cluster_of(o) == "orders"
	changes.of(o) == [change("postgresql", "", "max_wal_size", "8GB", ["spec", "reconfigures", 0, "parameters", 0, "value"])]
}

test_request_of_old_releases if {
	o := request("apps.kubeblocks.io/v1alpha1", {"clusterRef": "orders", "reconfigure": {"componentName": "pg", "configurations": [
		{"name": "postgresql-configuration", "keys": [
			{"key": "postgresql.conf", "parameters": [{"key": "jit", "value": "off"}]},
			{"key": "pg_hba.conf", "fileContent": "local all all trust"},
			{"key": "postgresql.conf", "fileContent": "# mine\nfsync = off\nnot a line\n"},
			null,
		]},
		null,
	]}})
	changes.cluster_of(o) == "orders"
	keys := ["spec", "reconfigure", "configurations", 0, "keys"]
	changes.of(o) == [
		change("pg", "postgresql-configuration postgresql.conf", "jit", "off", array.concat(keys, [0, "parameters", 0, "value"])),
		object.union(change("pg", "postgresql-configuration postgresql.conf", "fsync", "off", array.concat(keys, [2, "fileContent"])), {"line": 2}),
	]
}

test_other_requests_change_nothing if {
	not changes.of(request("operations.kubeblocks.io/v1alpha1", {"type": "Restart"}))
	not changes.of(request("example.com/v1", {}))
	not changes.of({"apiVersion": 3, "kind": "OpsRequest"})
}

test_parameter if {
	o := {"apiVersion": "parameters.kubeblocks.io/v1alpha1", "kind": "Parameter", "spec": {"clusterName": "orders", "componentParameters": [
		{"componentName": "postgresql", "parameters": {"jit": "off", "work_mem": null}},
		[],
	]}}
	changes.of(o) == [change("postgresql", "", "jit", "off", ["spec", "componentParameters", 0, "parameters", "jit"])]
}

test_component_parameter if {
	o := {"apiVersion": "parameters.kubeblocks.io/v1alpha1", "kind": "ComponentParameter", "spec": {
		"clusterName": "orders",
		"componentName": "postgresql",
		"initial": {"assignments": {"jit": "on"}, "updates": [{"key": "fsync", "value": "on"}, {"key": "wal_level"}, 1]},
		"configItemDetails": [
			{"name": "postgresql-configuration", "configFileParams": {"postgresql.conf": {"content": "work_mem = '4MB'", "parameters": {"jit": "off"}}}},
			{"name": "empty"},
			"hostile",
		],
		"desired": {"updates": [{"key": "fsync", "value": "off"}]},
	}}
	item := ["spec", "configItemDetails", 0, "configFileParams", "postgresql.conf"]
	changes.of(o) == [
		change("postgresql", "", "jit", "on", ["spec", "initial", "assignments", "jit"]),
		change("postgresql", "", "fsync", "on", ["spec", "initial", "updates", 0, "value"]),
		object.union(change("postgresql", "postgresql.conf", "work_mem", "4MB", array.concat(item, ["content"])), {"line": 1}),
		change("postgresql", "postgresql.conf", "jit", "off", array.concat(item, ["parameters", "jit"])),
		change("postgresql", "", "fsync", "off", ["spec", "desired", "updates", 0, "value"]),
	]
}

annotated(text) := changes.of_annotation({"metadata": {"annotations": {"config.kubeblocks.io/init-parameters": text}}})

test_annotation if {
	path := ["metadata", "annotations", "config.kubeblocks.io/init-parameters"]
	annotated(`{"postgresql": {"assignments": {"jit": "off"}, "updates": [{"key": "fsync", "value": "off"}]}, "x": 1}`) == [
		change("postgresql", "", "jit", "off", path),
		change("postgresql", "", "fsync", "off", path),
	]
	annotated("{") == []
	annotated("[]") == []
	changes.of_annotation({}) == []
}

config_map(labels, text) := {
	"apiVersion": "v1",
	"kind": "ConfigMap",
	"metadata": {"name": "orders-postgresql-postgresql-configuration", "labels": labels},
	"data": {"postgresql.conf": text},
}

labels := {"app.kubernetes.io/instance": "orders", "apps.kubeblocks.io/component-name": "postgresql"}

test_rendered_config_map if {
	o := config_map(labels, "wal_init_zero = off\nfull_page_writes = 'off'")
	changes.cluster_of(o) == "orders"
	changes.of(o) == [
		object.union(change("postgresql", "postgresql.conf", "wal_init_zero", "off", ["data", "postgresql.conf"]), {"rendered": true, "line": 1}),
		object.union(change("postgresql", "postgresql.conf", "full_page_writes", "off", ["data", "postgresql.conf"]), {"line": 2}),
	]
}

test_config_map_of_a_user if {
	o := config_map({}, "wal_init_zero = off")
	not changes.cluster_of(o)
	changes.of(o) == [object.union(change("", "postgresql.conf", "wal_init_zero", "off", ["data", "postgresql.conf"]), {"line": 1})]
	changes.of({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}) == []
}

test_what_is_only_of_postgresql if {
	changes.for_postgresql(change("postgresql", "", "max_connections", "1", []))
	changes.for_postgresql(change("db", "postgresql-configuration", "max_connections", "1", []))
	changes.for_postgresql(change("db", "", "FULL_PAGE_WRITES", "1", []))
	not changes.for_postgresql(change("mysql", "", "max_connections", "1", []))
}

test_quotes_of_the_file if {
	changes.unquoted("'it''s'") == "it's"
	changes.unquoted("'") == "'"
	changes.unquoted(3) == 3
}

test_sql_by_a_request if {
	changes.of(request("apps.kubeblocks.io/v1alpha1", {"type": "DataScript", "clusterName": "orders", "scriptSpec": {"componentName": "pg", "script": [3, "ALTER SYSTEM SET fsync = off"]}})) == [change("pg", "postgresql", "fsync", "off", ["spec", "scriptSpec", "script", 1])]
	changes.of(request("operations.kubeblocks.io/v1alpha1", {"type": "Custom", "custom": {"components": [{"componentName": "pg", "parameters": [{"name": "sql", "value": "ALTER SYSTEM SET jit TO 'on'"}]}]}})) == [change("pg", "postgresql", "jit", "on", ["spec", "custom", "components", 0, "parameters", 0, "value"])]
	changes.of(request("operations.kubeblocks.io/v1alpha1", {"type": "Custom"})) == []
}

test_configuration_of_old_releases if {
	o := {"apiVersion": "apps.kubeblocks.io/v1alpha1", "kind": "Configuration", "spec": {"clusterRef": "orders", "componentName": "pg", "configItemDetails": [{"configFileParams": {"postgresql.conf": {"parameters": {"jit": "off"}}}}]}}
	changes.cluster_of(o) == "orders"
	changes.of(o) == [change("pg", "postgresql.conf", "jit", "off", ["spec", "configItemDetails", 0, "configFileParams", "postgresql.conf", "parameters", "jit"])]
}

# Labels are anybody's.
test_labelled_configmap_of_the_author if {
	map := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine", "namespace": "shop", "labels": {"x.kubeblocks.io/y": "z"}}, "data": {"postgresql.conf": "jit = off\n"}}
	changes.of(map)[0].rendered
	named := {"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {"shardings": [{"template": {"configs": [{"configMap": {"name": "mine"}}]}}]}}
	found := changes.of(map) with input as {"review": {"object": map}, "inventory": {"namespace": {"shop": {"apps.kubeblocks.io/v1": {"Cluster": {"orders": named}}}}}}
	not found[0].rendered
}

test_fields_in_any_case if {
	o := {"metadata": {"annotations": {"config.kubeblocks.io/init-parameters": `{"pg": {"Assignments": {"jit": "off"}, "UPDATES": [{"Key": "fsync", "Value": "off"}, 3]}}`}}}
	{[found.name, found.value] | some found in changes.of_annotation(o)} == {["jit", "off"], ["fsync", "off"]}
}

# Names that no other database has.
test_names_of_postgresql if {
	every name in [
		"archive_command", "autovacuum", "checkpoint_completion_target", "checkpoint_timeout", "effective_cache_size", "fsync", "full_page_writes", "maintenance_work_mem",
		"max_slot_wal_keep_size", "max_wal_senders", "max_wal_size", "min_wal_size", "shared_buffers", "synchronous_commit", "wal_compression", "wal_init_zero",
		"wal_keep_size", "wal_level", "wal_log_hints", "wal_recycle", "wal_segment_size", "wal_sync_method", "FSYNC",
	] {
		changes.for_postgresql(change("db", "", name, "1", []))
	}
	not changes.for_postgresql(change("db", "", "max_connections", "1", []))
	changes.for_postgresql(change("my-Postgres", "", "max_connections", "1", []))
	changes.for_postgresql(change("db", "postgresql.conf", "max_connections", "1", []))
}

scaled(spec) := [[one.field, one.value, one.path] | some one in found] if {
	found := changes.scaled with input as {"review": {"object": request("operations.kubeblocks.io/v1alpha1", object.union({"clusterName": "orders"}, spec))}}
}

test_scaling if {
	scaled({"type": "HorizontalScaling", "horizontalScaling": [{"componentName": "a", "replicas": 0}, {"componentName": "a", "replicas": -1}]}) == [["replicas", 0, ["spec", "horizontalScaling", 0, "replicas"]]]
	scaled({"type": "HorizontalScaling", "horizontalScaling": [{"componentName": "a", "scaleOut": {"replicaChanges": 3}, "scaleIn": {"replicaChanges": 1}}, {"scaleOut": {"replicaChanges": 1}, "scaleIn": {"replicaChanges": 1}}, {"scaleOut": {"replicaChanges": 1.5}}]}) == [["added", 2, ["spec", "horizontalScaling", 0]]]
	scaled({"type": "VolumeExpansion", "volumeExpansion": [{"componentName": "a", "volumeClaimTemplates": [{"name": "log", "storage": "1Gi"}, {"name": "data", "storage": "2Gi"}]}]}) == [["data", "2Gi", ["spec", "volumeExpansion", 0, "volumeClaimTemplates", 1, "storage"]]]
	scaled({"type": "VerticalScaling", "verticalScaling": [{"componentName": "a", "limits": {"cpu": "2"}}, {"componentName": "b"}]}) == [["resources", {"requests": {}, "limits": {"cpu": "2"}}, ["spec", "verticalScaling", 0]]]
	scaled({"type": "Restart", "verticalScaling": [{"componentName": "a", "limits": {"cpu": "2"}}], "horizontalScaling": [{"replicas": 1}]}) == []
}

test_quotes_of_the_file if {
	every text, value in {"'8GB'": "8GB", "'it''s'": "it's", "'": "'", "8GB'": "8GB'", "'8GB": "'8GB", "''": ""} {
		o := request("operations.kubeblocks.io/v1alpha1", {"clusterName": "orders", "reconfigures": [{"componentName": "postgresql", "parameters": [{"key": "a", "value": text}]}]})
		[one.value | some one in changes.of(o)] == [value]
	}
}

unread_files(texts) := [one.source | some one in changes.unread_files_of({"kind": "ConfigMap", "data": texts})]

# What is run at a restore, in files beside postgresql.conf.
test_files_beside if {
	unread_files({"kb_pitr.conf": "restore_command = 'psql -c \"ALTER SYSTEM SET fsync = off\"'"}) == ["kb_pitr.conf of the configuration"]
	unread_files({"kb_pitr.conf": "recovery_target_action = promote"}) == []
}
