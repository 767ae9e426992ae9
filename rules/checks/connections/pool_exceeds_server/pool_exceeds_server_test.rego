package walguard.checks.connections.pool_exceeds_server_test

import data.walguard.checks.connections.pool_exceeds_server as check
import data.walguard.lib.manifest_test as manifests

pooler := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Pooler",
	"metadata": {"name": "orders-pooler", "namespace": "prod"},
	"spec": {"cluster": {"name": "orders"}, "type": "rw", "instances": 3, "pgbouncer": {"parameters": {"default_pool_size": "50"}}},
}

findings(parameters) := found if {
	found := check.findings with input as object.union(
		{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"orders-pooler": pooler}}}}}},
		manifests.review(parameters, {}),
	)
}

test_too_many if {
	findings({}) == {{
		"message": "The poolers open up to 150 connections for one user on each database, and the server has 97 (max_connections 100 less 3 reserved): clients are refused under load. Make the pools smaller, or set max_connections to 200.",
		"path": ["spec", "instances"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "name": "orders-pooler", "namespace": "prod"},
		"facts": {"available_connections": 97, "max_connections": 100, "pool_connections": 150, "reserved_connections": 3},
	}}
}

test_reserved_count if {
	findings({"max_connections": "153"}) == set()
	count(findings({"max_connections": "153", "reserved_connections": "1"})) == 1
	count(findings({"max_connections": "153", "superuser_reserved_connections": "4"})) == 1
}

# Pools of as many as max_connections take the reserved ones alone.
test_only_the_reserved_ones if {
	{f.severity | some f in findings({"max_connections": "150"})} == {"info"}
	{object.get(f, "severity", "") | some f in findings({"max_connections": "149"})} == {""}
}

test_silent_without_pooler if {
	check.findings == set() with input as manifests.review({"max_connections": "5"}, {})
}

# More than any server should take.
test_far_too_many if {
	many := object.union(pooler, {"spec": {"instances": 200}})
	found := check.findings with input as object.union(
		{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"orders-pooler": many}}}}}},
		manifests.review({}, {}),
	)
	found == {{
		"message": "The poolers open up to 10000 connections for one user on each database, and the server has 97 (max_connections 100 less 3 reserved): clients are refused under load. Make the pools smaller.",
		"path": ["spec", "instances"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "name": "orders-pooler", "namespace": "prod"},
		"facts": {"available_connections": 97, "max_connections": 100, "pool_connections": 10000, "reserved_connections": 3},
	}}
}

# As many connections as the memory allows.
test_memory_is_too_little if {
	every memory, offered in {"256Mi": false, "8Gi": true} {
		found := check.findings with input as object.union(
			{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"orders-pooler": pooler}}}}}},
			manifests.review({}, {"resources": {"limits": {"memory": memory}}}),
		)
		[contains(f.message, ", or set max_connections to 200") | some f in found] == [offered]
	}
}

# ------------------------------------------------------------------------------------------------- poolers of their own

beside(image, variables, replicas) := {f.message | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db-headless", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "args": ["-c", "max_connections=100"]}]}}},
		}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"pool": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pool", "namespace": "prod"},
			"spec": {"replicas": replicas, "template": {"spec": {"containers": [{"name": "pool", "image": image, "env": [{"name": name, "value": value} | some name, value in variables]}]}}},
		}}}}}},
	}
}

test_pgpool if {
	beside("bitnami/pgpool:4.6.3", {"PGPOOL_BACKEND_NODES": "0:db-0.db-headless:5432,1:db-1.db-headless:5432", "PGPOOL_NUM_INIT_CHILDREN": "100"}, 2) == {"The poolers open up to 200 connections for one user on each database, and the server has 97 (max_connections 100 less 3 reserved): clients are refused under load. Make the pools smaller, or set max_connections to 250."}
	beside("bitnami/pgpool:4.6.3", {"PGPOOL_BACKEND_NODES": "0:db-0.db-headless:5432", "PGPOOL_NUM_INIT_CHILDREN": "32"}, 2) == set()
}

# 32 children where nobody says another number.
test_pgpool_by_default if {
	nodes := {"PGPOOL_BACKEND_NODES": "0:db-0.db-headless:5432"}
	{regex.find_n(`up to [0-9]+`, m, 1)[0] | some m in beside("bitnami/pgpool:4.6.3", nodes, 4)} == {"up to 128"}
	beside("bitnami/pgpool:4.6.3", nodes, 3) == set()
	beside("bitnami/pgpool:4.6.3", object.union(nodes, {"PGPOOL_NUM_INIT_CHILDREN": "${N}"}), 4) == set()
}

pgpool_by_file(conf, env) := {regex.find_n(`up to [0-9]+`, f.message, 1)[0] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "args": ["-c", "max_connections=100"]}]}}},
		}},
		"inventory": {"namespace": {"prod": {
			"v1": {"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgpool.conf": conf}}}},
			"apps/v1": {"Deployment": {"pool": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "pool", "namespace": "prod"},
				"spec": {"replicas": 4, "template": {"spec": {
					"containers": [{"name": "pool", "image": "pgpool/pgpool:4.6.3", "env": env, "volumeMounts": [{"name": "conf", "mountPath": "/config"}]}],
					"volumes": [{"name": "conf", "configMap": {"name": "pool"}}],
				}}},
			}}},
		}}},
	}
}

test_pgpool_conf if {
	pgpool_by_file("backend_hostname0 = 'db'\nnum_init_children = 50\n", []) == {"up to 200"}
	pgpool_by_file("backend_hostname0 = 'db.prod.svc'\n# num_init_children = 50\n", []) == {"up to 128"}
	pgpool_by_file("backend_hostname0 = 'db'\nnum_init_children = 16\n", []) == set()
	pgpool_by_file("backend_hostname0 = 'elsewhere'\n", []) == set()
	pgpool_by_file("backend_hostname0 = 'db'\n", [{"name": "PGPOOL_PARAMS_NUM_INIT_CHILDREN", "value": "16"}]) == set()
}

test_pgpool_with_several_pairs if {
	nodes := {"PGPOOL_BACKEND_NODES": "0:db-0.db-headless:5432", "PGPOOL_NUM_INIT_CHILDREN": "32", "PGPOOL_MAX_POOL": "15"}
	beside("bitnami/pgpool:4.6.3", nodes, 2) == {"Pgpool-II keeps up to 960 connections (PGPOOL_NUM_INIT_CHILDREN × PGPOOL_MAX_POOL in each instance), and the server has 97 (max_connections 100 less 3 reserved): with several users or databases clients and health checks are refused. Lower PGPOOL_MAX_POOL, or set max_connections to 1000."}
	beside("bitnami/pgpool:4.6.3", object.union(nodes, {"PGPOOL_MAX_POOL": "1"}), 2) == set()
	beside("bitnami/pgpool:4.6.3", object.union(nodes, {"PGPOOL_ENABLE_CONNECTION_CACHE": "no"}), 2) == set()
	beside("bitnami/pgpool:4.6.3", object.union(nodes, {"PGPOOL_MAX_POOL": "${POOLS}"}), 2) == set()
}

test_pgbouncer if {
	count(beside("edoburu/pgbouncer:v1.24.1-p1", {"DATABASE_URL": "postgres://app:x@db-headless.prod.svc:5432/app", "DEFAULT_POOL_SIZE": "150"}, 1)) == 1
	beside("edoburu/pgbouncer:v1.24.1-p1", {"DB_HOST": "others", "DEFAULT_POOL_SIZE": "150"}, 1) == set()
	beside("edoburu/pgbouncer:v1.24.1-p1", {"DB_HOST": "db-headless"}, 1) == set()
}

by_file(ini) := by_mounts(ini, [{"name": "ini", "mountPath": "/bitnami/pgbouncer/conf"}])

by_mounts(ini, mounts) := {f.message | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db-headless", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "args": ["-c", "max_connections=100"]}]}}},
		}},
		"inventory": {"namespace": {"prod": {
			"v1": {"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgbouncer.ini": ini}}}},
			"apps/v1": {"Deployment": {"pool": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "pool", "namespace": "prod"},
				"spec": {"replicas": 3, "template": {"spec": {
					"containers": [{"name": "pool", "image": "bitnami/pgbouncer:1.24.1", "volumeMounts": mounts}],
					"volumes": [{"name": "ini", "configMap": {"name": "pool"}}],
				}}},
			}}},
		}}},
	}
}

test_pgbouncer_ini if {
	databases := "[databases]\n* = host=db-headless.prod.svc port=5432\n[pgbouncer]\n"
	by_file(concat("", [databases, "default_pool_size = 60\n"])) == {"The poolers open up to 180 connections for one user on each database, and the server has 97 (max_connections 100 less 3 reserved): clients are refused under load. Make the pools smaller, or set max_connections to 200."}
	by_file(databases) == set()
	by_file(concat("", [databases, "default_pool_size = 60\nmax_db_connections = 30\n"])) == set()
	by_file("[databases]\n* = host=others\n[pgbouncer]\ndefault_pool_size = 60\n") == set()
	by_file(concat("", [databases, ";default_pool_size = 60\n"])) == set()
}

client(name, env, spec) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": object.union({"template": {"spec": {"containers": [{"name": "app", "env": [{"name": n, "value": v} | some n, v in env]}]}}}, spec),
}

clients_of(deployments, others) := {[f.resource.name, regex.replace(f.message, ". Make the.*", "")] |
	found := check.findings with input as object.union(manifests.review({}, {"instances": 1}), {"inventory": {"namespace": {"prod": object.union(others, {"apps/v1": {"Deployment": {d.metadata.name: d | some d in deployments}}})}}})
	some f in found
}

asking := {"DB_HOST": "orders-rw", "DB_POOL_SIZE": "25"}

url := "postgres://u:p@orders-rw.prod.svc:5432/shop"

# 25 × (3 and one of a rollout) is 100 of 97.
test_clients_with_pools if {
	found := {["app", "Clients may open 100 connections (Deployment app: 25 × 4 pods in a rollout), and the server has 97 (max_connections 100 less 3 reserved): under load some are refused"]}
	clients_of([client("app", asking, {"replicas": 3})], {}) == found
	clients_of([client("app", {"DATABASE_URL": url, "SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE": "25"}, {"replicas": 3})], {}) == found
	clients_of([client("app", {"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": url, "AIRFLOW__DATABASE__SQL_ALCHEMY_POOL_SIZE": "25"}, {"replicas": 3})], {}) == found
	clients_of([client("app", asking, {"replicas": 1, "strategy": {"rollingUpdate": {"maxSurge": 3}}})], {}) == found
	clients_of([client("app", asking, {"replicas": 4, "strategy": {"type": "Recreate"}})], {}) == {[words, replace(message, " in a rollout", "")] | some [words, message] in found}
	clients_of([client("app", asking, {"replicas": 2})], {"autoscaling/v2": {"HorizontalPodAutoscaler": {"app": {
		"apiVersion": "autoscaling/v2",
		"kind": "HorizontalPodAutoscaler",
		"metadata": {"name": "app", "namespace": "prod"},
		"spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "app"}},
	}}}}) == found
}

# By their own names, by an argument, and by what SQLAlchemy opens above its pool.
test_clients_with_pools_of_their_own_names if {
	found := {["app", "Clients may open 100 connections (Deployment app: 25 × 4 pods in a rollout), and the server has 97 (max_connections 100 less 3 reserved): under load some are refused"]}
	clients_of([client("app", {"GITEA__database__HOST": "orders-rw:5432", "GITEA__database__MAX_OPEN_CONNS": "25"}, {"replicas": 3})], {}) == found
	sqlalchemy := {"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": url, "AIRFLOW__DATABASE__SQL_ALCHEMY_POOL_SIZE": "15"}
	clients_of([client("app", object.union(sqlalchemy, {"AIRFLOW__DATABASE__SQL_ALCHEMY_MAX_OVERFLOW": "10"}), {"replicas": 3})], {}) == found
	clients_of([client("app", object.union(sqlalchemy, {"AIRFLOW__DATABASE__SQL_ALCHEMY_MAX_OVERFLOW": "-1"}), {"replicas": 3})], {}) == set()
}

with_words(image_, words, env, replicas) := object.union(client("app", env, {}), {"spec": {"replicas": replicas, "strategy": {"type": "Recreate"}, "template": {"spec": {"containers": [{"name": "app", "image": image_, "args": words, "env": [{"name": n, "value": v} | some n, v in env]}]}}}})

counted(image_, words, env, replicas) := {regex.find_all_string_submatch_n(`Clients may open ([0-9]+)`, message, 1)[0][1] | some [_, message] in clients_of([with_words(image_, words, env, replicas)], {})}

test_clients_with_pools_by_argument if {
	of_keycloak := {"KC_DB_URL_HOST": "orders-rw"}
	counted("quay.io/keycloak/keycloak:26.2", ["start", "--db-pool-max-size=60"], of_keycloak, 2) == {"120"}
	counted("quay.io/keycloak/keycloak:26.2", ["start", "--db-pool-max-size=40"], of_keycloak, 2) == set()
}

# 10 for the API, 50 for the backend and 5 for garbage collection, unless it is told otherwise.
test_web_nodes_of_concourse if {
	of_concourse := {"CONCOURSE_POSTGRES_HOST": "orders-rw"}
	counted("concourse/concourse:7.11.2", ["web"], of_concourse, 2) == {"130"}
	counted("concourse/concourse:7.11.2", ["web"], object.union(of_concourse, {"CONCOURSE_BACKEND_MAX_CONNS": "100"}), 2) == {"230"}
	counted("concourse/concourse:7.11.2", ["web"], object.union(of_concourse, {"CONCOURSE_BACKEND_MAX_CONNS": "30", "CONCOURSE_API_MAX_CONNS": "5"}), 2) == set()
	counted("concourse/concourse:7.11.2", ["web"], object.union(of_concourse, {"CONCOURSE_BACKEND_MAX_CONNS": "100"}), 1) == set()
	counted("concourse/concourse:7.11.2", ["worker"], of_concourse, 2) == set()
	counted("example.com/concourse:7.11.2", ["web"], of_concourse, 2) == set()
}

test_several_clients if {
	{message | some [_, message] in clients_of([client(name, asking, {"strategy": {"type": "Recreate"}}) | some name in ["a", "b", "c", "d"]], {})} == {"Clients may open 100 connections (Deployment a: 25 × 1 pod, Deployment b: 25 × 1 pod and 2 more), and the server has 97 (max_connections 100 less 3 reserved): under load some are refused"}
}

test_by_an_address_in_a_secret if {
	named := {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "app", "namespace": "prod"},
		"spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "app", "env": [
			{"name": "PG_POOL_MAX", "value": "25"},
			{"name": "URL", "valueFrom": {"secretKeyRef": {"name": "db", "key": "url"}}},
		]}]}}},
	}
	secret := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": {"url": url}}
	count(clients_of([named], {"v1": {"Secret": {"db": secret}}})) == 1
	clients_of([named], {}) == set()
}

# Few enough, another server, a pooler between, the image of a server, no number.
test_clients_that_fit if {
	every one in [
		client("app", asking, {"replicas": 2}),
		client("app", object.union(asking, {"DB_HOST": "others-rw"}), {"replicas": 9}),
		client("app", object.union(asking, {"DB_HOST": "orders-pooler-rw"}), {"replicas": 9}),
		client("app", {"POSTGRESQL_MASTER_HOST": "orders-rw", "POSTGRESQL_MAX_CONNECTIONS": "100"}, {"replicas": 9}),
		client("app", {"DB_HOST": "orders-rw", "DB_MIN_CONNS": "100", "REDIS_POOL_SIZE": "100"}, {"replicas": 9}),
		client("app", object.union(asking, {"DB_POOL_SIZE": "${POOL}"}), {"replicas": 9}),
	] {
		clients_of([one], {}) == set()
	}
}

# ---------------------------------------------------------------------------------------------------- clients of a pooler

through(pool, env, replicas) := found if {
	deployed := client("app", env, {"replicas": replicas, "strategy": {"type": "Recreate"}})
	found := {f |
		all := check.findings with input as object.union(
			{"inventory": {"namespace": {"prod": {
				"postgresql.cnpg.io/v1": {"Pooler": {"orders-pooler": pool}},
				"apps/v1": {"Deployment": {"app": deployed}},
			}}}},
			manifests.review({"max_connections": "400"}, {}),
		)
		some f in all
	}
}

by_pooler := {"DB_HOST": "orders-pooler.prod.svc", "DB_POOL_SIZE": "20"}

test_more_clients_than_the_pooler_takes if {
	through(pooler, by_pooler, 16) == {{
		"message": "Clients may open 320 connections (Deployment app: 20 × 16 pods), and the pooler takes 300 (3 × max_client_conn 100 by default): under load the others are refused. Set max_client_conn of the Pooler to 150.",
		"path": ["spec", "pgbouncer"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "name": "orders-pooler", "namespace": "prod"},
		"facts": {"client_connections": 320, "accepted_connections": 300},
	}}
	written := object.union(pooler, {"spec": {"instances": 1, "pgbouncer": {"parameters": {"max_client_conn": "6000"}}}})
	{[f.path, regex.replace(f.message, "^.*refused. ", "")] | some f in through(written, by_pooler, 301)} == {[["spec", "pgbouncer", "parameters", "max_client_conn"], "Set max_client_conn of the Pooler to 6020."]}
}

# Enough, another host, a number that is filled in later, and a scaled Pooler.
test_poolers_that_take_them if {
	through(pooler, by_pooler, 15) == set()
	through(pooler, object.union(by_pooler, {"DB_HOST": "orders-pooler.other.svc"}), 16) == set()
	through(object.union(pooler, {"spec": {"pgbouncer": {"parameters": {"max_client_conn": "${CLIENTS}"}}}}), by_pooler, 16) == set()
	through(object.union(pooler, {"spec": {"instances": "${N}"}}), by_pooler, 16) == set()
}

test_poolers_that_are_scaled if {
	found := check.findings with input as object.union(
		{"inventory": {"namespace": {"prod": {
			"postgresql.cnpg.io/v1": {"Pooler": {"orders-pooler": pooler}},
			"apps/v1": {"Deployment": {"app": client("app", by_pooler, {"replicas": 16})}},
			"autoscaling/v2": {"HorizontalPodAutoscaler": {"h": {
				"apiVersion": "autoscaling/v2",
				"kind": "HorizontalPodAutoscaler",
				"metadata": {"name": "h", "namespace": "prod"},
				"spec": {"maxReplicas": 9, "scaleTargetRef": {"kind": "Pooler", "name": "orders-pooler"}},
			}}},
		}}}},
		manifests.review({"max_connections": "400"}, {}),
	)
	found == set()
}

stackgres(configurations, env) := found if {
	deployed := client("app", env, {"replicas": 3, "strategy": {"type": "Recreate"}})
	all := check.findings with input as {
		"review": {"object": {
			"apiVersion": "stackgres.io/v1",
			"kind": "SGCluster",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"instances": 3, "postgres": {"version": "16"}, "configurations": configurations, "pods": {"persistentVolume": {"size": "5Gi"}}},
		}},
		"inventory": {"namespace": {"prod": {
			"apps/v1": {"Deployment": {"app": deployed}},
			"stackgres.io/v1": {"SGPoolingConfig": {"p": {
				"apiVersion": "stackgres.io/v1",
				"kind": "SGPoolingConfig",
				"metadata": {"name": "p", "namespace": "prod"},
				"spec": {"pgBouncer": {"pgbouncer.ini": {"pgbouncer": {"max_client_conn": "100", "default_pool_size": "20"}}}},
			}}},
		}}},
	}
	found := {f.message: [f.resource.kind, f.path] | some f in all; contains(f.message, "pooler takes")}
}

test_stackgres if {
	primary := {"DB_HOST": "db", "DB_POOL_SIZE": "50"}
	replicas := {"DB_HOST": "db-replicas", "DB_POOL_SIZE": "80"}
	ini := ["pgBouncer", "pgbouncer.ini", "pgbouncer", "max_client_conn"]
	stackgres({"sgPoolingConfig": "p"}, primary) == {"Clients may open 150 connections (Deployment app: 50 × 3 pods), and the pooler takes 100 (max_client_conn 100): under load the others are refused. Set max_client_conn in pgbouncer.ini to 150.": ["SGPoolingConfig", array.concat(["spec"], ini)]}
	stackgres({"sgPoolingConfig": "p"}, replicas) == {"Clients may open 240 connections (Deployment app: 80 × 3 pods), and the pooler takes 200 (2 × max_client_conn 100): under load the others are refused. Set max_client_conn in pgbouncer.ini to 150.": ["SGPoolingConfig", array.concat(["spec"], ini)]}
	count(stackgres({}, object.union(primary, {"DB_POOL_SIZE": "400"}))) == 1
	stackgres({}, primary) == {}
	stackgres({"sgPoolingConfig": "elsewhere"}, object.union(primary, {"DB_POOL_SIZE": "400"})) == {}
	stackgres({"sgPoolingConfig": "p"}, object.union(primary, {"DB_PORT": "5433"})) == {}
}

crunchy(config) := found if {
	all := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PostgresCluster",
			"metadata": {"name": "hippo", "namespace": "prod"},
			"spec": {"postgresVersion": 17, "instances": [{}], "proxy": {"pgBouncer": {"replicas": 2, "config": config}}},
		}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"app": client("app", {"DB_HOST": "hippo-pgbouncer", "DB_POOL_SIZE": "70"}, {"replicas": 3, "strategy": {"type": "Recreate"}})}}}}},
	}
	found := {f.message: f.path | some f in all; contains(f.message, "pooler takes")}
}

test_pgbouncer_of_crunchy if {
	crunchy({}) == {"Clients may open 210 connections (Deployment app: 70 × 3 pods), and the pooler takes 200 (2 × max_client_conn 100 by default): under load the others are refused. Set spec.proxy.pgBouncer.config.global.max_client_conn to \"150\".": ["spec", "proxy", "pgBouncer"]}
	crunchy({"global": {"max_client_conn": "200"}}) == {}
	crunchy({"files": [{"configMap": {"name": "ini"}}]}) == {}
}

# One pooler, however many of the files of its volume it mounts.
test_two_mounts_of_one_volume if {
	ini := "[databases]\n* = host=db-headless port=5432\n[pgbouncer]\ndefault_pool_size = 20\n"
	by_mounts(ini, [{"name": "ini", "mountPath": sprintf("/etc/pgbouncer/%s", [file]), "subPath": file} | some file in ["pgbouncer.ini", "userlist.txt"]]) == set()
}

# ------------------------------------------------------------------------------------- variables that a ConfigMap holds

taking(env) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "app", "namespace": "prod"},
	"spec": {"strategy": {"type": "Recreate"}, "template": {"spec": {"containers": [{"name": "app", "env": env, "envFrom": [{"configMapRef": {"name": "app"}}]}]}}},
}

test_pools_of_a_config_map if {
	map := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app", "namespace": "prod"}, "data": {"POSTGRESQL_HOST": "orders-rw", "POSTGRESQL_MAX_OPEN_CONNS": "900"}}
	clients_of([taking([])], {"v1": {"ConfigMap": {"app": map}}}) == {["app", "Clients may open 900 connections (Deployment app: 900 × 1 pod), and the server has 97 (max_connections 100 less 3 reserved): under load some are refused"]}
	clients_of([taking([{"name": "POSTGRESQL_MAX_OPEN_CONNS", "value": "50"}])], {"v1": {"ConfigMap": {"app": map}}}) == set()
	clients_of([taking([])], {}) == set()
}

# ------------------------------------------------------------------------------------------ poolers that are workloads

crowding(pooler, objects, size) := {regex.replace(f.message, `\. Make.*`, "") | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db-headless", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "args": ["-c", "max_connections=400"]}]}}},
		}},
		"inventory": {"namespace": {"prod": object.union(
			{
				"v1": {
					"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pool"}}}},
					"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgbouncer.ini": object.get(objects, "ini", "")}}},
				},
				"apps/v1": {"Deployment": {
					"pool": {
						"apiVersion": "apps/v1",
						"kind": "Deployment",
						"metadata": {"name": "pool", "namespace": "prod"},
						"spec": {"replicas": 2, "template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [pooler], "volumes": [{"name": "ini", "configMap": {"name": "pool"}}]}}},
					},
					"app": client("app", {"DB_HOST": "pool", "DB_POOL_SIZE": size}, {"strategy": {"type": "Recreate"}}),
				}},
			},
			object.get(objects, "more", {}),
		)}},
	}
}

pgpool(env) := {"name": "pool", "image": "docker.io/bitnamilegacy/pgpool:4.6.3", "env": array.concat([{"name": "PGPOOL_BACKEND_NODES", "value": "0:db-headless:5432"}], [{"name": name, "value": value} | some name, value in env])}

scaler := {"autoscaling/v2": {"HorizontalPodAutoscaler": {"pool": {
	"apiVersion": "autoscaling/v2",
	"kind": "HorizontalPodAutoscaler",
	"metadata": {"name": "pool", "namespace": "prod"},
	"spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "pool"}},
}}}}

test_clients_of_pgpool if {
	crowding(pgpool({}), {}, "70") == {"Clients may open 70 connections (Deployment app: 70 × 1 pod), and the pooler takes 64 (2 × PGPOOL_NUM_INIT_CHILDREN 32 by default): under load the others are refused. Set PGPOOL_NUM_INIT_CHILDREN to 50."}
	crowding(pgpool({"PGPOOL_NUM_INIT_CHILDREN": "30"}), {}, "70") == {"Clients may open 70 connections (Deployment app: 70 × 1 pod), and the pooler takes 60 (2 × PGPOOL_NUM_INIT_CHILDREN 30): under load the others are refused. Set PGPOOL_NUM_INIT_CHILDREN to 50."}
	crowding(pgpool({}), {}, "60") == set()
	crowding(pgpool({"PGPOOL_RESERVED_CONNECTIONS": "0"}), {}, "70") == set()
	crowding(pgpool({}), {"more": scaler}, "70") == set()
	crowding(object.union(pgpool({}), {"image": "example.com/pgpool:4.6.3"}), {}, "70") == set()
}

bouncing := {"name": "pool", "image": "edoburu/pgbouncer:v1.24.1-p1", "volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}

test_clients_of_pgbouncer if {
	ini := "[databases]\n* = host=db-headless\n[pgbouncer]\nlisten_addr = *\n"
	crowding(bouncing, {"ini": ini}, "300") == {"Clients may open 300 connections (Deployment app: 300 × 1 pod), and the pooler takes 200 (2 × max_client_conn 100 by default): under load the others are refused. Set max_client_conn to 150."}
	crowding(bouncing, {"ini": concat("", [ini, "max_client_conn = 120\n"])}, "300") == {"Clients may open 300 connections (Deployment app: 300 × 1 pod), and the pooler takes 240 (2 × max_client_conn 120): under load the others are refused. Set max_client_conn to 150."}
	crowding(bouncing, {"ini": concat("", [ini, "max_client_conn = 500\n"])}, "300") == set()
	crowding(bouncing, {"ini": concat("", [ini, "max_client_conn = ${CLIENTS}\n"])}, "300") == set()
	crowding(bouncing, {"ini": concat("", [ini, "%include /etc/more.ini\n"])}, "300") == set()
}

# Keycloak's operator has the pool in its resource.
test_the_pool_of_keycloak if {
	by_keycloak({"instances": 3, "db": {"host": "orders-rw", "poolMaxSize": 100}}) == {["sso", "Clients may open 300 connections (Keycloak sso: 100 × 3 pods), and the server has 97 (max_connections 100 less 3 reserved): under load some are refused"]}
	by_keycloak({"instances": 3, "db": {"host": "orders-rw", "poolMaxSize": 25}}) == set()
	by_keycloak({"instances": 3, "db": {"host": "other-rw", "poolMaxSize": 100}}) == set()
	by_keycloak({"instances": 3, "db": {"host": "orders-rw"}}) == set()
}

by_keycloak(spec) := clients_of([], {"k8s.keycloak.org/v2alpha1": {"Keycloak": {"sso": {"apiVersion": "k8s.keycloak.org/v2alpha1", "kind": "Keycloak", "metadata": {"name": "sso", "namespace": "prod"}, "spec": spec}}}})

# A client of another namespace names this one behind the host.
afar(host, more) := {[f.resource.namespace, regex.replace(f.message, ". Make the.*", "")] |
	made := object.union(client("app", {"DB_HOST": host, "DB_POOL_SIZE": "25"}, {"replicas": 3}), {"metadata": {"name": "app", "namespace": "shop"}})
	found := check.findings with input as object.union(manifests.review({}, {"instances": 1}), {"inventory": {"namespace": {
		"prod": {},
		"shop": object.union(more, {"apps/v1": {"Deployment": {"app": made}}}),
	}}})
	some f in found
}

test_clients_of_other_namespaces if {
	every host in ["orders-rw.prod", "orders-rw.prod.svc", "orders-rw.prod.svc.cluster.local:5432"] {
		afar(host, {}) == {["shop", "Clients may open 100 connections (Deployment app of namespace shop: 25 × 4 pods in a rollout), and the server has 97 (max_connections 100 less 3 reserved): under load some are refused"]}
	}
	every host in ["orders-rw", "orders-rw.production", "orders-rw.prod.example.com", "orders-rw.shop"] {
		afar(host, {}) == set()
	}
	afar("orders-rw.prod", {"postgresql.cnpg.io/v1": {"Cluster": {"own": {}}}}) == set()
}
