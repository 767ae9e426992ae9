package walguard.checks.connections.pool_exceeds_server_beside_test

import data.walguard.checks.connections.pool_exceeds_server as check
import data.walguard.checks.connections.pooler_missing

ini := "[databases]\nshop = host=%s port=5432\n[pgbouncer]\ndefault_pool_size = 20\nreserve_pool_size = 10\n"

# A PgBouncer that a Deployment runs before the cluster of an operator.
seen(given) := {
	"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 2, "postgresql": {"parameters": {"max_connections": object.get(given, "most", "100")}}}}},
	"inventory": object.union(
		{"namespace": {"prod": object.union(
			{
				"v1": {"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {object.get(given, "key", "pgbouncer.ini"): sprintf(ini, [object.get(given, "host", "orders-rw.prod.svc")])}}}},
				"apps/v1": {"Deployment": {"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"replicas": object.get(given, "replicas", 4), "template": {"spec": {
					"containers": [{"name": "pool", "image": object.get(given, "image", "ghcr.io/cloudnative-pg/pgbouncer:1.25.1"), "volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}],
					"volumes": [{"name": "ini", "configMap": {"name": "pool"}}],
				}}}}}},
			},
			object.get(given, "more", {}),
		)}},
		object.get(given, "inventory", {}),
	),
}

findings(given) := found if {
	found := check.findings with input as seen(given)
}

# 4 × (20 + 10).
test_a_pooler_of_ones_own if {
	findings({}) == {{
		"message": "The poolers open up to 120 connections for one user on each database, and the server has 97 (max_connections 100 less 3 reserved): clients are refused under load. Make the pools smaller, or set max_connections to 150.",
		"path": ["data", "pgbouncer.ini"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "pool", "namespace": "prod"},
		"facts": {"available_connections": 97, "max_connections": 100, "pool_connections": 120, "reserved_connections": 3},
	}}
	findings({"replicas": 3}) == set()
	{f.facts.pool_connections | some f in findings({"host": "orders-rw"})} == {120}
}

test_other_poolers if {
	every given in [
		{"host": "orders-ro"}, {"host": "orders-r.prod.svc"}, {"host": "others-rw"}, {"host": "orders-rw.test.svc"}, {"host": "orders-pooler"}, {"key": "other.ini"}, {"image": "nginx:1"},
	] {
		findings(given) == set()
	}
}

scaler := {"autoscaling/v2": {"HorizontalPodAutoscaler": {"pool": {
	"apiVersion": "autoscaling/v2",
	"kind": "HorizontalPodAutoscaler",
	"metadata": {"name": "pool", "namespace": "prod"},
	"spec": {"maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "pool"}},
}}}}

test_beside_those_of_the_operator if {
	{f.facts.pool_connections | some f in findings({"replicas": 1, "more": scaler})} == {150}
	operators_own := {"postgresql.cnpg.io/v1": {"Pooler": {"p": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "p", "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "type": "rw", "instances": 2, "pgbouncer": {"poolMode": "session"}}}}}}
	{f.facts.pool_connections | some f in findings({"replicas": 2, "more": operators_own})} == {100}
	findings({"replicas": 1, "more": operators_own}) == set()
}

# Of pooler_missing.
test_a_pooler_is_there if {
	given := {"most": "1000", "inventory": {"complete": true}}
	pooler_missing.findings == set() with input as object.union(seen(given), {"parameters": {"checks": {"connections/pooler_missing": {"settings": {"connections": 500}}}}})
	count(pooler_missing.findings) == 1 with input as object.union(seen(object.union(given, {"host": "elsewhere"})), {"parameters": {"checks": {"connections/pooler_missing": {"settings": {"connections": 500}}}}})
}
