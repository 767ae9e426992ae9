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

with_program(secret, reviewed) := {f.severity | some f in found} if {
	found := check.findings with input as object.union(reviewed, {"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"api": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "api", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "api", "image": "api:1", "env": [{"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": secret, "key": "uri"}}}]}]}}},
	}}}}}}})
}

test_a_program_logs_in_as_the_user if {
	with_program("orders-pguser-app", cluster({}, {"users": [user]})) == {"warning"}
	with_program("orders-pguser-other", cluster({}, {"users": [user]})) == {"info"}
}

of_percona(spec) := {"review": {"object": {
	"apiVersion": "pgv2.percona.com/v2",
	"kind": "PerconaPGCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"crVersion": "2.8.0", "postgresVersion": 17, "instances": [{"name": "a", "replicas": 2}]}, spec),
}}}

# Percona's operator makes a schema unless it is told not to.
test_percona if {
	with_program("kept", of_percona({"autoCreateUserSchema": false, "users": [object.union(user, {"secretName": "kept"})]})) == {"warning"}
	with_program("kept", of_percona({"autoCreateUserSchema": false, "users": [user]})) == {"info"}
	with_program("kept", of_percona({"autoCreateUserSchema": false, "users": [object.union(user, {"grantPublicSchemaAccess": true})]})) == set()
	with_program("kept", of_percona({"users": [user]})) == set()
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

messages(script) := {f.message | found := check.findings with input as plain("postgres:17", script); some f in found}

of_shop := {"User app may create nothing in schema public of shop since PostgreSQL 15 (\"permission denied for schema public\"). Let it own the database (ALTER DATABASE shop OWNER TO app), or grant it ALL ON SCHEMA public there."}

# What is granted in the database that the script starts in.
test_right_in_another_database if {
	messages(concat("\n", [granting, "GRANT ALL ON SCHEMA public TO app;"])) == of_shop
	messages(concat("\n", [
		`psql -U $POSTGRES_USER -tc "CREATE USER app WITH PASSWORD 'x';" || true`,
		`psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" <<-EOSQL`,
		"CREATE DATABASE shop;",
		"GRANT ALL ON DATABASE shop TO app;",
		"EOSQL",
		`psql --username "$POSTGRES_USER" -c "GRANT CREATE ON SCHEMA public TO PUBLIC;"`,
	])) == of_shop
}

test_right_in_the_database if {
	every more in [
		"\\connect shop\nGRANT ALL ON SCHEMA public TO app;",
		`psql -U postgres -d shop -c "GRANT ALL ON SCHEMA public TO app;"`,
		`psql -U postgres shop -c "GRANT ALL ON SCHEMA public TO app;"`,
		`psql -U postgres "$DB" -c "GRANT ALL ON SCHEMA public TO app;"`,
		"psql -f /scripts/schema.txt\n-- GRANT ALL ON SCHEMA public TO app;",
		"export PGDATABASE=shop\nGRANT ALL ON SCHEMA public TO app;",
	] {
		messages(concat("\n", [granting, more])) == set()
	}
	messages("CREATE USER app;\nGRANT ALL PRIVILEGES ON DATABASE shop TO app;\nGRANT ALL ON SCHEMA public TO app;") == set()
	every source in [{"value": "shop"}, {"valueFrom": {"secretKeyRef": {"name": "db", "key": "name"}}}] {
		found := check.findings with input as json.patch(plain("postgres:17", concat("\n", [granting, "GRANT ALL ON SCHEMA public TO app;"])), [{"op": "add", "path": "/review/object/spec/template/spec/containers/0/env", "value": [object.union({"name": "PGDATABASE"}, source)]}])
		found == set()
	}
}

test_one_name if {
	messages("CREATE USER shop WITH PASSWORD 'x';\nCREATE DATABASE shop;") == {"User shop may create nothing in schema public of shop since PostgreSQL 15 (\"permission denied for schema public\"). Let it own the database (ALTER DATABASE shop OWNER TO shop), or grant it ALL ON SCHEMA public there."}
	messages("CREATE USER shop WITH PASSWORD 'x';\nCREATE DATABASE shop OWNER shop;") == set()
	messages("CREATE USER app WITH PASSWORD 'x';\nCREATE DATABASE shop;") == set()
	messages("CREATE DATABASE shop;") == set()
}

# A program that logs in as the user asks for the database.
test_program_of_the_user if {
	labelled := {"review": {"object": {"spec": {"template": {"metadata": {"labels": {"app": "db"}}}}}}}
	service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}
	given := object.union_n([plain("postgres:17", granting), labelled, {"inventory": {"namespace": {"prod": {"v1": {"Service": {"db": service}}}}}}])
	every env, severity in {
		`[{"name": "DB_USER", "value": "app"}, {"name": "DB_URL", "value": "jdbc:postgresql://db/shop"}]`: "error",
		`[{"name": "DATABASE_URL", "value": "postgres://app:x@db:5432/shop?sslmode=disable"}]`: "error",
		`[{"name": "DATABASE_URL", "value": "postgres://other:x@db:5432/shop"}]`: "warning",
	} {
		client := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:1", "env": json.unmarshal(env)}]}}}}
		found := check.findings with input as object.union(given, {"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"web": client}}}}}})
		{object.get(f, "severity", "warning") | some f in found} == {severity}
	}
}

test_a_job_logs_in_as_the_user if {
	some kind, path in {"Job": "/spec/template", "CronJob": "/spec/jobTemplate/spec/template"}
	made := json.patch({"apiVersion": "batch/v1", "kind": kind, "metadata": {"name": "up", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": {}}}}, [{"op": "add", "path": path, "value": {"spec": {"containers": [{"name": "up", "image": "api:1", "env": [{"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": "orders-pguser-app", "key": "uri"}}}]}]}}}])
	{f.severity | some f in check.findings} == {"warning"} with input as object.union(cluster({}, {"users": [user]}), {"inventory": {"namespace": {"prod": {"batch/v1": {kind: {"up": made}}}}}})
}
