package walguard.checks.access.connection_uri_programs_test

import data.walguard.checks.access.connection_uri as check
import data.walguard.lib.client

made(container) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"template": {"spec": {"containers": [object.union({"name": "web"}, container)]}}},
}

# Severity and message of what is said of a client by itself, beside the objects that it takes variables from.
said_beside(container, objects) := found if {
	found := {[object.get(f, "severity", "error"), f.message] | some f in check.findings} with input as {"review": {"object": made(container)}, "inventory": {"namespace": {"shop": {"v1": objects}}}}
}

said(container) := said_beside(container, {})

of(image, variables) := said({"image": image, "env": [{"name": name, "value": value} | some name, value in variables]})

secret_of(name, key) := {"name": name, "valueFrom": {"secretKeyRef": {"name": "db", "key": key}}}

renamed(name, title, meant, otherwise) := sprintf("%s of Deployment web is not one of %s's variables: without %s it takes %s. Rename it to %s.", [name, title, meant, otherwise, meant])

keycloak := "quay.io/keycloak/keycloak:26.3.3"

of_keycloak := {"KC_DB": "postgres", "KC_DB_URL_HOST": "pg", "KC_DB_USERNAME": "kc", "KC_DB_PASSWORD": "x"}

immich := "ghcr.io/immich-app/immich-server:v1.143.1"

test_names_that_a_program_does_not_read if {
	check.findings == {{
		"message": renamed("KC_DB_HOST", "Keycloak", "KC_DB_URL_HOST", "\"localhost\""),
		"path": ["spec", "template", "spec", "containers", 0, "env", 1],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"},
	}} with input as {"review": {"object": made({"image": keycloak, "env": [{"name": "KC_DB", "value": "postgres"}, {"name": "KC_DB_HOST", "value": "pg"}]})}, "inventory": {}}
	of(keycloak, of_keycloak) == set()
	of(keycloak, object.union(object.remove(of_keycloak, ["KC_DB_USERNAME"]), {"KC_DB_USER": "kc"})) == {["error", renamed("KC_DB_USER", "Keycloak", "KC_DB_USERNAME", "none")]}
	every row in [
		[immich, {"DB_HOST": "pg"}, renamed("DB_HOST", "Immich", "DB_HOSTNAME", "\"database\"")],
		["docker.io/grafana/grafana:12.2.0", {"GF_DATABASE_TYPE": "postgres", "GF_DATABASE_HOST": "pg", "GF_DATABASE_USERNAME": "grafana"}, renamed("GF_DATABASE_USERNAME", "Grafana", "GF_DATABASE_USER", "\"root\"")],
		["apache/airflow:3.1.0", {"AIRFLOW__CORE__SQL_ALCHEMY_CONN": "postgresql://a:b@pg/airflow"}, renamed("AIRFLOW__CORE__SQL_ALCHEMY_CONN", "Airflow", "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "SQLite")],
		["ghcr.io/goauthentik/server:2025.8.4", {"AUTHENTIK_POSTGRESQL_HOST": "pg"}, renamed("AUTHENTIK_POSTGRESQL_HOST", "Authentik", "AUTHENTIK_POSTGRESQL__HOST", "\"localhost\"")],
		["sonarqube:lts", {"SONARQUBE_JDBC_URL": "jdbc:postgresql://pg:5432/sonar"}, renamed("SONARQUBE_JDBC_URL", "SonarQube", "SONAR_JDBC_URL", "H2")],
		["sonarqube", {"SONARQUBE_JDBC_URL": "jdbc:postgresql://pg:5432/sonar"}, renamed("SONARQUBE_JDBC_URL", "SonarQube", "SONAR_JDBC_URL", "H2")],
		["ghcr.io/goauthentik/server:2025.8.4", {"AUTHENTIK_POSTGRESQL__HOST": "pg", "AUTHENTIK_POSTGRESQL__DATABASE": "sso"}, renamed("AUTHENTIK_POSTGRESQL__DATABASE", "Authentik", "AUTHENTIK_POSTGRESQL__NAME", "\"authentik\"")],
		["quay.io/prometheuscommunity/postgres-exporter:v0.18.1", {"DATA_SOURCE_URI": "pg:5432/postgres", "DATA_SOURCE_USER": "a", "DATA_SOURCE_PASSWORD": "x"}, renamed("DATA_SOURCE_PASSWORD", "postgres_exporter", "DATA_SOURCE_PASS", "none")],
		["temporalio/auto-setup:1.28.1", {"DB": "postgres12", "POSTGRES_SEEDS": "pg", "POSTGRES_PASSWORD": "x"}, renamed("POSTGRES_PASSWORD", "Temporal", "POSTGRES_PWD", "none")],
	] {
		of(row[0], row[1]) == {["error", row[2]]}
	}
}

test_names_where_it_does_not_matter if {
	every row in [
		# What it takes anyhow.
		[immich, {"DB_HOSTNAME": "pg", "DB_USER": "postgres"}],
		# Both are there, or a file holds the value.
		[immich, {"DB_HOSTNAME": "pg", "DB_HOST": "pg"}],
		[keycloak, object.union(of_keycloak, {"KC_DB_HOST": "pg"})],
		["n8nio/n8n:1.115.3", {"DB_TYPE": "postgresdb", "DB_POSTGRESDB_HOST": "pg", "DB_POSTGRESDB_PASS": "x", "DB_POSTGRESDB_PASSWORD_FILE": "/p"}],
		["docker.io/grafana/grafana:12.2.0", {"GF_DATABASE_TYPE": "postgres", "GF_DATABASE_HOST": "pg", "GF_DATABASE_PASS": "x", "GF_DATABASE_PASSWORD__FILE": "/p"}],
		# One that says it all.
		[keycloak, {"KC_DB": "postgres", "KC_DB_URL": "jdbc:postgresql://pg/keycloak", "KC_DB_HOST": "pg"}],
		# Older releases, and programs that nobody knows here.
		["sonarqube:8.9-community", {"SONARQUBE_JDBC_URL": "jdbc:postgresql://pg:5432/sonar"}],
		["apache/airflow:2.10.5", {"AIRFLOW__CORE__SQL_ALCHEMY_CONN": "postgresql://a:b@pg/airflow"}],
		["example.com/keycloak:26.3.3", {"KC_DB": "postgres", "KC_DB_HOST": "pg"}],
		# Another database.
		["langgenius/dify-api:1.9.1", {"DB_TYPE": "mysql", "DB_HOST": "pg", "DB_USER": "dify"}],
		["docker.io/metabase/metabase:v0.56", {"MB_DB_TYPE": "mysql", "MB_DB_HOST": "pg", "MB_DB_PASSWORD": "x"}],
	] {
		of(row[0], row[1]) == set()
	}

	# Words or files may say it otherwise.
	env := [{"name": "KC_DB", "value": "postgres"}, {"name": "KC_DB_HOST", "value": "pg"}]
	every more in [
		{"args": ["start", "--db-url-host=pg"]},
		{"command": ["/bin/sh", "-c", "exec kc.sh start"]},
		{"volumeMounts": [{"name": "c", "mountPath": "/opt/keycloak/conf"}]},
		{"envFrom": [{"secretRef": {"name": "elsewhere"}}]},
		{"env": array.concat(env, [{"name": "${MORE}", "value": "x"}])},
	] {
		said(object.union({"image": keycloak, "env": env}, more)) == set()
	}
	count(said({"image": keycloak, "env": env, "args": ["start"], "volumeMounts": [{"name": "d", "mountPath": "/opt/keycloak/data"}]})) == 1
}

# Names of a ConfigMap, and values that nobody has seen.
test_names_from_elsewhere if {
	maps := {"ConfigMap": {"web": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "namespace": "shop"}, "data": {"KC_DB": "postgres", "KC_DB_HOST": "pg"}}}}
	said_beside({"image": keycloak, "envFrom": [{"configMapRef": {"name": "web"}}]}, maps) == {["error", renamed("KC_DB_HOST", "Keycloak", "KC_DB_URL_HOST", "\"localhost\"")]}
	said({"image": immich, "env": [{"name": "DB_HOSTNAME", "value": "pg"}, secret_of("DB_USER", "user")]}) == {["warning", renamed("DB_USER", "Immich", "DB_USERNAME", "\"postgres\"")]}
	said({"image": immich, "env": [{"name": "DB_HOSTNAME", "value": "pg"}, {"name": "DB_USER", "value": "${USER}"}]}) == {["warning", renamed("DB_USER", "Immich", "DB_USERNAME", "\"postgres\"")]}
	said({"image": "metabase/metabase:v0.56.9", "env": [{"name": "MB_DB_TYPE", "value": "postgres"}, {"name": "MB_DB_HOST", "value": "pg"}, secret_of("MB_DB_PASSWORD", "password")]}) == {["error", renamed("MB_DB_PASSWORD", "Metabase", "MB_DB_PASS", "none")]}
}

# A file of the first start may have what the variable does not say.
test_what_keeps_its_settings if {
	of("gitea/gitea:1.24.6", {"GITEA__database__DB_TYPE": "postgres", "GITEA__database__HOST": "pg:5432", "GITEA__database__PASSWORD": "x"}) == {["warning", renamed("GITEA__database__PASSWORD", "Gitea", "GITEA__database__PASSWD", "none")]}
	of("codeberg.org/forgejo/forgejo:12", {"FORGEJO__database__DB_TYPE": "postgres", "FORGEJO__database__DB_HOST": "pg:5432", "FORGEJO__database__HOST": "pg:5432", "FORGEJO__database__USERNAME": "x"}) == {["warning", renamed("FORGEJO__database__USERNAME", "Forgejo", "FORGEJO__database__USER", "\"root\"")]}
}

test_kinds if {
	every row in [
		["gitea/gitea:1.24.6", {"GITEA__database__DB_TYPE": "postgresql", "GITEA__database__HOST": "pg:5432"}, "GITEA__database__DB_TYPE of Deployment web is \"postgresql\", and Gitea knows PostgreSQL as postgres: it does not start. Write postgres."],
		["n8nio/n8n", {"DB_TYPE": "postgres", "DB_POSTGRESDB_HOST": "pg"}, "DB_TYPE of Deployment web is \"postgres\", and n8n knows PostgreSQL as postgresdb: nothing is kept here. Write postgresdb."],
		["temporalio/auto-setup:1.24.2", {"DB": "postgresql", "POSTGRES_SEEDS": "pg"}, "DB of Deployment web is \"postgresql\", and Temporal knows PostgreSQL as postgres12: it does not start (\"unsupported\"). Write postgres12."],
	] {
		of(row[0], row[1]) == {["error", row[2]]}
	}
	every row in [
		["temporalio/auto-setup:1.23.1", {"DB": "postgresql", "POSTGRES_SEEDS": "pg"}],
		["temporalio/auto-setup:1.28.1", {"DB": "postgres12_pgx", "POSTGRES_SEEDS": "pg"}],
		["langgenius/dify-api:1.9.1", {"DB_TYPE": "postgresql", "DB_HOST": "pg"}],
		["n8nio/n8n", {"DB_TYPE": "${DB_TYPE}", "DB_POSTGRESDB_HOST": "pg"}],
		["n8nio/n8n", {"DB_TYPE": "sqlite", "DB_POSTGRESDB_HOST": "pg"}],
	] {
		of(row[0], row[1]) == set()
	}
	said({"image": "n8nio/n8n", "args": ["--db=x"], "env": [{"name": "DB_TYPE", "value": "postgres"}, {"name": "DB_POSTGRESDB_HOST", "value": "pg"}]}) == set()
}

# Whose host has the port of PostgreSQL.
test_kinds_that_are_not_said if {
	of("grafana/grafana:12.2.0", {"GF_DATABASE_HOST": "pg:5432"}) == {["error", "GF_DATABASE_HOST of Deployment web names the server, and without GF_DATABASE_TYPE=postgres this program takes SQLite: nothing is kept here. Set GF_DATABASE_TYPE to postgres."]}
	of("metabase/metabase", {"MB_DB_HOST": "pg", "MB_DB_PORT": "5432"}) == {["error", "MB_DB_HOST of Deployment web names the server, and without MB_DB_TYPE=postgres this program takes H2: nothing is kept here. Set MB_DB_TYPE to postgres."]}
	of("grafana/grafana:12.2.0", {"GF_DATABASE_HOST": "pg:5432", "GF_DATABASE_URL": "postgres://pg:5432/grafana"}) == set()
	of("grafana/grafana:12.2.0", {"GF_DATABASE_HOST": "pg:3306"}) == set()
}

mlflow := "ghcr.io/mlflow/mlflow:v2.22.0"

test_drivers if {
	fault := "names PostgreSQL, and MLflow's image has no psycopg2 for it (\"No module named 'psycopg2'\"). Take an image that has it, or install psycopg2-binary before."
	said({"image": mlflow, "command": ["mlflow", "server", "--backend-store-uri", "postgresql://a:b@pg/mlflow"]}) == {["error", sprintf("The command of Deployment web %s", [fault])]}
	said({"image": mlflow, "args": ["mlflow", "server", "--backend-store-uri=postgresql://a:b@pg/mlflow"]}) == {["error", sprintf("The argument of Deployment web %s", [fault])]}
	of(mlflow, {"MLFLOW_BACKEND_STORE_URI": "postgresql://a:b@pg/mlflow"}) == {["error", sprintf("MLFLOW_BACKEND_STORE_URI of Deployment web %s", [fault])]}
	every more in [
		{"command": ["sh", "-c", "pip install psycopg2-binary && exec mlflow server"]},
		{"volumeMounts": [{"name": "x", "mountPath": "/usr/local/lib/python3.11/site-packages/psycopg2"}]},
		{"image": "ghcr.io/mlflow/mlflow:v3.5.0-full"},
		{"image": "example.com/shop/mlflow:v2.22.0"},
		{"env": [{"name": "MLFLOW_BACKEND_STORE_URI", "value": "postgresql+pg8000://a:b@pg/mlflow"}]},
	] {
		said(object.union({"image": mlflow, "env": [{"name": "MLFLOW_BACKEND_STORE_URI", "value": "postgresql://a:b@pg/mlflow"}]}, more)) == set()
	}
}

test_results_of_celery if {
	fault := "begins with postgresql, and Celery looks for a module of that name (\"No module named 'postgresql'\"). Begin it with db+"
	of("apache/airflow:3.1.0", {"AIRFLOW__CELERY__RESULT_BACKEND": "postgresql://a:b@pg/airflow"}) == {["error", sprintf("AIRFLOW__CELERY__RESULT_BACKEND of Deployment web %spostgresql://.", [fault])]}
	of("shop/worker:1", {"CELERY_RESULT_BACKEND": "postgresql+psycopg2://a:b@pg/shop"}) == {["warning", sprintf("CELERY_RESULT_BACKEND of Deployment web %spostgresql+psycopg2://.", [fault])]}
	of("apache/airflow:3.1.0", {"AIRFLOW__CELERY__RESULT_BACKEND": "db+postgresql://a:b@pg/airflow"}) == set()
	of("shop/worker:1", {"RESULTS": "postgresql://a:b@pg/shop"}) == set()
}

# One image is one program.
test_every_program_is_found if {
	every title, image_of in {"Keycloak": keycloak, "Immich": immich, "MLflow": mlflow, "pgAdmin": "dpage/pgadmin4", "Kong": "kong:3.9", "postgres_exporter": "quay.io/prometheuscommunity/postgres-exporter:v0.18.1"} {
		client.program_of({"image": image_of})[0] == title
	}
	not client.program_of({"image": "shop/web:1"})
	not client.program_of({})
}
