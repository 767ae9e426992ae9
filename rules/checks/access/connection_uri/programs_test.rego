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

superset := {"image": "apache/superset:5.0.0", "env": [{"name": "DB_HOST", "value": "pg"}, {"name": "DB_PORT", "value": "5432"}]}

in_pod(container, texts) := found if {
	found := {[object.get(f, "severity", "error"), f.message] | some f in check.findings} with input as {
		"review": {"object": json.patch(made(container), [{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": "c", "configMap": {"name": "c"}}]}])},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": texts}}}}}},
	}
}

mounted := {"volumeMounts": [{"name": "c", "mountPath": "/app/pythonpath"}], "command": ["/bin/sh", "-c", ". /app/pythonpath/boot.sh; /usr/bin/run-server.sh"]}

settings_of_superset := "SQLALCHEMY_DATABASE_URI = f\"postgresql+psycopg2://a:b@{host}/s\"\n"

test_driver_of_superset if {
	fault := "names PostgreSQL, and Superset's image has no psycopg2 for it (\"No module named 'psycopg2'\"). Take an image that has it, or install psycopg2-binary before."
	in_pod(object.union(superset, mounted), {"superset_config.py": settings_of_superset, "boot.sh": "echo\n"}) == {["error", sprintf("superset_config.py of Deployment web %s", [fault])]}
	in_pod(object.union(superset, mounted), {"superset_config.py": settings_of_superset, "boot.sh": "uv pip install psycopg2-binary\n"}) == set()
	in_pod(object.union(superset, mounted), {"superset_config.py": settings_of_superset}) == set()
	in_pod(object.union(superset, mounted), {"superset_config.py": "SQLALCHEMY_DATABASE_URI = 'sqlite:///x'", "boot.sh": "echo"}) == set()
	of("apache/superset:latest", {"SUPERSET__SQLALCHEMY_DATABASE_URI": "postgresql+psycopg2://a:b@pg/s"}) == {["error", sprintf("SUPERSET__SQLALCHEMY_DATABASE_URI of Deployment web %s", [fault])]}
	of("apache/superset:4.0.2", {"SUPERSET__SQLALCHEMY_DATABASE_URI": "postgresql://a:b@pg/s"}) == set()
	of("apache/superset:5.0.0-dev", {"SUPERSET__SQLALCHEMY_DATABASE_URI": "postgresql://a:b@pg/s"}) == set()
	of("apache/superset:5.0.0", {"SUPERSET__SQLALCHEMY_DATABASE_URI": "postgresql://a:b@pg/s", "PYTHONPATH": "/more"}) == set()
	count(of("apache/superset:5.0.0", {"SUPERSET__SQLALCHEMY_DATABASE_URI": "postgresql://a:b@pg/s", "PYTHONPATH": "/app/pythonpath"})) == 1
}

grafana(mode) := {"GF_DATABASE_TYPE": "postgres", "GF_DATABASE_HOST": "pg:5432", "GF_DATABASE_SSL_MODE": mode}

test_words_that_are_not_taken if {
	of("grafana/grafana:11.1.3", grafana("prefer")) == {["error", "GF_DATABASE_SSL_MODE of Deployment web is \"prefer\", and Grafana takes disable, require, verify-ca and verify-full alone. Write require, or disable where the server has no TLS."]}
	of("goharbor/harbor-core:v1.9.0", {"POSTGRESQL_HOST": "pg", "POSTGRESQL_SSLMODE": "prefer"}) == {["error", "POSTGRESQL_SSLMODE of Deployment web is \"prefer\", and Harbor takes disable, require, verify-ca and verify-full alone. Write require, or disable where the server has no TLS."]}
	every row in [
		["grafana/grafana:11.1.3", grafana("require")],
		["grafana/grafana:11.1.3", grafana("${MODE}")],
		["grafana/grafana:11.1.3", grafana("$__file{/mode}")],
		["grafana/grafana:13.0.0", grafana("prefer")],
		["grafana/grafana:11.1.3", object.union(grafana("skip-verify"), {"GF_DATABASE_TYPE": "mysql"})],
		["goharbor/harbor-core:v2.14.0", {"POSTGRESQL_HOST": "pg", "POSTGRESQL_SSLMODE": "prefer"}],
	] {
		of(row[0], row[1]) == set()
	}
}

langfuse(more) := object.union({"DATABASE_HOST": "pg:5432", "DATABASE_USERNAME": "lf", "DATABASE_PASSWORD": "Xk#9", "DATABASE_NAME": "lf"}, more)

test_addresses_that_a_program_composes if {
	of("langfuse/langfuse:3.20.0", langfuse({})) == {["error", "DATABASE_PASSWORD of Deployment web has a \"#\", and Langfuse puts it into an address as it is: the rest is read as another part of it (P1013). Write DATABASE_URL with %23 for it, or take letters and digits."]}
	every more in [{"DATABASE_PASSWORD": "Xk9"}, {"DATABASE_PASSWORD": "$(P)#"}, {"DATABASE_URL": "postgresql://pg/lf"}, {"DATABASE_PASSWORD": "<PASS#>"}] {
		of("langfuse/langfuse:3.20.0", langfuse(more)) == set()
	}
	of("shop/web:1", langfuse({"DATABASE_KIND": "postgres"})) == set()
}

said_of(name, title, mark, code) := {["error", sprintf("%s of Deployment web has a password with a %q in its address, which %s reads as the end of it or as the beginning of a number. Write %s for it.", [name, mark, title, code])]}

test_passwords_that_a_program_cannot_read if {
	of("vaultwarden/server:1.32.3", {"DATABASE_URL": "postgresql://vw:a@b@pg:5432/vw"}) == said_of("DATABASE_URL", "Vaultwarden", "@", "%40")
	of("hasura/graphql-engine:v2.38.0", {"HASURA_GRAPHQL_DATABASE_URL": "postgres://h:a%zb@pg/h"}) == said_of("HASURA_GRAPHQL_DATABASE_URL", "Hasura", "%", "%25")
	of("quay.io/prometheuscommunity/postgres-exporter:v0.18.1", {"DATA_SOURCE_NAME": "postgresql://e:a%@pg:5432/postgres"}) == said_of("DATA_SOURCE_NAME", "postgres_exporter", "%", "%25")
	every row in [
		["vaultwarden/server:1.32.3", {"DATABASE_URL": "postgresql://vw:a%40b@pg:5432/vw"}],
		["vaultwarden/server:1.32.3", {"DATABASE_URL": "postgresql://vw:$(P)%@pg:5432/vw"}],
		["vaultwarden/server:1.32.3", {"DATABASE_URL": "<URL>"}],
		["quay.io/prometheuscommunity/postgres-exporter:v0.18.1", {"DATA_SOURCE_NAME": "postgresql://e:a@b@pg:5432/postgres"}],
		["shop/web:1", {"DATABASE_URL": "postgresql://vw:a@b@pg:5432/vw"}],
	] {
		of(row[0], row[1]) == set()
	}
	of("shop/web:1", {"DATABASE_URL": "postgresql://vw:a%zb@pg:5432/vw"}) == {["warning", "The password in this connection URI has a \"%\", which ends its part: programs read another host, or none. Write %25 for it, or take a password of letters and digits."]}
}

test_schemes_of_programs if {
	of("vaultwarden/server:1.24.0", {"DATABASE_URL": "pg.example.com:5432"}) == {["error", "DATABASE_URL of Deployment web has no scheme, and without postgresql:// Vaultwarden takes it for a file of SQLite: nothing is kept in this database. Begin it with postgresql://USER:PASSWORD@."]}
	chat := {"MM_SQLSETTINGS_DRIVERNAME": "postgres", "MM_SQLSETTINGS_DATASOURCE": "mm:x@pg.example.com:5432/mm?sslmode=disable"}
	of("mattermost/mattermost-team-edition:9.11.0", chat) == {["error", "MM_SQLSETTINGS_DATASOURCE of Deployment web has no scheme, and it takes addresses that begin with postgres:// alone: it does not start. Begin it with postgres://."]}
	of("mattermost/mattermost-team-edition:9.11.0", object.union(chat, {"MM_SQLSETTINGS_DRIVERNAME": "mysql"})) == set()
	of("vaultwarden/server:1.24.0", {"DATABASE_URL": "/data/db.sqlite3"}) == set()
	exporter := {"image": "quay.io/prometheuscommunity/postgres-exporter:v0.18.1"}
	of(exporter.image, {"DATA_SOURCE_URI": "postgresql://pg:5432/postgres?sslmode=disable", "DATA_SOURCE_USER": "a", "DATA_SOURCE_PASS": "x"}) == {["warning", "DATA_SOURCE_URI of Deployment web begins with postgresql://, which postgres_exporter writes before it itself: it looks for a host of that name. Begin it with the host."]}
	of(exporter.image, {"DATA_SOURCE_URI": "pg:5432/postgres?sslmode=disable", "DATA_SOURCE_USER": "a", "DATA_SOURCE_PASS": "x"}) == set()
}

directus(more) := object.union({"DB_CLIENT": "pg", "DB_HOST": "pg", "DB_PORT": "5432"}, more)

test_certificates_of_programs if {
	told := {["error", sprintf("%s of Deployment web is a path, and Directus reads a certificate itself there (\"no start line\", or one that it does not trust). Write %s_FILE for it.", [name, name])] | some name in ["DB_SSL__CA", "DB_SSL__CERT"]}
	of("directus/directus:11.6.0", directus({"DB_SSL__CA": "/tls/ca.crt", "DB_SSL__CERT": "/tls/tls.crt"})) == told
	count(of("directus/directus:11.6.0", directus({"DB_SSL__CA": "/tls/ca.crt", "DB_SSL__CERT": "/tls/tls.crt", "DB_SSL__REJECT_UNAUTHORIZED": "false"}))) == 1
	of("directus/directus:11.6.0", directus({"DB_SSL__CERT_FILE": "/tls/tls.crt", "DB_SSL__KEY": "-----BEGIN"})) == set()
}

test_neon if {
	address := "postgres://a:b@ep-x.eu-central-1.aws.neon.tech/d?sslmode=require"
	said({"image": "postgres:13.10-alpine", "command": ["psql", address, "-c", "select 1"]}) == {["error", "The image of Deployment web has the libpq of PostgreSQL 13, which sends no name of a host (SNI), and Neon finds no database without: \"Endpoint ID is not specified\". Take 14 or newer, or add options=endpoint%3D and the first part of the host's name."]}
	every row in [["postgres:13.10", address], ["postgres:17.6-alpine", address], ["postgres:13.10-alpine", concat("", [address, "&options=endpoint%3Dep-x"])], ["postgres:13.10-alpine", "postgres://a:b@pg.example.com/d"]] {
		said({"image": row[0], "command": ["psql", row[1], "-c", "select 1"]}) == set()
	}
}

test_root_certificates_in_addresses if {
	address := "postgres://a:b@pg.example.com/d?sslmode=verify-full"
	fault := "has sslmode=verify-full, and no root certificate is there: libpq ends with \"root certificate file does not exist\". Add sslrootcert with the file of the CA, or with system for a public one."
	said({"image": "postgres:17.6", "command": ["psql", address]}) == {["error", sprintf("The command of Deployment web %s", [fault])]}
	said({"image": "alpine/psql:18.1", "env": [{"name": "DATABASE_URL", "value": address}], "command": ["sh", "-c", "psql $DATABASE_URL"]}) == {["error", sprintf("DATABASE_URL of Deployment web %s", [fault])]}
	every row in [["alpine/psql:18.4", address], ["postgres:17.6", concat("", [address, "&sslrootcert=system"])], ["shop/psql:1", address]] {
		said({"image": row[0], "command": ["psql", row[1]]}) == set()
	}
}

test_variables_of_maps if {
	objects := {"ConfigMap": {"web": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "namespace": "shop"}, "data": {"DATABASE_URL": "pg.example.com:5432"}}}}
	fault := {["error", "DATABASE_URL of Deployment web has no scheme, and without postgresql:// Vaultwarden takes it for a file of SQLite: nothing is kept in this database. Begin it with postgresql://USER:PASSWORD@."]}
	said_beside({"image": "vaultwarden/server:1.24.0", "envFrom": [{"configMapRef": {"name": "web"}}]}, objects) == fault
	said_beside({"image": "vaultwarden/server:1.24.0", "env": [{"name": "DATABASE_URL", "valueFrom": {"configMapKeyRef": {"name": "web", "key": "DATABASE_URL"}}}]}, objects) == fault
	said_beside({"image": "vaultwarden/server:1.24.0", "envFrom": [{"configMapRef": {"name": "web"}}], "env": [{"name": "DATABASE_URL", "value": "postgres://a:b@pg.example.com:5432/d"}]}, objects) == set()
}

two(more, of_init) := found if {
	found := {f.message | some f in check.findings} with input as {"review": {"object": json.patch(made(object.union({"volumeMounts": [{"name": "ca", "mountPath": "/db-ssl"}]}, more)), [{"op": "add", "path": "/spec/template/spec/initContainers", "value": [object.union({"name": "wait", "image": "shop/web:1"}, of_init)]}])}, "inventory": {}}
}

with_ca := {"env": [{"name": "DATABASE_URL", "value": "postgres://a:b@pg/d?sslmode=verify-ca&sslrootcert=/db-ssl/ca.crt"}]}

test_certificates_that_another_container_mounts if {
	two(with_ca, with_ca) == {"DATABASE_URL of Deployment web names /db-ssl/ca.crt, which container web mounts and wait does not: the file is not there. Add the volumeMount of web to wait."}
	two(with_ca, {"env": [{"name": "PGHOST", "value": "pg"}, {"name": "PGSSLROOTCERT", "value": "/db-ssl/ca.crt"}]}) == {"PGSSLROOTCERT of Deployment web names /db-ssl/ca.crt, which container web mounts and wait does not: the file is not there. Add the volumeMount of web to wait."}
	two(with_ca, object.union(with_ca, {"volumeMounts": [{"name": "ca", "mountPath": "/db-ssl/ca.crt", "subPath": "ca.crt"}]})) == set()
	two(with_ca, {"env": [{"name": "DATABASE_URL", "value": "postgres://a:b@pg/d?sslrootcert=/etc/ssl/ca.crt"}]}) == set()
	two(with_ca, {"env": [{"name": "PGSSLROOTCERT", "value": "/db-ssl/ca.crt"}]}) == set()
}

harbor(image, more, objects) := said_beside(object.union({"image": image, "envFrom": [{"configMapRef": {"name": "core"}}]}, more), objects)

of_ibm(more) := {"ConfigMap": {"core": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "core", "namespace": "shop"}, "data": object.union({"POSTGRESQL_HOST": "c77.bv7c.databases.appdomain.cloud", "POSTGRESQL_SSLMODE": "verify-full"}, more)}}}

test_services_with_a_ca_of_their_own if {
	fault := {["error", "POSTGRESQL_SSLMODE of Deployment web is verify-full, and no certificate of IBM Cloud's own CA is there: \"certificate signed by unknown authority\". Mount the CA of the service and name it, or write require."]}
	core := "docker.io/bitnamilegacy/harbor-core:2.10.2"
	harbor(core, {}, of_ibm({})) == fault
	harbor(core, {}, {}) == set()
	harbor(core, {"command": ["harbor_core"]}, of_ibm({})) == set()
	harbor("example.com/harbor-core:2.10.2", {}, of_ibm({})) == set()
	every row in [{"POSTGRESQL_SSLMODE": "require"}, {"POSTGRESQL_HOST": "pg.example.com"}, {"PGSSLROOTCERT": "/x/a.crt"}, {"SSL_CERT_DIR": "/x"}] {
		harbor(core, {}, of_ibm(row)) == set()
	}
	every place in ["/harbor_cust_cert/ca.crt", "/etc/ssl/certs", "/opt/ca/x"] {
		harbor(core, {"volumeMounts": [{"name": "x", "mountPath": place}]}, of_ibm({})) == set()
	}
	every host in ["db-1.b.db.ondigitalocean.com:25060", "pg-1.aivencloud.com"] {
		count(of("grafana/grafana:12.2.0", {"GF_DATABASE_TYPE": "postgres", "GF_DATABASE_HOST": host, "GF_DATABASE_SSL_MODE": "verify-full"})) == 1
	}
	harbor(core, {"envFrom": [{"configMapRef": {"name": "core"}}, {"secretRef": {"name": "elsewhere"}}]}, of_ibm({})) == set()
}

test_names_of_another_image if {
	asked := {"POSTGRES_HOST": "pg", "POSTGRES_DB": "a", "POSTGRES_USER": "a", "POSTGRES_PASSWORD": "x"}
	{[level, substring(message, 13, -1)] | some [level, message] in of("lscr.io/linuxserver/nextcloud:30.0.2", {"POSTGRES_HOST": "pg"})} == {["warning", " of Deployment web is for another image: Nextcloud of linuxserver.io asks for the database in its first page, and takes SQLite where nobody says it there. Take the image nextcloud, or enter the database there."]}
	count(of("lscr.io/linuxserver/nextcloud:30.0.2", asked)) == 1
	of("lscr.io/linuxserver/nextcloud:30.0.2", {"TZ": "UTC"}) == set()
	of("nextcloud:30.0.2", asked) == set()
}

test_parts_that_postgrest_does_not_read if {
	parts := {"DB_HOST": "pg", "DB_USER": "app", "DB_NAME": "shop", "DB_PASSWORD": "x"}
	message := "DB_HOST of Deployment web is for another image: PostgREST reads PGRST_DB_URI or the variables of libpq, and looks for a server in its own container. Set PGRST_DB_URI to postgresql://USER:PASSWORD@HOST:5432/DATABASE."
	every image in ["bitnami/postgrest:11.2.2", "postgrest/postgrest:v12.2.3"] {
		of(image, object.remove(parts, ["DB_NAME"])) == {["error", message]}
	}
	every more in [{"PGRST_DB_URI": "postgresql://app:x@pg/shop"}, {"PGHOST": "pg"}] {
		of("bitnami/postgrest:11.2.2", object.union(parts, more)) == set()
	}
	of("bitnami/postgrest", parts) == set()
	said({"image": "postgrest/postgrest:v12.2.3", "args": ["/etc/postgrest.conf"], "env": [{"name": "DB_HOST", "value": "pg"}]}) == set()
	said({"image": "postgrest/postgrest:v12.2.3", "env": [{"name": "DB_HOST", "value": "pg"}], "envFrom": [{"secretRef": {"name": "elsewhere"}}]}) == set()
}

test_kinds_under_another_name if {
	every row in [
		["metabase/metabase:v0.49.6", {"MD_DB_TYPE": "postgres", "MD_DB_HOST": "pg"}, renamed("MD_DB_TYPE", "Metabase", "MB_DB_TYPE", "H2")],
		["n8nio/n8n:1.115.3", {"N8N_DATABASE_TYPE": "postgresdb", "N8N_DATABASE_POSTGRESDB_HOST": "pg"}, renamed("N8N_DATABASE_TYPE", "n8n", "DB_TYPE", "SQLite")],
		["grafana/grafana:12.2.0", {"GF_DB_TYPE": "postgres", "GF_DB_HOST": "pg"}, renamed("GF_DB_TYPE", "Grafana", "GF_DATABASE_TYPE", "SQLite")],
	] {
		of(row[0], row[1]) == {["error", row[2]]}
	}
	of("metabase/metabase:v0.49.6", {"MD_DB_TYPE": "postgres", "MB_DB_TYPE": "postgres", "MB_DB_HOST": "pg"}) == set()
}

test_certificates_of_another_machine if {
	laptop := "host=pg dbname=a user=b sslmode=verify-ca sslrootcert=/Users/me/ca.crt sslcert=/Users/me/tls.crt"
	message := "PGRST_DB_URI of Deployment web names /Users/me/ca.crt, and nothing is mounted there: \"root certificate file does not exist\". Mount the Secret with the certificates, and write the path of its mount."
	of("postgrest/postgrest:v12.2.3", {"PGRST_DB_URI": laptop}) == {["error", message]}
	count(of("shop/api:1", {"DATABASE_URL": "postgresql://a:b@pg/shop?sslmode=verify-full&sslrootcert=/Users/me/ca.crt"})) == 1
	{level | some [level, _] in of("shop/api:1", {"DATABASE_URL": "postgresql://a:b@pg/shop?sslmode=require&sslrootcert=/Users/me/ca.crt&sslcert=/Users/me/tls.crt"})} == {"warning"}
	of("shop/api:1", {"DATABASE_URL": "postgresql://a:b@pg/shop?sslmode=verify-full&sslrootcert=/certs/ca.crt"}) == set()
	of("postgrest/postgrest:v12.2.3", {"PGRST_DB_URI": "postgresql://a:b@pg/shop?sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt"}) == set()
	said({"image": "postgrest/postgrest:v12.2.3", "env": [{"name": "PGRST_DB_URI", "value": "postgresql://a:b@pg/shop?sslmode=verify-full&sslrootcert=/certs/ca.crt"}], "volumeMounts": [{"name": "certs", "mountPath": "/certs/"}]}) == set()
}

test_ports_behind_hosts if {
	of(keycloak, object.union(of_keycloak, {"KC_DB_URL_HOST": "10.70.81.70:5432"})) == {["error", "KC_DB_URL_HOST of Deployment web is 10.70.81.70:5432, and the program adds a port to it: it looks for a host of that name. Write 10.70.81.70, and the port into KC_DB_URL_PORT."]}
	temporal := {"DB": "postgres12", "POSTGRES_SEEDS": "pg.example.com:25060", "POSTGRES_USER": "a", "POSTGRES_PWD": "x"}
	count(of("temporalio/auto-setup:1.27.2", temporal)) == 1
	of("temporalio/auto-setup:1.27.2", object.union(temporal, {"POSTGRES_SEEDS": "pg.example.com"})) == set()

	# A script takes it to pieces, or an address goes before it.
	said({"image": "temporalio/auto-setup:1.27.2", "command": ["sh", "-c", "export DB_PORT=${POSTGRES_SEEDS#*:}; exec /etc/temporal/entrypoint.sh"], "env": [{"name": name, "value": value} | some name, value in temporal]}) == set()
	of(keycloak, object.union(of_keycloak, {"KC_DB_URL": "jdbc:postgresql://pg/kc", "KC_DB_URL_HOST": "pg:5432"})) == set()
}

of_grafana(tag, text) := {[f.severity, f.message] | some f in check.findings with input as {
	"review": {"object": object.union(made({"image": sprintf("grafana/grafana:%s", [tag]), "volumeMounts": [{"name": "c", "mountPath": "/etc/grafana/provisioning/datasources"}]}), {"spec": {"template": {"spec": {"volumes": [{"name": "c", "configMap": {"name": "c"}}]}}}})},
	"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"pg.yaml": text}}}}}}},
}}

test_databases_of_sources_of_data if {
	head := "datasources:\n  - name: Shop\n    type: postgres\n    url: pg:5432\n"
	beside := concat("", [head, "    database: shop\n    jsonData:\n      sslmode: disable\n"])
	of_grafana("12.2.0", beside) == {["warning", "A data source in pg.yaml of Deployment web has its database beside jsonData, where the pages of Grafana have not looked since 12.2 (\"no default database configured\"). Write it below jsonData."]}
	count(of_grafana("13.0.1", beside)) == 1
	of_grafana("12.1.1", beside) == set()
	of_grafana("12.2.0", concat("", [head, "    jsonData:\n      database: shop\n"])) == set()
	of_grafana("12.2.0", replace(beside, "type: postgres", "type: mysql")) == set()
}
