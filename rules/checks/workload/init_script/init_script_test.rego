package walguard.checks.workload.init_script_test

import data.walguard.checks.workload.init_script as check

pod(image, place, env, scripts) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{
				"name": "postgres",
				"image": image,
				"env": [{"name": name, "value": value} | some name, value in env],
				"volumeMounts": [{"name": "init", "mountPath": place}],
			}],
			"volumes": [{"name": "init", "configMap": {"name": "init"}}],
		}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"metadata": {"name": "init", "namespace": "prod"},
		"data": scripts,
	}}}}}},
}

reference := {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "prod", "name": "init"}

entry := "/docker-entrypoint-initdb.d"

test_directory_below if {
	check.findings == {{
		"message": "The image runs no files of directories below /docker-entrypoint-initdb.d, such as config/a.sql. Mount it at /docker-entrypoint-initdb.d itself.",
		"path": ["data", "a.sql"],
		"resource": reference,
	}} with input as pod("postgres:17", "/docker-entrypoint-initdb.d/config", {}, {"a.sql": "SELECT 1"})
}

test_name_without_ending if {
	check.findings == {{
		"message": "The image passes over /docker-entrypoint-initdb.d/init, whose name does not end in .sh or .sql. Rename the key.",
		"path": ["data", "init"],
		"resource": reference,
	}} with input as pod("postgres:17", entry, {}, {"init": "SELECT 1"})
}

test_extension_as_the_application if {
	check.findings == {{
		"message": "The image runs this as user shop, who may not create extension pg_stat_statements. Set POSTGRESQL_INITSCRIPTS_USERNAME to postgres, with its password in POSTGRESQL_INITSCRIPTS_PASSWORD.",
		"path": ["data", "a.sql"],
		"resource": reference,
	}} with input as pod("bitnami/postgresql:17", entry, {"POSTGRESQL_USERNAME": "shop"}, {"a.sql": "CREATE EXTENSION IF NOT EXISTS \"pg_stat_statements\";\nCREATE EXTENSION pg_trgm;"})
	found := check.findings with input as pod("bitnami/postgresql:17", entry, {"POSTGRES_USER": "shop"}, {"a.sh": "psql -U shop -d shop -c 'create extension dblink'\npsql -U postgres -c 'create extension pgaudit'"})
	{contains(f.message, "dblink") | some f in found} == {true}
}

# Read by another script, run as the superuser, trusted, or of an image whose user is one.
test_not_reported if {
	check.findings == set() with input as pod("postgres:17", entry, {}, {"a.sh": "psql -f /docker-entrypoint-initdb.d/schema", "schema": "SELECT 1"})
	check.findings == set() with input as pod("postgres:17", entry, {}, {"a.sql": "", "b.sql.gz": "", "readme.txt": ""})
	check.findings == set() with input as pod("postgres:17", entry, {"POSTGRES_USER": "shop"}, {"a.sql": "CREATE EXTENSION dblink"})
	check.findings == set() with input as pod("bitnami/postgresql:17", entry, {"POSTGRES_USER": "shop"}, {"a.sql": "CREATE EXTENSION pg_trgm"})
	check.findings == set() with input as pod("bitnami/postgresql:17", entry, {"POSTGRES_USER": "shop", "POSTGRESQL_INITSCRIPTS_USERNAME": "postgres"}, {"a.sql": "CREATE EXTENSION dblink"})
	check.findings == set() with input as pod("bitnami/postgresql:17", entry, {}, {"a.sql": "CREATE EXTENSION dblink"})
}

test_silent_when_unknown if {
	check.findings == set() with input as object.remove(pod("postgres:17", entry, {}, {"init": ""}), ["inventory"])
}
