package walguard.model.addresses_pools_test

import data.walguard.lib.workloads
import data.walguard.model.addresses

none(_, _) := []

two(_, _) := [{"spec": {"maxReplicas": 4}}, {"spec": {"maxReplicas": 6}}]

deployment(spec) := {"kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}

test_pods_in_a_rollout if {
	every row in [
		[deployment({"replicas": 4}), 5], [deployment({"replicas": 5}), 7], [deployment({}), 2], [deployment({"replicas": 4, "strategy": {"rollingUpdate": {"maxSurge": 3}}}), 7],
		[deployment({"replicas": 4, "strategy": {"rollingUpdate": {"maxSurge": "0%"}}}), 4], [deployment({"replicas": 4, "strategy": {"rollingUpdate": {"maxSurge": "51%"}}}), 7],
		[deployment({"replicas": 4, "strategy": {"type": "Recreate"}}), 4], [{"kind": "StatefulSet", "metadata": {"name": "web"}, "spec": {"replicas": 4}}, 4],
	] {
		addresses.pods_of(row[0]) == row[1] with workloads.scalers as none
	}
	addresses.pods_of(deployment({"replicas": 4})) == 8 with workloads.scalers as two
	not addresses.pods_of(deployment({"replicas": 4, "strategy": {"rollingUpdate": {"maxSurge": "x"}}})) with workloads.scalers as none

	# At least one.
	addresses.pods_of(deployment({"replicas": "x"})) == 2 with workloads.scalers as none
}

one(env) := {"path": ["p"], "container": {"env": [{"name": name, "value": value} | some name, value in env]}, "made": {"resource": {"name": "web"}, "object": deployment({"replicas": 2})}}

test_sizes_of_pools if {
	every name in [
		"HASURA_GRAPHQL_PG_CONNECTIONS", "PGRST_DB_POOL", "QUARKUS_DATASOURCE_JDBC_MAX_SIZE", "DB_POOL_SIZE", "DATABASE_MAX_CONNECTIONS", "PG_MAX_CONNS", "spring_datasource_hikari_maximum_pool_size", "POSTGRES_POOL_MAX",
	] {
		addresses.sizes(one({name: "25"})) == [{"size": 25, "path": ["p", "env", 0, "value"], "resource": {"name": "web"}}]
	}
	every name in ["PG_MAX_CONNECTIONS", "POSTGRESQL_MAX_CONNECTIONS", "POSTGRES_MAX_CONNECTIONS", "POOL_SIZE", "REDIS_POOL_SIZE"] { addresses.sizes(one({name: "25"})) == [] }
	every value in ["0", "025", "100000", "x", ""] { addresses.sizes(one({"DB_POOL_SIZE": value})) == [] }
	every value, size in {"1": 1, "99999": 99999} { addresses.size_of(one({"DB_POOL_SIZE": value})).size == size }
	addresses.size_of(one({"SQLALCHEMY_POOL_SIZE": "5", "SQLALCHEMY_MAX_OVERFLOW": "10"})).size == 15
	addresses.size_of(one({"SQLALCHEMY_POOL_SIZE": "5", "OTHER_MAX_OVERFLOW": "10"})).size == 5
	concourse := {"path": ["p"], "container": {"image": "concourse/concourse:7", "args": ["web"], "env": [{"name": "CONCOURSE_API_MAX_CONNS", "value": "7"}]}, "made": {"resource": {"name": "web"}, "object": deployment({"replicas": 2})}}
	addresses.size_of(concourse).size == 62 with workloads.scalers as none
	not addresses.of_concourse(concourse) with workloads.scalers as none with addresses.wanted as 1
	not addresses.of_concourse(object.union(concourse, {"container": {"args": ["worker"]}})) with workloads.scalers as none
}

test_what_is_not_named if {
	[addresses.rest_of(group) | some group in [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]] == [[], [], [], ["1 more"], ["2 more"]]
	every value, passes in {"db:6432": false, "db:5432": true, "postgres://u@db:5432/x": true, "db:54321": false, "db": false} {
		count([1 | addresses.passes({"values": [value]}, {"direct_port": 5432})]) == count([1 | passes])
	}
}
