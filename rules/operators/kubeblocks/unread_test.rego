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
