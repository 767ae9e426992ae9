package walguard.operators.workload_test

import data.walguard.operators.workload

pooled(objects, config) := found if {
	seen := workload.cluster with input as {
		"review": {"object": with_parts("StatefulSet", "postgres:17.6", {}, {}, {"serviceName": "orders"})},
		"inventory": {"namespace": {"shop": {
			"apps/v1": {"Deployment": {o.metadata.name: o | some o in objects}},
			"v1": {"ConfigMap": {"ini": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ini", "namespace": "shop"}, "data": {"pgbouncer.ini": config}}}},
		}}},
	}
	found := [seen.pooler.connections, seen.pooler.cached]
} else := []

deployed(image, replicas, env) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "pool", "namespace": "shop"},
	"spec": object.union(object.union_n([{"replicas": n} | n := replicas; n != null]), {"template": {"spec": {
		"containers": [{"name": "pool", "image": image, "env": [{"name": name, "value": value} | some name, value in env], "volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}],
		"volumes": [{"name": "ini", "configMap": {"name": "ini"}}],
	}}}),
}

# Replicas times the size of the pool.
test_pgbouncer_by_its_environment if {
	every host in ["DB_HOST", "DATABASE_URL", "DATABASE_URLS", "POSTGRESQL_HOST", "PGBOUNCER_DSN_0"] {
		every size in ["DEFAULT_POOL_SIZE", "PGBOUNCER_DEFAULT_POOL_SIZE"] {
			pooled([deployed("edoburu/pgbouncer", 3, {host: "orders.shop.svc", size: "7"})], "") == [21, 21]
		}
	}
	pooled([deployed("edoburu/pgbouncer", null, {"DB_HOST": "orders", "DEFAULT_POOL_SIZE": "7"})], "") == [7, 7]
	pooled([deployed("edoburu/pgbouncer", 3, {"DB_HOST": "other", "DEFAULT_POOL_SIZE": "7"})], "") == []
	pooled([deployed("edoburu/pgbouncer", 3, {"OTHER": "orders", "DEFAULT_POOL_SIZE": "7"})], "") == []
	pooled([deployed("example.com/proxy", 3, {"DB_HOST": "orders", "DEFAULT_POOL_SIZE": "7"})], "") == []
}

# Each of its children keeps a connection for each pair of user and database.
test_pgpool if {
	every host in ["PGPOOL_BACKEND_NODES", "PGPOOL_PARAMS_BACKEND_HOSTNAME0", "PGPOOL_PARAMS_BACKEND_HOSTNAME1"] {
		every size in ["PGPOOL_NUM_INIT_CHILDREN", "PGPOOL_PARAMS_NUM_INIT_CHILDREN"] {
			pooled([deployed("bitnami/pgpool:4", 2, {host: "0:orders:5432", size: "32", "PGPOOL_MAX_POOL": "4"})], "") == [64, 256]
		}
	}
	every word, cached in {"yes": 256, "no": 64, "off": 64, "false": 64, "on": 256} {
		pooled([deployed("bitnami/pgpool:4", 2, {"PGPOOL_BACKEND_NODES": "0:orders:5432", "PGPOOL_NUM_INIT_CHILDREN": "32", "PGPOOL_MAX_POOL": "4", "PGPOOL_ENABLE_CONNECTION_CACHE": word})], "") == [64, cached]
	}
	every most in ["0", "x"] {
		pooled([deployed("bitnami/pgpool:4", 2, {"PGPOOL_BACKEND_NODES": "0:orders:5432", "PGPOOL_NUM_INIT_CHILDREN": "32", "PGPOOL_MAX_POOL": most})], "") == [64, 64]
	}
}

# The smaller of two limits in a file that names the server.
test_pgbouncer_by_its_file if {
	every text, connections in {
		"[databases]\na = host=orders port=5432\n[pgbouncer]\ndefault_pool_size = 7\n": [14],
		"[databases]\na = host=orders\n": [40],
		"[databases]\na = host=orders\n[pgbouncer]\ndefault_pool_size = 7\nmax_db_connections = 5\n": [10],
		"[databases]\na = host=orders\n[pgbouncer]\ndefault_pool_size = 7\nmax_db_connections = 50\n": [14],
		"[databases]\na = host=orders\n[pgbouncer]\nmax_db_connections = 0\n": [40],
		"[databases]\na = host=other\n": [],
		"[databases]\n; a = host=orders\n": [],
	} {
		array.slice(pooled([deployed("edoburu/pgbouncer", 2, {})], text), 0, 1) == connections
	}
}

summed(image, more) := found if {
	seen := workload.cluster with input as {
		"review": {"object": with_parts("StatefulSet", image, object.union({"env": [{"name": "POSTGRES_PASSWORD", "value": "x"}]}, more), {}, {"serviceName": "orders"})},
		"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"pool": json.remove(deployed("edoburu/pgbouncer:v1", 1, {"DB_HOST": "orders", "DEFAULT_POOL_SIZE": "7"}), ["/spec/template/spec/containers/0/volumeMounts"])}}}}},
	}
	found := count([1 | seen.pooler_sums])
}

# Servers that initdb of 14 or later made have SCRAM secrets.
test_poolers_with_sums if {
	summed("postgres:14.2", {}) == 1
	summed("postgres:13.9", {}) == 0
	summed("postgres:17.6", {"args": ["-c", "password_encryption=md5"]}) == 0
	summed("postgres:17.6", {"env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "md5"}]}) == 0
}
