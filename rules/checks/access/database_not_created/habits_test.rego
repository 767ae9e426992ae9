package walguard.checks.access.database_not_created_habits_test

import data.walguard.checks.access.database_not_created as check

beside(spec, container, volumes, objects) := found if {
	found := {[object.get(f, "severity", "warning"), f.message] | some f in check.findings} with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": object.union({"instances": 1, "bootstrap": {"initdb": {"database": "app", "owner": "app"}}}, spec),
		}},
		"inventory": {"namespace": {"shop": object.union(
			{"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [object.union({"name": "web", "env": login}, container)], "volumes": volumes}}}}}}},
			objects,
		)}},
	}
}

login := [{"name": "POSTGRES_USER", "valueFrom": {"secretKeyRef": {"name": "db-app", "key": "username"}}}]

# ------------------------------------------------------------------------------------------------------------- Backstage

backstage(spec, database) := beside(
	spec,
	{"image": "ghcr.io/shop/backstage:1.30", "volumeMounts": [{"name": "c", "mountPath": "/config"}]},
	[{"name": "c", "configMap": {"name": "c"}}],
	{"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"app-config.yaml": sprintf("backend:\n  database:\n    client: pg\n%s", [database])}}}}},
)

test_database_for_each_plugin if {
	backstage({}, "") == {["error", "Deployment web creates a database for each plugin (Backstage) as app, who has no CREATEDB: permission denied. Give the role CREATEDB, or create it as a superuser."]}
	backstage({}, "    pluginDivisionMode: schema\n") == set()
	backstage({}, "    ensureExists: false\n") == set()
	backstage({"managed": {"roles": [{"name": "app", "createdb": true}]}}, "") == set()
	beside({}, {"image": "ghcr.io/shop/backstage:1.30"}, [], {}) == set()
}

# -------------------------------------------------------------------------------------------------------------- Temporal

of_temporal(variables) := beside({}, {"image": "temporalio/auto-setup:1.24.2", "env": array.concat(login, [{"name": name, "value": value} | some name, value in variables])}, [], {})

test_databases_of_temporal if {
	of_temporal({"DB": "postgres12"}) == {["error", "Deployment web creates its databases (SKIP_DB_CREATE is not true) as app, who has no CREATEDB: permission denied. Give the role CREATEDB, or create it as a superuser."]}
	of_temporal({"DB": "postgres12", "SKIP_DB_CREATE": "true"}) == set()
	of_temporal({"DB": "mysql8"}) == set()
	of_temporal({"DB": "postgres12", "POSTGRES_USER": "postgres"}) == set()
}

# ------------------------------------------------------------------------------------------------------------ extensions

immich(spec, tag, variables, objects) := beside(spec, {"image": sprintf("ghcr.io/immich-app/immich-server:%s", [tag]), "env": array.concat([{"name": "DB_USERNAME", "value": "app"}], [{"name": name, "value": value} | some name, value in variables])}, [], objects)

test_extensions_that_are_not_trusted if {
	immich({}, "v1.143.1", {}, {}) == {["error", "Deployment web creates extension vchord (Immich) as app, who has no SUPERUSER: permission denied. Give the role SUPERUSER, or create it as a superuser."]}
	count(immich({}, "v1.120.2", {}, {})) == 1
	immich({}, "v1.143.1", {"DB_VECTOR_EXTENSION": "pgvector"}, {}) == set()
	immich({"bootstrap": {"initdb": {"database": "app", "owner": "app", "postInitApplicationSQL": ["CREATE EXTENSION vchord CASCADE;"]}}}, "v1.143.1", {}, {}) == set()
	immich({}, "v1.143.1", {}, {"postgresql.cnpg.io/v1": {"Database": {"app": {"spec": {"name": "app", "extensions": [{"name": "vchord"}]}}}}}) == set()
	immich({}, "v1.143.1", {}, {"postgresql.cnpg.io/v1": {"Database": {"app": {"spec": {"name": "app", "extensions": [{"name": "vector"}]}}}}}) == set()
	immich({"managed": {"roles": [{"name": "app", "superuser": true}]}}, "v1.143.1", {}, {}) == set()
	count(beside({}, {"image": "chatwoot/chatwoot:v4.1.0"}, [], {})) == 1
	beside({"postgresql": {"parameters": {"pg_stat_statements.max": "10000"}}}, {"image": "chatwoot/chatwoot:v4.1.0"}, [], {}) == set()
}
