package walguard.checks.connections.prepared_statements_test

import data.walguard.checks.connections.prepared_statements as check

# A migration of Airflow by a script that a ConfigMap holds, with its address in a Secret.
by_script(more, given) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": {
			"v1": {
				"ConfigMap": {
					"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgbouncer.ini": ini("transaction", more)}},
					"script": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "script", "namespace": "prod"}, "data": {"up.py": object.get(given, "script", "from airflow.utils.db import upgradedb\nupgradedb()")}},
				},
				"Secret": {"login": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login", "namespace": "prod"}, "stringData": {"uri": sprintf("postgresql+psycopg2://airflow:change-me-please@%s:6432/airflow", [object.get(given, "host", "pool.prod.svc")])}}},
				"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432}]}}},
			},
			"apps/v1": {"Deployment": {
				"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {
					"containers": [{"name": "pool", "image": "edoburu/pgbouncer:v1.24.1-p1", "volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}],
					"volumes": [{"name": "ini", "configMap": {"name": "pool"}}],
				}}}},
				"up": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "up", "namespace": "prod"}, "spec": {"template": {"spec": {
					"containers": [{
						"name": "up",
						"image": "apache/airflow:2.2.3",
						"command": object.get(given, "command", ["python", "-u", "/mnt/scripts/up.py"]),
						"env": [{"name": "AIRFLOW__CORE__SQL_ALCHEMY_CONN", "valueFrom": {"secretKeyRef": {"name": "login", "key": "uri"}}}],
						"volumeMounts": [{"name": "scripts", "mountPath": "/mnt/scripts"}],
					}],
					"volumes": [{"name": "scripts", "configMap": {"name": "script"}}],
				}}}},
			}},
		}}},
	}
}

test_airflow_by_a_script if {
	by_script("", {}) == {"Deployment up migrates with Airflow, which locks for its session (pg_advisory_lock), and pool_mode transaction gives it another: the lock stays in the pool, and the next one waits. Ask the server itself."}
	count(by_script("", {"script": "exec airflow db upgrade"})) == 1
	every given in [{"script": "print(1)"}, {"host": "db"}, {"host": "${HOST}"}, {"command": ["airflow", "scheduler"]}] {
		by_script("", given) == set()
	}
}

test_locks_that_the_pooler_gives_back if {
	every more in ["server_reset_query_always = 1", "server_reset_query = SELECT pg_advisory_unlock_all()\nserver_reset_query_always = 1", "server_reset_query = DISCARD ALL\nserver_reset_query_always=1"] {
		by_script(more, {}) == set()
	}
	every more in ["server_reset_query = SELECT pg_advisory_unlock_all()", "server_reset_query =\nserver_reset_query_always = 1", "server_reset_query = DEALLOCATE ALL\nserver_reset_query_always = 1", "server_reset_query_always = 0"] {
		count(by_script(more, {})) == 1
	}
}
