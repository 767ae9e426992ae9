package walguard.operators.crunchy_watch_test

import data.walguard.operators.crunchy

watching(environment) := object.get(found, "unresolved", []) if {
	operator := {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "pgo", "namespace": "ops"},
		"spec": {"template": {"spec": {"containers": [{"name": "operator", "image": "registry.developers.crunchydata.com/crunchydata/postgres-operator:ubi9-5.8.0-0", "env": environment}]}}},
	}
	found := crunchy.cluster with input as {"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "hippo", "namespace": "shop"}, "spec": {"postgresVersion": 17}}}, "inventory": {"namespace": {"ops": {"apps/v1": {"Deployment": {"pgo": operator}}}}}}
}

test_namespace_that_is_not_watched if {
	[fault.path | some fault in watching([{"name": "PGO_TARGET_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}])] == [["metadata", "namespace"]]
	watching([{"name": "PGO_TARGET_NAMESPACES", "value": "shop,ops"}]) == []
	watching([]) == []
}
