package walguard.model.pools_test

import data.walguard.checks.connections.pool_exceeds_server as check

application(env, more) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": object.union({"template": {"spec": {"containers": [{"name": "web", "image": "web:1", "env": array.concat([{"name": "DB_HOST", "value": "db"}], env)}]}}}, more),
}

told(env, more, objects) := {f.message |
	some f in check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"shop": object.union({"apps/v1": {"Deployment": {"web": application(env, more)}}}, objects)}},
	}
}

scaler := {"autoscaling/v2": {"HorizontalPodAutoscaler": {"web": {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 10}}}}}

test_scaled if {
	told([{"name": "DB_MAX_CONNS", "value": "25"}], {}, scaler) == {"Deployment web keeps up to 250 connections (10 pods × DB_MAX_CONNS=25), and the server has 97 (max_connections 100 less 3 reserved): clients are refused under load. Make the pools smaller, or set max_connections to 300."}
}

test_replicas if {
	told([{"name": "SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE", "value": "50"}], {"replicas": 2}, {}) == {"Deployment web keeps up to 100 connections (2 pods × SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE=50), and the server has 97 (max_connections 100 less 3 reserved): clients are refused under load. Make the pools smaller, or set max_connections to 150."}
	told([{"name": "DB_MAX_CONNS", "value": "25"}], {"replicas": 2}, {}) == set()
	told([{"name": "DB_MAX_CONNS", "value": "${SIZE}"}], {}, scaler) == set()
	told([{"name": "POOL", "value": "250"}], {}, scaler) == set()
}

test_elsewhere if {
	elsewhere := {"template": {"spec": {"containers": [{"name": "web", "image": "web:1", "env": [{"name": "DB_HOST", "value": "pgbouncer"}, {"name": "DB_MAX_CONNS", "value": "250"}]}]}}}
	told([], elsewhere, scaler) == set()
}
