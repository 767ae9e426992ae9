package walguard.checks.connections.prepared_statements_test

import data.walguard.checks.connections.prepared_statements as check

migrating(container, mode) := found if {
	found := {f.message | some f in check.findings} with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1}}},
		"inventory": {"namespace": {"prod": {
			"postgresql.cnpg.io/v1": {"Pooler": {"pool": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "pgbouncer": {"poolMode": mode}}}}},
			"batch/v1": {"Job": {"up": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "up", "namespace": "prod"}, "spec": {"template": {"spec": {"initContainers": [object.union({"name": "up"}, container)]}}}}}},
		}}},
	}
}

url(host) := [{"name": "DATABASE_URL", "value": sprintf("postgresql://app:x@%s:5432/app", [host])}]

prisma_up := {"image": "shop:1", "command": ["npx", "prisma", "migrate", "deploy"]}

test_migrations_behind_a_pooler_of_an_operator if {
	migrating(object.union(prisma_up, {"env": url("pool")}), "transaction") == {"Job up migrates with Prisma, which locks for its session (pg_advisory_lock), and pool_mode transaction gives it another: the lock stays in the pool, and the next one waits. Ask the server itself, or set PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK to 1."}
	count(migrating({"image": "shop:1", "command": ["bundle", "exec", "rails", "db:migrate"], "env": url("pool.prod.svc")}, "transaction")) == 1
	count(migrating({"image": "apache/airflow:2.10.3", "args": ["bash", "-c", "exec airflow db migrate"], "env": [{"name": "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "value": "postgresql+psycopg2://a:b@pool:5432/airflow"}]}, "transaction")) == 1
	count(migrating({"image": "migrate/migrate:v4.17.1", "args": ["-path=/m", "-database=postgres://a:b@pool:5432/app?sslmode=disable", "up"]}, "transaction")) == 1
	count(migrating({"image": "flyway/flyway:8.5.13", "env": [{"name": "FLYWAY_URL", "value": "jdbc:postgresql://pool:5432/app"}]}, "transaction")) == 1
	count(migrating({"image": "flyway/flyway:9.1.0-alpine", "args": ["-url=jdbc:postgresql://pool:5432/app", "migrate"]}, "transaction")) == 1
}

test_migrations_that_have_their_session if {
	migrating(object.union(prisma_up, {"env": url("pool")}), "session") == set()
	migrating(object.union(prisma_up, {"env": url("orders-rw")}), "transaction") == set()
	migrating(object.union(prisma_up, {"env": url("pool.other.svc")}), "transaction") == set()
	migrating(object.union(prisma_up, {"env": array.concat(url("pool"), [{"name": "DIRECT_URL", "value": "postgresql://a@orders-rw/app"}])}), "transaction") == set()
	migrating({"image": "flyway/flyway:10.17.0", "env": [{"name": "FLYWAY_URL", "value": "jdbc:postgresql://pool:5432/app"}]}, "transaction") == set()
	migrating({"image": "shop:1", "command": ["npx", "prisma", "generate"], "env": url("pool")}, "transaction") == set()
	migrating(prisma_up, "transaction") == set()
}

crunchy(mode) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "hippo", "namespace": "prod"}, "spec": {"postgresVersion": 16, "instances": [{"dataVolumeClaimSpec": {}}], "proxy": {"pgBouncer": {"config": {"global": mode}}}}}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"Job": {"up": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "up", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [object.union(prisma_up, {"env": url("hippo-pgbouncer")})]}}}}}}}}},
	}
}

zalando(spec) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-a", "namespace": "prod"}, "spec": object.union({"numberOfInstances": 1, "postgresql": {"version": "16"}, "volume": {"size": "1Gi"}}, spec)}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"Job": {"up": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "up", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [object.union(prisma_up, {"env": url("acid-a-pooler")})]}}}}}}}}},
	}
}

test_poolers_of_other_operators if {
	count(crunchy({"pool_mode": "transaction"})) == 1
	crunchy({}) == set()
	count(zalando({"enableConnectionPooler": true})) == 1
	zalando({"enableConnectionPooler": true, "connectionPooler": {"mode": "session"}}) == set()
	zalando({}) == set()
}

by_jdbc(image) := {[f.severity, f.path] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-a", "namespace": "prod"}, "spec": {"numberOfInstances": 1, "postgresql": {"version": "16"}, "volume": {"size": "1Gi"}, "connectionPooler": {"dockerImage": image}}}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"app": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1", "env": [{"name": "SPRING_DATASOURCE_URL", "value": "jdbc:postgresql://acid-a-pooler.prod.svc:5432/app"}]}]}}}}}}}}},
	}
}

test_images_of_the_operators_pooler if {
	by_jdbc("registry.opensource.zalan.do/acid/pgbouncer:master-27") == {["warning", ["spec", "connectionPooler"]]}
	by_jdbc("registry.opensource.zalan.do/acid/pgbouncer:master-32") == set()
	by_jdbc("registry.example.com/pgbouncer:1") == set()
}

test_programs_that_prepare if {
	count(findings("edoburu/pgbouncer:v1.22.1-p0", ini("transaction", ""), {"DB_HOST": "pool", "DB_NAME": "shop"})) == 0
	{split(m, "), ")[0] | some m in prepares("ghcr.io/mastodon/mastodon:v4.3.1", {})} == {"Deployment sso prepares statements (Rails"}
	prepares("ghcr.io/mastodon/mastodon:v4.3.1", {"PREPARED_STATEMENTS": "false"}) == set()
	prepares("registry.example.org/app:1", {}) == set()
}

prepares(image, env) := of_old_pool(image, object.union({"DB_HOST": "pool", "DB_NAME": "shop"}, env))

of_old_pool(image, env) := found if {
	found := {f.message | some f in check.findings} with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 5432}]}}}},
			"apps/v1": {"Deployment": {
				"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [{"name": "pool", "image": "edoburu/pgbouncer:v1.20.1-p0", "env": [{"name": "DB_HOST", "value": "db"}, {"name": "POOL_MODE", "value": "transaction"}]}]}}}},
				"sso": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "sso", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "sso", "image": image, "env": [{"name": name, "value": value} | some name, value in env]}]}}}},
			}},
		}}},
	}
}

test_deallocate_all if {
	{f.severity | some f in findings("edoburu/pgbouncer:v1.21.0-p2", ini("transaction", "max_prepared_statements = 200\n"), {"DATABASE_URL": "postgresql://app@pool:6432/shop?schema=public&pgbouncer=true"})} == {"error"}
	findings("edoburu/pgbouncer:v1.22.1-p0", ini("transaction", "max_prepared_statements = 200\n"), {"DATABASE_URL": "postgresql://app@pool:6432/shop?schema=public&pgbouncer=true"}) == set()
	findings("edoburu/pgbouncer:v1.21.0-p2", ini("transaction", ""), {"DATABASE_URL": "postgresql://app@pool:6432/shop?schema=public&pgbouncer=true"}) == set()
}

# Drivers that their addresses show.
by_address(text) := {[f.severity, regex.replace(f.message, `^.*statements \(|\), and.*$`, "")] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-a", "namespace": "prod"}, "spec": {"numberOfInstances": 1, "postgresql": {"version": "16"}, "volume": {"size": "1Gi"}, "enableConnectionPooler": true, "connectionPooler": {"dockerImage": "registry.opensource.zalan.do/acid/pgbouncer:master-30"}}}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"api": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "api", "image": "shop:1", "env": [{"name": "DATABASE_URL", "value": text}]}]}}}}}}}}},
	}
}

test_drivers_that_prepare if {
	by_address("postgres://a:b@acid-a-pooler.prod.svc:5432/a?pool_max_conns=10&default_query_exec_mode=cache_statement") == {["error", "pgx, cache_statement"]}
	by_address("postgres://a:b@acid-a-pooler:5432/a?pool_max_conns=10") == {["warning", "pgx"]}
	by_address("postgresql+psycopg://a:b@acid-a-pooler/a") == {["warning", "psycopg 3"]}
	by_address("r2dbc:pool:postgresql://acid-a-pooler:5432/a") == {["warning", "R2DBC"]}
	by_address("Host=acid-a-pooler;Database=a;Max Auto Prepare=20") == {["warning", "Npgsql, Max Auto Prepare"]}
}

test_drivers_that_are_told_not_to if {
	by_address("postgres://a:b@acid-a-pooler:5432/a?pool_max_conns=10&default_query_exec_mode=exec") == set()
	by_address("postgres://a:b@acid-a-pooler:5432/a?statement_cache_mode=describe") == set()
	by_address("postgres://a:b@acid-a-pooler:5432/a") == set()
	by_address("postgresql+psycopg2://a:b@acid-a-pooler/a") == set()
	by_address("postgresql+psycopg://a:b@acid-a-pooler/a?prepare_threshold=0") == set()
	by_address("r2dbc:postgresql://acid-a-pooler:5432/a?preparedStatementCacheQueries=0") == set()
	by_address("Host=acid-a-pooler;Database=a;Max Auto Prepare=0") == set()
	by_address("Host=acid-a;Database=a;Max Auto Prepare=20") == set()
	by_address("postgres://a:b@acid-a:5432/a?pool_max_conns=10") == set()
}
