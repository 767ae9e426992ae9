package walguard.checks.connections.prepared_statements_test

import data.walguard.checks.connections.prepared_statements as check

ini(mode, more) := sprintf("[databases]\nshop = host=db dbname=shop\n[pgbouncer]\nlisten_addr = *\npool_mode = %s\n%s", [mode, more])

findings(image, text, env) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": {
			"v1": {
				"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgbouncer.ini": text}}},
				"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432}]}}},
			},
			"apps/v1": {"Deployment": {
				"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {
					"containers": [{"name": "pool", "image": image, "volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]}],
					"volumes": [{"name": "ini", "configMap": {"name": "pool"}}],
				}}}},
				"app": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1", "env": [{"name": name, "value": value} | some name, value in env]}]}}}},
			}},
		}}},
	}
}

rails := {"POSTGRES_HOST": "pool", "POSTGRES_DATABASE": "shop", "RAILS_ENV": "production"}

jdbc := {"URL": "jdbc:postgresql://pool:6432/shop"}

asyncpg := {"DATABASE_URL": "postgresql+asyncpg://app@pool.prod.svc:6432/shop"}

prisma := {"DATABASE_URL": "postgresql://app@pool:6432/shop?schema=public"}

test_prisma if {
	{how | some f in findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), prisma); how := split(f.message, ", ")[0]} == {"Deployment app prepares statements (Prisma)"}
	{cure | some f in findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), prisma); cure := split(f.message, ", or ")[1]} == {"add pgbouncer=true to its address."}
	count(findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), {"DATABASE_URL": "postgres://app@pool:6432/shop?sslmode=disable&connection_limit=5"})) == 1
	findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), {"DATABASE_URL": "postgresql://app@pool:6432/shop?schema=public&pgbouncer=true"}) == set()
	findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), {"DATABASE_URL": "postgresql://app@pool:6432/shop?sslmode=disable"}) == set()
	findings("edoburu/pgbouncer:v1.24.1-p1", ini("transaction", ""), prisma) == set()
}

test_drivers_that_prepare if {
	findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), rails) == {{
		"message": "Deployment app prepares statements (Rails), and PgBouncer does not follow them with pool_mode transaction: \"prepared statement does not exist\". Take PgBouncer 1.24 or newer, or set prepared_statements: false in its database.yml.",
		"severity": "warning",
		"path": ["data", "pgbouncer.ini"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "pool", "namespace": "prod"},
	}}
	{cure | some f in findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), jdbc); cure := split(f.message, ", or ")[1]} == {"add prepareThreshold=0 to its address."}
	{cure | some f in findings("edoburu/pgbouncer:v1.22.0-p0", ini("statement", ""), asyncpg); cure := split(f.message, "exist\". ")[1]} == {"Set max_prepared_statements to 200, or set statement_cache_size=0 in the client."}
	{cure | some f in findings("edoburu/pgbouncer:v1.23.1-p3", ini("transaction", ""), {"DB_DSN": "pgsql:dbname=shop;host=pool;port=6432"}); cure := split(f.message, ", or ")[1]} == {"set PDO::ATTR_EMULATE_PREPARES in the client."}
	findings("edoburu/pgbouncer:v1.23.1-p3", ini("transaction", ""), {"DB_DSN": "pgsql:host=elsewhere;dbname=shop"}) == set()
	count(findings("edoburu/pgbouncer:v1.25.0-p0", ini("transaction", "max_prepared_statements = 0\n"), jdbc)) == 1
	count(findings("edoburu/pgbouncer", ini("transaction", "max_prepared_statements = 0\n"), jdbc)) == 1
}

of_program(mode, image, env) := behind("v1.24.1-p1", mode, image, env)

behind(release, mode, image, env) := found if {
	pool := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [{"name": "pool", "image": sprintf("edoburu/pgbouncer:%s", [release]), "env": [{"name": "DB_HOST", "value": "db"}, {"name": "POOL_MODE", "value": mode}]}]}}}}
	found := {f.message | some f in check.findings} with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 5432}]}}}},
			"apps/v1": {"Deployment": {
				"pool": pool,
				"sso": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "sso", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "sso", "image": image, "env": [{"name": name, "value": value} | some name, value in env]}]}}}},
			}},
		}}},
	}
}

# Whatever the pooler follows of statements.
test_sessions if {
	authentik := "ghcr.io/goauthentik/server:2025.8.4"
	said := "Deployment sso locks its migration for the session (pg_advisory_lock), and pool_mode transaction gives it another: the lock stays in the pool, and others wait. Ask the server itself, or set AUTHENTIK_POSTGRESQL__DIRECT__HOST to it."
	of_program("transaction", authentik, {"AUTHENTIK_POSTGRESQL__HOST": "pool"}) == {said}
	of_program("transaction", authentik, {"AUTHENTIK_POSTGRESQL__HOST": "pool.prod.svc"}) == {said}
	of_program("session", authentik, {"AUTHENTIK_POSTGRESQL__HOST": "pool"}) == set()
	of_program("transaction", authentik, {"AUTHENTIK_POSTGRESQL__HOST": "db"}) == set()
	of_program("transaction", authentik, {"AUTHENTIK_POSTGRESQL__HOST": "pool.other.svc"}) == set()
	of_program("transaction", authentik, {"AUTHENTIK_POSTGRESQL__USER": "pool"}) == set()
	of_program("transaction", authentik, {"AUTHENTIK_POSTGRESQL__HOST": "pool", "AUTHENTIK_POSTGRESQL__DIRECT__HOST": "db"}) == set()
	of_program("transaction", "shop/sso:1", {"AUTHENTIK_POSTGRESQL__HOST": "pool"}) == set()
	postgrest := "postgrest/postgrest:v13.0.7"
	count(of_program("transaction", postgrest, {"PGRST_DB_URI": "postgres://a:b@pool:5432/shop"})) == 1
	of_program("transaction", postgrest, {"PGRST_DB_URI": "postgres://a:b@pool:5432/shop", "PGRST_DB_CHANNEL_ENABLED": "false"}) == set()
}

test_followed_or_not_prepared if {
	findings("edoburu/pgbouncer:v1.20.1-p0", ini("session", ""), rails) == set()
	{f.severity | some f in findings("edoburu/pgbouncer:v1.24.1-p0", ini("transaction", ""), rails)} == {"info"}
	{f.severity | some f in findings("edoburu/pgbouncer:v1.21.0-p0", ini("transaction", "max_prepared_statements = 100\n"), rails)} == {"info"}
	{f.severity | some f in findings("edoburu/pgbouncer:latest", ini("transaction", ""), rails)} == {"info"}
	findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), object.union(rails, {"PREPARED_STATEMENTS": "false"})) == set()
	findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), {"URL": "jdbc:postgresql://pool:6432/shop?prepareThreshold=0"}) == set()
	findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), {"URL": "jdbc:postgresql://db:5432/shop"}) == set()
	findings("edoburu/pgbouncer:v1.20.1-p0", ini("transaction", ""), {"DB_HOST": "pool", "DB_NAME": "shop"}) == set()
}

test_flipt if {
	address := {"FLIPT_DB_URL": "postgres://a:b@pool:5432/flipt"}
	behind("1.19.0", "transaction", "flipt/flipt:v1.22.1", address) == {"Deployment sso prepares statements (Go), and PgBouncer does not follow them with pool_mode transaction: \"prepared statement does not exist\". Take PgBouncer 1.24 or newer, or set FLIPT_DB_PREPARED_STATEMENTS_ENABLED to false."}
	behind("1.19.0", "transaction", "flipt/flipt:v1.42.0", object.union(address, {"FLIPT_DB_PREPARED_STATEMENTS_ENABLED": "false"})) == set()
	behind("v1.24.1-p1", "transaction", "flipt/flipt:v1.22.1", address) == set()
}

test_zammad_and_emqx if {
	zammad := {"POSTGRESQL_HOST": "pool", "POSTGRESQL_DB": "zammad"}
	behind("v1.22.1-p0", "transaction", "ghcr.io/zammad/zammad:6.4.1", zammad) == {"Deployment sso prepares statements (Rails), and PgBouncer does not follow them with pool_mode transaction: \"prepared statement does not exist\". Set max_prepared_statements to 200, or set POSTGRESQL_OPTIONS to ?prepared_statements=false."}
	behind("v1.22.1-p0", "transaction", "ghcr.io/zammad/zammad:6.4.1", object.union(zammad, {"POSTGRESQL_OPTIONS": "?prepared_statements=false"})) == set()
	emqx := {"EMQX_AUTH__PGSQL__SERVER": "pool:5432", "EMQX_AUTH__PGSQL__DATABASE": "mqtt"}
	count(behind("v1.22.1-p0", "transaction", "emqx/emqx:v4.0.0", emqx)) == 1
	behind("v1.22.1-p0", "session", "emqx/emqx:v4.0.0", emqx) == set()
	behind("v1.24.1-p1", "transaction", "emqx/emqx:v4.0.0", emqx) == set()
}
