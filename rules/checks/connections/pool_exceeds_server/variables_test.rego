package walguard.checks.connections.pool_exceeds_server_variables_test

import data.walguard.checks.connections.pool_exceeds_server as check

named(api_version, kind, name, spec) := {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}

findings(pooler) := {f.message |
	found := check.findings with input as {
		"review": {"object": named("apps/v1", "StatefulSet", "db", {"serviceName": "db-headless", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.10", "args": ["-c", "max_connections=400"]}]}}})},
		"inventory": {"namespace": {"prod": {
			"v1": {"Service": {"pool": named("v1", "Service", "pool", {"selector": {"app": "pool"}})}},
			"apps/v1": {"Deployment": {
				"pool": named("apps/v1", "Deployment", "pool", {"replicas": 2, "template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [pooler]}}}),
				"app": named("apps/v1", "Deployment", "app", {"strategy": {"type": "Recreate"}, "template": {"spec": {"containers": [{"name": "app", "image": "app:1", "env": [{"name": "DB_HOST", "value": "pool"}, {"name": "DB_POOL_SIZE", "value": "300"}]}]}}}),
			}},
		}}},
	}
	some f in found
}

pgbouncer(image, host, env, more) := object.union({"name": "pool", "image": image, "env": array.concat([{"name": host, "value": "db-headless"}], env)}, more)

edoburu(env, more) := findings(pgbouncer("edoburu/pgbouncer:v1.24.1-p1", "DB_HOST", env, more))

bitnami(env, more) := findings(pgbouncer("docker.io/bitnamilegacy/pgbouncer:1.24.1", "POSTGRESQL_HOST", env, more))

refused(taken, variable, cure) := {sprintf("Clients may open 300 connections (Deployment app: 300 × 1 pod), and the pooler takes %s: under load the others are refused. Set %s to %s.", [taken, variable, cure])}

test_edoburu if {
	edoburu([], {}) == refused("200 (2 × MAX_CLIENT_CONN 100 by default)", "MAX_CLIENT_CONN", "150")
	edoburu([{"name": "MAX_CLIENT_CONN", "value": "149"}], {}) == refused("298 (2 × MAX_CLIENT_CONN 149)", "MAX_CLIENT_CONN", "150")
	edoburu([{"name": "MAX_CLIENT_CONN", "value": "150"}], {}) == set()
}

test_bitnami if {
	bitnami([], {}) == refused("200 (2 × PGBOUNCER_MAX_CLIENT_CONN 100 by default)", "PGBOUNCER_MAX_CLIENT_CONN", "150")
	bitnami([{"name": "PGBOUNCER_MAX_CLIENT_CONN", "value": "500"}], {}) == set()
}

test_unknown if {
	edoburu([{"name": "MAX_CLIENT_CONN", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}], {}) == set()
	edoburu([{"name": "MAX_CLIENT_CONN", "value": "${CLIENTS}"}], {}) == set()
	edoburu([], {"command": ["/run.sh"]}) == set()
	edoburu([], {"volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}) == set()
	bitnami([], {"volumeMounts": [{"name": "ini", "mountPath": "/bitnami/pgbouncer/conf"}]}) == set()
	findings(pgbouncer("example.com/pgbouncer:1", "DB_HOST", [], {})) == set()
}
