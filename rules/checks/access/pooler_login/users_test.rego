package walguard.checks.access.pooler_login_users_test

import data.walguard.checks.access.pooler_login as check

lines := ["[databases]", "app = host=db.example.com dbname=app", "[pgbouncer]", "listen_addr = *", "listen_port = 6432", "auth_file = /etc/pgbouncer/userlist.txt"]

listed := "\"app\" \"x\"\n"

said(more, list, env) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pool", "namespace": "shop"},
			"spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [{"name": "pool", "image": "edoburu/pgbouncer:v1.23.1-p2", "command": ["pgbouncer", "/etc/pgbouncer/pgbouncer.ini"], "volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer"}]}], "volumes": [{"name": "c", "configMap": {"name": "c"}}]}}},
		}},
		"inventory": {"namespace": {"shop": {
			"v1": {
				"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"pgbouncer.ini": concat("\n", array.concat(lines, more)), "userlist.txt": list}}},
				"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432}]}}},
			},
			"apps/v1": {"Deployment": {"api": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "api", "image": "api:1", "env": [{"name": name, "value": value} | some name, value in env]}]}}}}}},
		}}},
	}
}

refused := {["error", "Deployment api logs in as shop, whom /etc/pgbouncer/userlist.txt does not name, and PgBouncer has no auth_user to ask the server with: \"no such user\". Add a line for the user there, or set auth_user."]}

test_user_out_of_the_list if {
	said([], listed, {"DB_HOST": "pool", "DB_USER": "shop", "DB_NAME": "app"}) == refused
	said(["auth_type = scram-sha-256"], listed, {"DATABASE_URL": "postgresql://shop:secret@pool.shop.svc:6432/app"}) == refused
	said(["auth_query = SELECT usename, passwd FROM lookup($1)"], listed, {"DB_HOST": "pool", "DB_USER": "shop", "DB_NAME": "app"}) == refused
}

test_user_who_may_be_known if {
	asking := {"DB_HOST": "pool", "DB_USER": "shop", "DB_NAME": "app"}
	said([], listed, {"DB_HOST": "pool", "DB_USER": "app", "DB_NAME": "app"}) == set()
	said([], listed, {"DB_HOST": "elsewhere", "DB_USER": "shop", "DB_NAME": "app"}) == set()
	said([], listed, {"DB_HOST": "pool", "DB_NAME": "app"}) == set()
	said(["auth_user = app"], listed, asking) == set()
	said(["auth_type = any"], listed, asking) == set()
	said(["auth_type = hba"], listed, asking) == set()
	said(["%include /etc/pgbouncer/more.ini"], listed, asking) == set()
	said([], "\"app\" \"x\"\n${USERS}\n", asking) == set()
}

# Whoever's password postgres has.
as_postgres(kind, pooler, variables) := {[f.severity, f.resource.name, regex.replace(f.message, `^.*\. `, "")] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": {"PostgresCluster": "postgres-operator.crunchydata.com/v1beta1", "PerconaPGCluster": "pgv2.percona.com/v2"}[kind], "kind": kind, "metadata": {"name": "hippo", "namespace": "prod"}, "spec": {"postgresVersion": 17, "instances": [{"name": "a"}], "proxy": {"pgBouncer": pooler}}}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"api": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "api", "image": "shop:1", "env": variables}]}}}}}}}}},
	}
}

two(host, user) := [{"name": "FORGEJO__database__HOST", "value": host}, {"name": "FORGEJO__database__USER", "value": user}]

test_postgres_through_pgbouncer if {
	as_postgres("PostgresCluster", {"replicas": 2}, two("hippo-pgbouncer.prod.svc:5432", "postgres")) == {["error", "api", "Let it take another user or hippo-primary."]}
	as_postgres("PerconaPGCluster", {"replicas": 2}, [{"name": "DATABASE_URL", "value": "postgres://postgres:x@hippo-pgbouncer:5432/shop"}]) == {["error", "api", "Let it take another user or hippo-primary, or set spec.proxy.pgBouncer.exposeSuperusers to true."]}
	count(as_postgres("PostgresCluster", {}, [{"name": "PGHOST", "value": "hippo-pgbouncer"}, {"name": "PGUSER", "value": "postgres"}])) == 1
}

test_postgres_by_another_way if {
	as_postgres("PostgresCluster", {}, two("hippo-primary", "postgres")) == set()
	as_postgres("PostgresCluster", {}, two("hippo-pgbouncer", "shop")) == set()
	as_postgres("PostgresCluster", {}, array.concat([{"name": "OTHER_USER", "value": "postgres"}], two("hippo-pgbouncer", "shop"))) == set()
	as_postgres("PerconaPGCluster", {"exposeSuperusers": true}, two("hippo-pgbouncer", "postgres")) == set()
	as_postgres("PostgresCluster", {"config": {"global": {"auth_query": "SELECT 1"}}}, two("hippo-pgbouncer", "postgres")) == set()
}
