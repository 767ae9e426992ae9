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
