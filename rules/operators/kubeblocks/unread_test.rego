package walguard.operators.kubeblocks_test

trusting := "host all all all trust\n"

hba_map := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine", "namespace": "shop"}, "data": {"pg_hba.conf": trusting}}

asking := {
	"apiVersion": "parameters.kubeblocks.io/v1alpha1",
	"kind": "ComponentParameter",
	"metadata": {"name": "orders-postgresql", "namespace": "shop"},
	"spec": {"clusterName": "orders", "componentName": "postgresql", "configItemDetails": [{"name": "postgresql-configuration", "configFileParams": {"pg_hba.conf": {"content": trusting}}}]},
}

in_content := ["spec", "configItemDetails", 0, "configFileParams", "pg_hba.conf", "content"]

test_who_logs_in_by_a_change_of_the_file if {
	among(asking, clusters(orders)).hba == [{"line": "host all all all trust", "number": 1, "path": in_content}]
	among(orders, {"parameters.kubeblocks.io/v1alpha1": {"ComponentParameter": {"orders-postgresql": asking}}}).hba == [{
		"line": "host all all all trust",
		"number": 1,
		"path": in_content,
		"resource": {"apiVersion": "parameters.kubeblocks.io/v1alpha1", "kind": "ComponentParameter", "namespace": "shop", "name": "orders-postgresql"},
	}]
}

test_who_logs_in_by_a_config_map if {
	among(hba_map, clusters(configured)).hba == [{"line": "host all all all trust", "number": 1, "path": ["data", "pg_hba.conf"]}]
	not among(hba_map, clusters(orders))
	among(configured, {"v1": {"ConfigMap": {"mine": hba_map}}}).hba[0].resource.name == "mine"
	not among(orders, {"v1": {"ConfigMap": {"mine": hba_map}}}).hba
}

restore_of(fields, variable) := {"dataprotection.kubeblocks.io/v1alpha1": {"Restore": {"back": object.union(
	{"apiVersion": "dataprotection.kubeblocks.io/v1alpha1", "kind": "Restore", "metadata": {"name": "back", "namespace": "shop"}, "spec": {"env": [variable]}},
	fields,
)}}}

said_of_restore(fields, variable) := object.get(among(orders, restore_of(fields, variable)), "unread", [])

# The job of a restore has the claims of the data.
test_variables_of_restores if {
	preload := {"name": "LD_PRELOAD", "value": "/tmp/x.so"}
	by_claim := {"spec": {"prepareDataConfig": {"volumeClaims": [{"metadata": {"name": "data-orders-postgresql-0"}}]}}}
	by_template := {"spec": {"prepareDataConfig": {"volumeClaimsTemplate": {"templates": [{"metadata": {"name": "data-orders-postgresql"}}]}}}}
	by_label := {"metadata": {"labels": {"app.kubernetes.io/instance": "orders"}}}
	every fields in [by_claim, by_template, by_label] {
		[[entry.source, entry.path] | some entry in said_of_restore(fields, preload)] == [["the variable LD_PRELOAD of Restore shop/back", ["spec", "env", 0]]]
	}
	said_of_restore({}, preload) == []
	said_of_restore(by_label, {"name": "TZ", "value": "UTC"}) == []
	count(said_of_restore(by_label, {"name": "TZ", "value": "UTC\nfsync = off"})) == 1
	count(said_of_restore(by_label, {"name": "TZ", "value": "echo fsync=off >> postgresql.auto.conf"})) == 1
}

# Whole files in changes, of which postgresql.conf was read alone.
patroni_text := "postgresql:\n  parameters:\n    fsync: \"off\"\n"

brought(kind, api, spec) := {"apiVersion": api, "kind": kind, "metadata": {"name": "x", "namespace": "shop"}, "spec": spec}

by_item(key, text) := {"clusterName": "orders", "clusterRef": "orders", "componentName": "postgresql", "configItemDetails": [{"name": "postgresql-configuration", "configFileParams": {key: {"content": text}}}]}

requesting(key, text) := brought("OpsRequest", "apps.kubeblocks.io/v1alpha1", {"clusterRef": "orders", "type": "Reconfiguring", "reconfigure": {"componentName": "postgresql", "configurations": [{"name": "postgresql-configuration", "keys": [{"key": key, "fileContent": text}]}]}})

in_request := ["spec", "reconfigure", "configurations", 0, "keys", 0, "fileContent"]

test_files_of_patroni_in_changes if {
	every change in [
		[brought("ComponentParameter", "parameters.kubeblocks.io/v1alpha1", by_item("patroni.yaml", patroni_text)), ["spec", "configItemDetails", 0, "configFileParams", "patroni.yaml", "content"]],
		[brought("Configuration", "apps.kubeblocks.io/v1alpha1", by_item("patroni.yaml", patroni_text)), ["spec", "configItemDetails", 0, "configFileParams", "patroni.yaml", "content"]],
		[requesting("patroni.yaml", patroni_text), in_request],
	] {
		[[one.name, one.value, one.path, one.line] | some one in among(change[0], clusters(orders)).parameters] == [["fsync", "off", change[1], 3]]
	}
	not among(requesting("patroni.yaml", "ttl: 30\n"), clusters(orders))
}

test_lines_of_a_request if {
	among(requesting("pg_hba.conf", trusting), clusters(orders)).hba == [{"line": "host all all all trust", "number": 1, "path": in_request}]
}

test_what_files_of_changes_run if {
	among(requesting("kb_pitr.conf", "restore_command = 'echo x >> /d/postgresql.auto.conf'\n"), clusters(orders)).unread == [{"source": "kb_pitr.conf of the configuration", "path": in_request, "severity": "info"}]
	not among(requesting("kb_pitr.conf", "restore_command = 'cp /x/%f %p'\n"), clusters(orders))
}
