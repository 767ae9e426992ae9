package walguard.checks.connections.prepared_statements_starts_test

import data.walguard.checks.connections.prepared_statements as check

# Programs that migrate as they start, and frameworks, before a pooler of CloudNativePG that follows prepared statements; the app stands in another namespace.
behind(image, env, words) := found if {
	found := {[object.get(f, "severity", "warning"), f.message] | some f in check.findings} with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "platform", "namespace": "database"}, "spec": {"instances": 3}}},
		"inventory": {"namespace": {
			"database": {"postgresql.cnpg.io/v1": {"Pooler": {"pool": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "pool", "namespace": "database"}, "spec": {"cluster": {"name": "platform"}, "pgbouncer": {"poolMode": "transaction"}}}}}},
			"shop": {"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [object.union(words, {
				"name": "web",
				"image": image,
				"env": [{"name": name, "value": value} | some name, value in env],
			})]}}}}}}},
		}},
	}
}

address := {"DATABASE_URL": "postgresql://$(DB_USER):$(DB_PASSWORD)@pool.database.svc.cluster.local:5432/shop"}

direct := {"DATABASE_URL": "postgresql://a:b@platform-rw.database.svc.cluster.local:5432/shop"}

locks(cure) := {["warning", sprintf("Deployment web of namespace shop locks for its session as it migrates at its start (pg_advisory_lock), and pool_mode transaction gives it another: the lock stays in the pool, and the next pod waits. Ask the server itself%s.", [cure])]}

test_programs_that_migrate_at_their_start if {
	behind("ghcr.io/diced/zipline:4.2.0", address, {}) == locks("")
	behind("langfuse/langfuse:3.112.0", address, {}) == locks(", or set PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK to 1")
	behind("ghcr.io/vectorize-io/hindsight-api:0.4.20", {"HINDSIGHT_API_DATABASE_URL": address.DATABASE_URL}, {}) == locks(", or set HINDSIGHT_API_MIGRATION_DATABASE_URL to it")
}

test_programs_with_a_way_of_their_own if {
	behind("ghcr.io/diced/zipline:4.2.0", direct, {}) == set()
	behind("langfuse/langfuse:3.112.0", object.union(address, {"DIRECT_URL": direct.DATABASE_URL}), {}) == set()
	behind("langfuse/langfuse-worker:3.112.0", address, {}) == set()
	behind("ghcr.io/vectorize-io/hindsight-api:0.4.20", object.union(address, {"HINDSIGHT_API_MIGRATION_DATABASE_URL": direct.DATABASE_URL}), {}) == set()
	behind("netboxcommunity/netbox:v4.3.2", {"DB_HOST": "pool.database.svc", "DB_DISABLE_SERVER_SIDE_CURSORS": "true"}, {}) == set()
	behind("zipline:4.2.0", address, {}) == set()
}

hosted := {"DB_HOST": "pool.database.svc.cluster.local", "RAILS_ENV": "production"}

test_rails if {
	behind("ghcr.io/we-promise/sure:0.7.3", hosted, {}) == {["warning", "Deployment web of namespace shop migrates at its start with Rails, which locks and closes statements by name in its session, and pool_mode transaction gives it another: with a release that migrates it does not start (\"prepared statement \"a1\" does not exist\"). Ask the server itself."]}
	behind("registry.example.com/shop:1", hosted, {}) == {["info", "Deployment web of namespace shop runs Rails, whose migrations lock for a session (pg_advisory_lock), and pool_mode transaction gives it another: db:prepare at its start may fail. Ask the server itself, or set advisory_locks: false in its database.yml."]}
	behind("registry.example.com/shop:1", hosted, {"command": ["bundle", "exec", "sidekiq"]}) == set()
	behind("registry.example.com/shop:1", object.union(hosted, {"MIGRATION_DB_HOST": "platform-rw.database.svc"}), {}) == set()
	behind("registry.example.com/shop:1", object.remove(hosted, ["RAILS_ENV"]), {}) == set()
}

test_django if {
	cursors := ", whose cursors on the server need a session, and pool_mode transaction gives it another: \"cursor does not exist\" now and then. Ask the server itself, or set"
	django := object.union(address, {"DJANGO_SETTINGS_MODULE": "shop.settings"})
	behind("registry.example.com/shop:1", django, {}) == {["info", sprintf("Deployment web of namespace shop runs Django%s DISABLE_SERVER_SIDE_CURSORS to True in its settings.", [cursors])]}
	behind("registry.example.com/shop:1", object.union(django, {"DISABLE_SERVER_SIDE_CURSORS": "true"}), {}) == set()
	behind("registry.example.com/shop:1", object.union(django, direct), {}) == set()
	behind("netboxcommunity/netbox:v4.3.2", {"DB_HOST": "pool.database.svc"}, {}) == {["warning", sprintf("Deployment web of namespace shop runs Django%s DB_DISABLE_SERVER_SIDE_CURSORS to true.", [cursors])]}
}

# PgCat, whose file says its mode.
by_pgcat(mode) := found if {
	found := {f.message | some f in check.findings} with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": {
			"v1": {
				"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgcat.toml": sprintf("[general]\nport = 6432\n[pools.shop]\npool_mode = %q\n[pools.shop.shards.0]\nservers = [[\"db\", 5432, \"primary\"]]\ndatabase = \"shop\"\n", [mode])}}},
				"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432}]}}},
			},
			"apps/v1": {"Deployment": {
				"pool": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {
					"containers": [{"name": "pool", "image": "ghcr.io/postgresml/pgcat:v1.2.0", "volumeMounts": [{"name": "toml", "mountPath": "/etc/pgcat"}]}],
					"volumes": [{"name": "toml", "configMap": {"name": "pool"}}],
				}}}},
				"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "ghostfolio/ghostfolio:2.150.0", "env": [{"name": "DATABASE_URL", "value": "postgresql://a:b@pool:6432/shop"}]}]}}}},
			}},
		}}},
	}
}

test_pgcat if {
	{split(m, ",")[0] | some m in by_pgcat("transaction")} == {"Deployment web locks for its session as it migrates at its start (pg_advisory_lock)"}
	by_pgcat("session") == set()
}
