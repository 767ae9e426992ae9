package walguard.checks.access.pooler_password_operators_test

import data.walguard.checks.access.pooler_password as check

# A PgBouncer that somebody else writes before an operator's cluster.
before(server, container) := found if {
	found := check.findings with input as {
		"review": {"object": object.union({"metadata": {"name": "orders", "namespace": "prod"}}, server)},
		"inventory": {"namespace": {"prod": {
			"v1": {
				"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgbouncer.ini": "[databases]\n* = host=orders-rw\n[pgbouncer]\nauth_type = md5\nauth_file = /etc/pgbouncer/userlist.txt\n"}}},
				"Secret": {"users": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "users", "namespace": "prod"}, "stringData": {"userlist.txt": `"app" "md50123456789abcdef0123456789abcdef"`}}},
			},
			"apps/v1": {"Deployment": {"pool": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "pool", "namespace": "prod"},
				"spec": {"template": {"spec": {"containers": [object.union({"name": "pgbouncer", "image": "edoburu/pgbouncer:v1.24.1-p1"}, container)], "volumes": [{"name": "c", "projected": {"sources": [{"configMap": {"name": "pool"}}, {"secret": {"name": "users"}}]}}]}}},
			}}},
		}}},
	}
}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "spec": object.union({"instances": 3, "imageName": "x/postgresql:17.6"}, spec)}

crunchy := {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "spec": {"postgresVersion": 17, "instances": [{}]}}

variables(more) := {"env": [{"name": name, "value": value} | some name, value in object.union({"DB_HOST": "orders-rw"}, more)]}

test_by_variables if {
	before(cnpg({}), variables({"AUTH_TYPE": "md5"})) == {{
		"message": "The pooler logs in with MD5 sums (AUTH_TYPE md5), and the server has SCRAM secrets: every client gets \"server login failed: wrong password type\". Set AUTH_TYPE to scram-sha-256.",
		"path": ["spec", "template", "spec", "containers", 0, "env"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "pool", "namespace": "prod"},
	}}
	count(before(crunchy, variables({"DB_HOST": "orders-primary.prod.svc"}))) == 1
	count(before(cnpg({}), variables({"DB_HOST": "", "DATABASE_URL": "postgres://a:b@orders-rw/d"}))) == 1
}

test_by_a_list if {
	{[f.path, regex.replace(f.message, ", and the server.*", "")] | some f in before(cnpg({}), {"volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer"}]})} == {[["data", "pgbouncer.ini"], "The pooler logs in with MD5 sums (the auth_file of pool)"]}
	before(crunchy, {"volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer"}]}) == set()
}

test_not_reported if {
	before(cnpg({}), variables({"AUTH_TYPE": "scram-sha-256"})) == set()
	before(cnpg({}), variables({"DB_HOST": "elsewhere"})) == set()
	before(cnpg({"imageName": "x/postgresql:13.20"}), variables({})) == set()
	before(cnpg({"postgresql": {"parameters": {"password_encryption": "md5"}}}), variables({})) == set()

	# Its operator keeps sums unless it is told otherwise.
	before({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "spec": {"numberOfInstances": 2, "postgresql": {"version": "17"}}}, variables({"DB_HOST": "orders"})) == set()
}
