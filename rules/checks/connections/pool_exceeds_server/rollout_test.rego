package walguard.checks.connections.pool_exceeds_server_rollout_test

import data.walguard.checks.connections.pool_exceeds_server as check

# Clients of four pods, and one more in a rollout, by the severity.
graded(host, size, strategy) := {object.get(f, "severity", "warning") | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 2, "postgresql": {"parameters": {"max_connections": "103"}}}}},
		"inventory": {"namespace": {"prod": {
			"apps/v1": {"Deployment": {"app": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "prod"}, "spec": object.union(strategy, {"replicas": 4, "template": {"spec": {"containers": [{"name": "app", "env": [{"name": "DB_HOST", "value": host}, {"name": "DB_POOL_SIZE", "value": size}]}]}}})}}},
			"postgresql.cnpg.io/v1": {"Pooler": {"p": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "p", "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "instances": 1, "pgbouncer": {"parameters": {"max_client_conn": "100"}}}}}},
		}}},
	}
}

# Of the server and of a pooler, which take 100 both.
test_only_the_pods_of_a_rollout if {
	every host in ["orders-rw", "p"] {
		[graded(host, size, {}) | some size in ["20", "21", "25", "26"]] == [set(), {"info"}, {"info"}, {"warning"}]
		[graded(host, size, {"strategy": {"type": "Recreate"}}) | some size in ["25", "26"]] == [set(), {"warning"}]
	}
}
