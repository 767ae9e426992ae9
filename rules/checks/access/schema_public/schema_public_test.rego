package walguard.checks.access.schema_public_test

import data.walguard.checks.access.schema_public as check

cluster(annotations, spec) := {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod", "annotations": annotations},
	"spec": object.union({"postgresVersion": 17, "instances": [{"name": "a", "replicas": 2}]}, spec),
}}}

findings(annotations, spec) := found if found := check.findings with input as cluster(annotations, spec)

user := {"name": "app", "databases": ["shop", "stock"]}

test_user_without_schema if {
	findings({}, {"users": [{"name": "postgres"}, user]}) == {{
		"message": "User app may create nothing in schema public of shop and stock since PostgreSQL 15 (\"permission denied for schema public\"). Annotate the resource with postgres-operator.crunchydata.com/autoCreateUserSchema: \"true\".",
		"path": ["spec", "users", 1],
		"severity": "info",
	}}
	count(findings({"postgres-operator.crunchydata.com/autoCreateUserSchema": "false"}, {"users": [user]})) == 1
}

test_not_reported if {
	findings({"postgres-operator.crunchydata.com/autoCreateUserSchema": "True"}, {"users": [user]}) == set()
	findings({}, {"users": [user], "postgresVersion": 14}) == set()
	findings({}, {"users": [object.union(user, {"options": "superuser"})]}) == set()
	findings({}, {"users": [{"name": "app", "databases": ["postgres"]}, {"name": "reader"}]}) == set()
}

test_silent_when_unknown if {
	findings({}, {"users": [user], "databaseInitSQL": {"name": "sql", "key": "init.sql"}}) == set()
	findings({}, {"users": [user], "dataSource": {"postgresCluster": {"clusterName": "old"}}}) == set()
	findings({}, {"users": [user], "backups": {"pgbackrest": {"restore": {"enabled": true, "repoName": "repo1"}}}}) == set()
	findings({}, {"users": [user], "standby": {"enabled": true, "repoName": "repo1"}}) == set()
	findings({}, {"users": [object.union(user, {"options": "${OPTIONS}"})]}) == set()
	findings({"postgres-operator.crunchydata.com/autoCreateUserSchema": "${SCHEMAS}"}, {"users": [user]}) == set()
}

test_silent_of_a_server_that_runs if {
	running := json.patch(cluster({}, {"users": [user]}), [{"op": "add", "path": "/review/object/status", "value": {"patroni": {"systemIdentifier": "7412345678901234567"}}}])
	found := check.findings with input as running
	found == set()
}

plain(image, script) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{"name": "postgres", "image": image, "volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}],
			"volumes": [{"name": "init", "configMap": {"name": "init"}}],
		}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"init.sql": script}}}}}}},
}

granting := "CREATE USER app WITH PASSWORD 'x';\nCREATE DATABASE shop;\nGRANT ALL PRIVILEGES ON DATABASE shop TO app;"

test_script_of_the_first_start if {
	check.findings == {{
		"message": "User app may create nothing in schema public of shop since PostgreSQL 15 (\"permission denied for schema public\"). Let it own the database (ALTER DATABASE shop OWNER TO app), or grant it ALL ON SCHEMA public there.",
		"path": ["data", "init.sql"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "prod", "name": "init"},
	}} with input as plain("postgres:17", granting)
	check.findings == set() with input as plain("postgres:14", granting)
}

test_script_that_lets_it if {
	every more in [
		"\\c shop\nGRANT ALL ON SCHEMA public TO app;",
		"ALTER DATABASE shop OWNER TO app;",
		"CREATE SCHEMA app AUTHORIZATION app;",
		"ALTER USER app WITH SUPERUSER;",
		"GRANT owners TO app;",
	] {
		check.findings == set() with input as plain("postgres:17", concat("\n", [granting, more]))
	}
	check.findings == set() with input as plain("postgres:17", "CREATE USER app;\nCREATE DATABASE shop OWNER app;\nGRANT ALL PRIVILEGES ON DATABASE shop TO app;")
	check.findings == set() with input as plain("postgres:17", "CREATE DATABASE shop;\nGRANT ALL PRIVILEGES ON DATABASE shop TO postgres;")
}
