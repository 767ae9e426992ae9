package walguard.checks.connections.prepared_statements_beside_test

import data.walguard.checks.connections.prepared_statements as check

# A PgBouncer that somebody else writes before an operator's cluster.
findings(container, ini, env) := {[f.message, f.resource.name] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3, "imageName": "x/postgresql:17.6"}}},
		"inventory": {"namespace": {"prod": {
			"v1": {
				"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgbouncer.ini": ini}}},
				"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432}]}}},
			},
			"apps/v1": {"Deployment": {
				"pool": deployed("pool", {
					"containers": [object.union({"name": "pgbouncer"}, container)],
					"volumes": [{"name": "c", "configMap": {"name": "pool"}}],
				}),
				"app": deployed("app", {"containers": [{"name": "app", "image": "app:1", "env": env}]}),
			}},
		}}},
	}
}

deployed(name, pod) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": {"replicas": 2, "template": {"metadata": {"labels": {"app": name}}, "spec": pod}},
}

by_file := {"image": "edoburu/pgbouncer:v1.23.1-p2", "volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer"}]}

by_variables(image, more) := {"image": image, "env": [{"name": name, "value": value} | some name, value in object.union({"DB_HOST": "orders-rw", "POOL_MODE": "transaction"}, more)]}

ini := "[databases]\norders = host=orders-rw port=5432\n[pgbouncer]\npool_mode = transaction\n"

asyncpg := [{"name": "URL", "value": "postgresql+asyncpg://app:$(P)@pool:6432/orders"}]

message := "Deployment app prepares statements (asyncpg), and PgBouncer does not follow them with pool_mode transaction: \"prepared statement does not exist\". Set max_prepared_statements to 200, or set statement_cache_size=0 in the client."

test_by_its_file if {
	findings(by_file, ini, asyncpg) == {[message, "pool"]}
	findings(by_file, replace(ini, "orders-rw", "orders-ro.prod.svc"), asyncpg) == {[message, "pool"]}
}

test_by_variables if {
	findings(by_variables("edoburu/pgbouncer:v1.23.1-p2", {}), "", asyncpg) == {[message, "pool"]}
}

test_not_reported if {
	every text in [
		replace(ini, "orders-rw", "elsewhere"), replace(ini, "orders-rw", "orders-rw.other.svc"), replace(ini, "transaction", "session"), concat("", [ini, "max_prepared_statements = 100\n"]), concat("", [ini, "%include /x\n"]),
	] {
		findings(by_file, text, asyncpg) == set()
	}
	findings(by_file, ini, [{"name": "URL", "value": "postgresql+asyncpg://app:$(P)@pool:6432/orders?prepared_statement_cache_size=0"}]) == set()
	findings(by_file, ini, [{"name": "URL", "value": "postgresql+asyncpg://app:$(P)@orders-rw/orders"}]) == set()
	findings(by_variables("edoburu/pgbouncer:v1.24.1-p1", {}), "", asyncpg) == set()
	findings(by_variables("edoburu/pgbouncer:v1.23.1-p2", {"DB_HOST": "elsewhere"}), "", asyncpg) == set()
	findings(by_variables("edoburu/pgbouncer:v1.23.1-p2", {"POOL_MODE": "session"}), "", asyncpg) == set()
	findings(by_variables("acme/tools:v1.23.1-p2", {}), "", asyncpg) == set()
}
