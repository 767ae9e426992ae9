package walguard.checks.access.pooler_password_services_test

import data.walguard.checks.access.pooler_password as check

# A pooler by itself before a server that a service runs.
before(host, more) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "pool", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "pool", "image": "edoburu/pgbouncer:v1.21.0-p0", "env": array.concat([{"name": "DB_HOST", "value": host}, {"name": "DB_USER", "value": "app"}], more)}]}}},
	}}}
}

test_services if {
	before("db.abc.eu-west-3.rds.amazonaws.com", []) == {{
		"message": "The pooler logs in with MD5 sums (AUTH_TYPE md5), and RDS keeps SCRAM secrets by default since PostgreSQL 14: every client gets \"server login failed: wrong password type\". Set AUTH_TYPE to scram-sha-256.",
		"severity": "warning",
		"path": ["spec", "template", "spec", "containers", 0, "env"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "pool", "namespace": "prod"},
	}}
	count(before("db.postgres.database.azure.com", [{"name": "AUTH_TYPE", "value": "md5"}])) == 1
	before("db.abc.eu-west-3.rds.amazonaws.com", [{"name": "AUTH_TYPE", "value": "scram-sha-256"}]) == set()
	before("db.abc.eu-west-3.rds.amazonaws.com", [{"name": "AUTH_TYPE", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}]) == set()
	before("db.abc.eu-west-3.rds.amazonaws.com", [{"name": "AUTH_QUERY", "value": "SELECT 1"}]) == set()
	before("pg.example.com", []) == set()
}
