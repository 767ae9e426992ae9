package walguard.checks.access.pooler_password_test

import data.walguard.checks.access.pooler_password as check

findings(image, variables, pooler) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": image, "env": variables}]}}},
	}},
	"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"pgbouncer": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "pgbouncer", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [object.union({"name": "pgbouncer", "image": "edoburu/pgbouncer:v1.24.1-p1"}, pooler)]}}},
	}}}}}},
}

host := {"name": "DB_HOST", "value": "db"}

test_without_a_word if {
	findings("postgres:17.6", [], {"env": [host]}) == {{
		"message": "The pooler logs in with MD5 sums (AUTH_TYPE md5), and the server has SCRAM secrets: every client gets \"server login failed: wrong password type\". Set AUTH_TYPE to scram-sha-256.",
		"path": ["spec", "template", "spec", "containers", 0, "env"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "pgbouncer", "namespace": "prod"},
	}}
	count(findings("postgres:17.6", [], {"env": [host, {"name": "AUTH_TYPE", "value": "md5"}]})) == 1
}

test_not_reported if {
	findings("postgres:17.6", [], {"env": [host, {"name": "AUTH_TYPE", "value": "scram-sha-256"}]}) == set()
	findings("postgres:13.20", [], {"env": [host]}) == set()
	findings("postgres:17.6", [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "md5"}], {"env": [host]}) == set()
	findings("postgres:17.6", [], {"env": [{"name": "DB_HOST", "value": "elsewhere"}]}) == set()
}

test_silent_when_unknown if {
	findings("postgres:17.6", [], {"env": [host, {"name": "AUTH_TYPE", "valueFrom": {"secretKeyRef": {"name": "p", "key": "t"}}}]}) == set()
	findings("postgres:17.6", [], {"env": [host], "envFrom": [{"secretRef": {"name": "p"}}]}) == set()
	findings("postgres:17.6", [], {"env": [host], "volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer/userlist.txt"}]}) == set()
	findings("postgres:latest", [], {"env": [host]}) == set()
}

pgpool(image, env) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "replicas": 3, "template": {"spec": {"containers": [{"name": "postgres", "image": image}]}}},
	}},
	"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"pgpool": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "pgpool", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "pgpool", "image": "bitnami/pgpool:4.6.0", "env": array.concat([{"name": "PGPOOL_BACKEND_NODES", "value": "0:db-0.db:5432"}], env)}]}}},
	}}}}}},
}

test_pgpool if {
	{f.message | some f in pgpool("bitnami/postgresql-repmgr:17.6.0", [{"name": "PGPOOL_AUTHENTICATION_METHOD", "value": "md5"}])} == {"The pooler logs in with MD5 sums (PGPOOL_AUTHENTICATION_METHOD md5), and the server has SCRAM secrets: every client gets \"failed to authenticate with backend using SCRAM\". Set PGPOOL_AUTHENTICATION_METHOD to scram-sha-256."}
	pgpool("bitnami/postgresql-repmgr:17.6.0", []) == set()
	pgpool("bitnami/postgresql-repmgr:13.20.0", [{"name": "PGPOOL_AUTHENTICATION_METHOD", "value": "md5"}]) == set()
}
