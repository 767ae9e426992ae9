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

# ------------------------------------------------------------------------------------------------ databases of a pooler

beside_pooler(container, texts, volume, env) := {[f.reason, f.cure] |
	seen := workload.cluster with input as {
		"review": {"object": with_parts("StatefulSet", "postgres:17.6", {}, {}, {"serviceName": "orders"})},
		"inventory": {"namespace": {"shop": {
			"apps/v1": {"Deployment": {
				"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [container], "volumes": [volume]}}}},
				"app": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1", "env": [{"name": name, "value": value} | some name, value in env]}]}}}},
			}},
			"v1": {
				"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "shop"}, "data": texts}},
				"Secret": {"pool": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pool", "namespace": "shop"}, "stringData": texts}},
				"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432}]}}},
			},
		}}},
	}
	some f in object.get(seen, "pooler_faults", [])

	# Where its file lies is tested in pooler_login.
	not contains(f.reason, "where its image looks for none")
}

in_map := {"name": "c", "configMap": {"name": "pool"}}

in_secret := {"name": "c", "secret": {"secretName": "pool"}}

with_file(image) := {"name": "pool", "image": image, "volumeMounts": [{"name": "c", "mountPath": "/etc/pool"}]}

by_variables(image, env) := {"name": "pool", "image": image, "env": [{"name": name, "value": value} | some name, value in env]}

asks_for(database) := {"PGHOST": "pool.shop.svc", "PGDATABASE": database}

ini_of(databases) := {"pgbouncer.ini": sprintf("[databases]\n%s\n[pgbouncer]\nlisten_addr = *\nlisten_port = 6432\n", [databases])}

test_database_that_pgbouncer_does_not_know if {
	beside_pooler(with_file("edoburu/pgbouncer"), ini_of("shop = host=orders"), in_map, asks_for("app")) == {["Deployment app asks for database app, and this pgbouncer.ini knows shop alone: \"no such database\"", "Add app to [databases], or an entry called *"]}
	beside_pooler(with_file("edoburu/pgbouncer"), ini_of("shop = host=orders"), in_map, {"URL": "postgres://a:b@pool:6432/app"}) == {["Deployment app asks for database app, and this pgbouncer.ini knows shop alone: \"no such database\"", "Add app to [databases], or an entry called *"]}
	beside_pooler(by_variables("edoburu/pgbouncer:v1.24.1-p0", {"LISTEN_PORT": "6432", "DB_HOST": "orders", "DB_NAME": "shop"}), {}, in_map, asks_for("app")) == {["Deployment app asks for database app, and PgBouncer knows shop alone (DB_NAME): \"no such database\"", "Leave DB_NAME out, or write app there"]}
	beside_pooler(by_variables("bitnami/pgbouncer:1.24.1", {"POSTGRESQL_HOST": "orders", "POSTGRESQL_PASSWORD": "x", "POSTGRESQL_DATABASE": "app"}), {}, in_map, asks_for("app")) == {["Deployment app asks for database app, and PgBouncer knows postgres alone (PGBOUNCER_DATABASE): \"no such database\"", "Set PGBOUNCER_DATABASE to app, or to *"]}
}

test_databases_that_pgbouncer_knows if {
	beside_pooler(with_file("edoburu/pgbouncer"), ini_of("shop = host=orders\napp = host=orders"), in_map, asks_for("app")) == set()
	beside_pooler(with_file("edoburu/pgbouncer"), ini_of("shop = host=orders\n* = host=orders"), in_map, asks_for("app")) == set()
	beside_pooler(with_file("edoburu/pgbouncer"), ini_of("shop = host=orders"), in_map, asks_for("pgbouncer")) == set()
	beside_pooler(with_file("edoburu/pgbouncer"), ini_of("shop = host=orders"), in_map, {"PGHOST": "orders", "PGDATABASE": "app"}) == set()
	beside_pooler(by_variables("edoburu/pgbouncer:v1.24.1-p0", {"LISTEN_PORT": "6432", "DB_HOST": "orders"}), {}, in_map, asks_for("app")) == set()
	beside_pooler(by_variables("bitnami/pgbouncer:1.24.1", {"POSTGRESQL_HOST": "orders", "POSTGRESQL_PASSWORD": "x", "PGBOUNCER_DATABASE": "*"}), {}, in_map, asks_for("app")) == set()
	beside_pooler(by_variables("bitnami/pgbouncer:1.24.1", {"POSTGRESQL_HOST": "orders", "POSTGRESQL_PASSWORD": "x", "PGBOUNCER_DSN_0": "app=host=orders dbname=app"}), {}, in_map, asks_for("app")) == set()
}

pgcat(name) := {"pgcat.toml": sprintf("[general]\nport = 6432\nadmin_username = \"a\"\nadmin_password = \"b\"\n[pools.%s]\npool_mode = \"session\"\n[pools.%s.users.0]\nusername = \"app\"\npool_size = 5\n[pools.%s.shards.0]\nservers = [[\"orders\", 5432, \"primary\"]]\ndatabase = \"app\"\n", [name, name, name])}

pgdog := {"pgdog.toml": "[general]\nport = 6432\n\n[[databases]]\nname = \"shop\"\nhost = \"orders\"\n"}

test_database_without_a_pool if {
	every volume in [in_map, in_secret] {
		beside_pooler(with_file("ghcr.io/postgresml/pgcat:v1.2.0"), pgcat("db"), volume, asks_for("app")) == {["Deployment app asks for database app, and PgCat knows db alone (\"No pool configured for database\")", "Call the pool app: its name is what clients ask for"]}
	}
	beside_pooler(with_file("ghcr.io/pgdogdev/pgdog:v0.1.10"), pgdog, in_map, asks_for("app")) == {["Deployment app asks for database app, and PgDog knows shop alone and refuses it", "Add a [[databases]] with name = \"app\""]}
	beside_pooler(with_file("ghcr.io/postgresml/pgcat:v1.2.0"), pgcat("app"), in_map, asks_for("app")) == set()
	beside_pooler(with_file("ghcr.io/postgresml/pgcat:v1.2.0"), pgcat("\"app\""), in_map, asks_for("app")) == set()
	beside_pooler(with_file("ghcr.io/pgdogdev/pgdog:v0.1.10"), pgdog, in_map, asks_for("shop")) == set()
}

# ------------------------------------------------------------------------------------------------------ lists of nodes

nodes_of(backends, partners) := [object.get(seen, "pooler_faults", []), object.get(seen, "unresolved", [])] if {
	seen := workload.cluster with input as {
		"review": {"object": with_parts("StatefulSet", "bitnami/postgresql-repmgr:17.6.0", {"env": [{"name": "REPMGR_PARTNER_NODES", "value": partners}]}, {}, {"serviceName": "orders", "replicas": 3})},
		"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "pgpool", "image": "bitnami/pgpool:4.6.3", "env": array.concat([{"name": "PGPOOL_BACKEND_NODES", "value": backends}], [{"name": name, "value": "x"} | some name in ["PGPOOL_ADMIN_USERNAME", "PGPOOL_ADMIN_PASSWORD", "PGPOOL_POSTGRES_PASSWORD", "PGPOOL_SR_CHECK_USER", "PGPOOL_SR_CHECK_PASSWORD"]])}]}}}}}}}}},
	}
}

test_pods_that_lists_leave_out if {
	[backends, partners] := nodes_of("0:orders-0.orders:5432,1:orders-1.orders:5432", "orders-0.orders.shop.svc,orders-1.orders.shop.svc,")
	[f.reason | some f in backends] == ["PGPOOL_BACKEND_NODES names 2 of the 3 pods of StatefulSet orders: Pgpool-II sends no query to the others, and finds no primary while one of them is it"]
	[[f.reason, f.cure, f.level] | some f in partners] == [["REPMGR_PARTNER_NODES names 2 of the 3 pods: one that starts asks those alone who the primary is, and may become a second one while the primary is not among them", "Name all 3 pods in it", "warning"]]
}

test_lists_of_all_pods if {
	nodes_of("0:orders-0.orders:5432,1:orders-1.orders:5432,2:orders-2.orders:5432", "orders-0.orders,orders-1.orders,orders-2.orders") == [[], []]
	nodes_of("0:orders:5432", "orders-0.orders,elsewhere.example.com") == [[], []]
}

test_pods_that_are_not_there if {
	[[absent], []] := nodes_of("0:orders-0.orders:5432,1:orders-1.orders:5432,2:orders-2.orders:5432,3:orders-3.orders:5432", "orders-0.orders,orders-1.orders,orders-2.orders,orders-3.orders")
	[absent.reason, absent.cure, absent.level] == ["PGPOOL_BACKEND_NODES names 4 pods, and StatefulSet orders has 3: Pgpool-II asks for those that are not there, and fails its probes until it gives them up", "Name the 3 there are", "warning"]
	nodes_of("0:orders-0.orders:5432,1:orders-1.orders:5432,2:orders-2.orders:5432,3:elsewhere:5432", "orders") == [[], []]
}

# The image of Pgpool-II itself, before servers of any image.
of_parameters(number, set) := [f.reason | some f in object.get(seen, "pooler_faults", [])] if {
	env := array.concat([{"name": sprintf("PGPOOL_PARAMS_BACKEND_HOSTNAME%d", [n]), "value": sprintf("orders-%d.orders", [n])} | some n in numbers.range(0, number - 1)], [{"name": "POSTGRES_USERNAME", "value": "x"}])
	seen := workload.cluster with input as {
		"review": {"object": with_parts("StatefulSet", "example.com/own-postgres:17", {"command": ["postgres"]}, {}, object.union({"serviceName": "orders"}, set))},
		"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "pgpool", "image": "pgpool/pgpool:4.4.3", "env": env}]}}}}}}}}},
	}
}

test_pods_of_parameters_that_are_not_there if {
	of_parameters(3, {"replicas": 2}) == ["PGPOOL_PARAMS_BACKEND_HOSTNAME… names 3 pods, and StatefulSet orders has 2: Pgpool-II asks for those that are not there, and fails its probes until it gives them up"]
	count(of_parameters(2, {})) == 1
	of_parameters(2, {"replicas": 2}) == []
	of_parameters(2, {"replicas": 0}) == []
	of_parameters(2, {"replicas": "${N}"}) == []
}

# PgDog waits 60 s by default.
test_pooler_that_is_killed_early if {
	text := pgdog["pgdog.toml"]
	killed(text, {}) == [[["spec", "template", "spec"], "Deployment pool gives PgDog 30 s to stop, and it waits up to 60 s for its clients: it is killed before, and drops their connections at every rollout"]]
	killed(text, {"terminationGracePeriodSeconds": 90}) == []
	killed(concat("", ["shutdown_timeout = 45_000\n", text]), {"terminationGracePeriodSeconds": 40}) == [[["spec", "template", "spec", "terminationGracePeriodSeconds"], "Deployment pool gives PgDog 40 s to stop, and it waits up to 45 s for its clients: it is killed before, and drops their connections at every rollout"]]
	killed(concat("", ["shutdown_timeout = 20_000\n", text]), {}) == []
}

killed(toml, pod) := [[f.path, f.reason] | some f in object.get(seen, "impatient_poolers", [])] if {
	seen := workload.cluster with input as {
		"review": {"object": with_parts("StatefulSet", "postgres:17.6", {}, {}, {"serviceName": "orders"})},
		"inventory": {"namespace": {"shop": {
			"apps/v1": {"Deployment": {"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"template": {"spec": object.union({"containers": [with_file("ghcr.io/pgdogdev/pgdog:v0.1.10")], "volumes": [in_map]}, pod)}}}}},
			"v1": {"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "shop"}, "data": {"pgdog.toml": toml}}}},
		}}},
	}
}
