package walguard.operators.workload_statements_test

import data.walguard.checks.access.database_not_created
import data.walguard.checks.parameters.ignored
import data.walguard.checks.workload.init_script

plain(image, env, pod, init) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": {
		"serviceName": "db",
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": object.union(
			{
				"containers": [{
					"name": "postgres",
					"image": image,
					"env": array.concat([{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}], [{"name": name, "value": value} | some name, value in env]),
					"volumeMounts": [{"name": "data", "mountPath": mounted_at(image)}, {"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}],
				}],
				"volumes": [{"name": "init", "configMap": object.union({"name": "init"}, init)}],
			},
			pod,
		)},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
	},
}

mounted_at(image) := "/bitnami/postgresql" if contains(image, "bitnami")

mounted_at(image) := "/var/lib/postgresql/data" if not contains(image, "bitnami")

objects(script) := {"namespace": {"shop": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "shop"}, "data": script}}}}}}

read(made, script) := {[object.get(f, "severity", "warning"), f.message] |
	some f in init_script.findings with input as {"review": {"object": made}, "inventory": objects(script)}
}

said(env, script) := {message | some [_, message] in read(plain("postgres:17.6", env, {}, {}), {"a.sh": script})}

ends := "the first start ends there, and later ones pass over all scripts"

test_host if {
	said({}, "psql -h localhost -c 'select 1'") == {sprintf("The script calls psql with host localhost, and while scripts run the server listens on its socket alone: %s. Leave the host out.", [ends])}
	said({"PGHOST": "db"}, "createdb app") == {sprintf("The script calls createdb with host db, and while scripts run the server listens on its socket alone: %s. Leave the host out.", [ends])}
	every script in [
		"psql -h /var/run/postgresql -c 'select 1'",
		"psql -c 'select 1'",
		"(sleep 30; psql -h localhost -c 'select 1') &",
		"until psql -h localhost -c 'select 1'; do sleep 1; done",
		"psql -h localhost -c 'select 1' || true",
		"# psql -h localhost",
		"pg_ctl start -o \"-c listen_addresses='*'\"\npsql -h localhost -c 'select 1'",
	] {
		said({}, script) == set()
	}
	said({"PGHOST": "/tmp"}, "createdb app") == set()
	count(read(plain("registry.example.com/own:17.6", {"PGDATA": "/var/lib/postgresql/data"}, {}, {}), {"a.sh": "psql -h localhost -c 'select 1'"})) == 0
}

test_program_of_its_own if {
	message := "The script calls psql with host localhost, and while scripts run the server listens on its socket alone: what it is to make is missing. Leave the host out."
	read(plain("postgres:17.6", {}, {}, {"defaultMode": 493}), {"a.sh": "psql -h localhost -c 'select 1'"}) == {["error", message]}
	every script in ["#!/bin/sh -e\npsql -h localhost -c 'select 1'", "set -eu\npsql -h localhost -c 'select 1'"] {
		count([1 | some [_, told] in read(plain("postgres:17.6", {}, {}, {"defaultMode": 493}), {"a.sh": script}); contains(told, ends)]) == 1
	}
}

# A variable that nobody here can read may name the user.
test_user_that_is_not_known if {
	hidden := object.union(plain("postgres:17.6", {"POSTGRES_USER": "app"}, {}, {}), {})
	count(read(hidden, {"a.sh": "psql -c 'select 1'"})) > 0
	asked := json.patch(hidden, [{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "PGUSER", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}}])
	read(asked, {"a.sh": "psql -c 'select 1'"}) == set()
}

test_user_and_database if {
	nobody := sprintf("The script calls psql without a user, so that it logs in as postgres, and the image makes app alone: %s. Add --username \"$POSTGRES_USER\" --dbname \"$POSTGRES_DB\".", [ends])
	said({"POSTGRES_USER": "app"}, "psql -c 'select 1'") == {nobody}
	said({"POSTGRES_USER": "app"}, "psql <<EOSQL\nselect 1;\nEOSQL") == {nobody}
	elsewhere := sprintf("The script calls psql as app without a database, so that it asks for database app, and the image makes shop: %s. Add --dbname \"$POSTGRES_DB\".", [ends])
	every script in ["psql -v ON_ERROR_STOP=1 --username \"$POSTGRES_USER\" <<-EOSQL", "psql -U app -c 'select 1'", "psql -U ${POSTGRES_USER} -f /tmp/a.sql"] {
		said({"POSTGRES_USER": "app", "POSTGRES_DB": "shop"}, script) == {elsewhere}
	}
	every script in [
		"psql -U app -d shop -c 'select 1'",
		"psql --username \"$POSTGRES_USER\" \"$POSTGRES_DB\" -c 'select 1'",
		"psql postgresql:///shop?user=app -c 'select 1'",
		"export PGUSER=app PGDATABASE=shop\npsql -c 'select 1'",
		"psql -U other -c 'select 1'",
		"createdb -U app app\npsql -U app -c 'select 1'",
	] {
		said({"POSTGRES_USER": "app", "POSTGRES_DB": "shop"}, script) == set()
	}
	said({"POSTGRES_USER": "app"}, "psql -U app -c 'select 1'") == set()
	said({"POSTGRES_USER": "app", "PGUSER": "app"}, "psql -c 'select 1'") == set()
	said({}, "psql -c 'select 1'") == set()
	said({"POSTGRES_USER": "postgres"}, "psql -c 'select 1'") == set()
	count(read(plain("postgres:17.6", {"POSTGRES_USER": "app"}, {}, {}), {"a.sh": "psql -c 'select 1'", "b.sql": "CREATE ROLE postgres SUPERUSER LOGIN;"})) == 0
	count(read(plain("postgres:17.6", {"POSTGRES_USER": "app"}, {"securityContext": {"runAsUser": 5000, "fsGroup": 5000}}, {}), {"a.sh": "psql -c 'select 1'"})) == 0
}

test_packages if {
	every manager in ["apt-get", "apk", "yum"] {
		verb := {"apt-get": "update", "apk": "add --no-cache curl", "yum": "-y install curl"}[manager]
		said({}, sprintf("%s %s", [manager, verb])) == {sprintf("The script runs %s, for which it must be root, and the image runs scripts as postgres: %s. Build an image with the packages.", [manager, ends])}
	}
	every script in ["sudo apt-get update", "apt-get update || true", "echo apt-get install", "if [ $(id -u) = 0 ]; then\napt-get update\nfi"] {
		said({}, script) == set()
	}
	read(plain("bitnami/postgresql:17.6.0", {"POSTGRESQL_USERNAME": "postgres"}, {}, {}), {"a.sh": "apt-get install -y gcc"}) == {["warning", "The script runs apt-get, and what it installs is in the container alone: scripts run on the first start only, and the next container lacks it. Build an image with the packages."]}
}

test_line_ends if {
	said({}, "set -e\r\necho a\r\n") == {sprintf("The lines of the script end as Windows has them, and the shell takes the carriage return for a part of each command: %s. Save it with LF alone (dos2unix).", [ends])}
	count(read(plain("postgres:17.6", {}, {}, {}), {"a.sql": "SELECT 1;\r\n"})) == 0
}

test_statements_of_other_databases if {
	of_docker("CREATE DATABASE IF NOT EXISTS a;") == {["error", sprintf("PostgreSQL has no CREATE DATABASE IF NOT EXISTS, which is a syntax error: %s. Write CREATE DATABASE alone: scripts run once, on an empty volume.", [ends])]}
	of_docker("create user if not exists a;") == {["error", sprintf("PostgreSQL has no create user if not exists, which is a syntax error: %s. Write CREATE ROLE alone: scripts run once, on an empty volume.", [ends])]}
	of_docker("USE shop;") == {["error", sprintf("PostgreSQL has no USE shop, which is a syntax error: %s. Write \\connect and the name of the database.", [ends])]}
	of_docker("CREATE USER a IDENTIFIED BY 'b';") == {["error", sprintf("CREATE USER a IDENTIFIED BY is of MySQL, which is a syntax error: %s. Write CREATE USER name PASSWORD 'password', and no FLUSH PRIVILEGES.", [ends])]}
	of_docker("FLUSH PRIVILEGES;") == {["error", sprintf("FLUSH PRIVILEGES is of MySQL, which is a syntax error: %s. Write CREATE USER name PASSWORD 'password', and no FLUSH PRIVILEGES.", [ends])]}
	read(plain("bitnami/postgresql:17.6.0", {"POSTGRESQL_USERNAME": "postgres"}, {}, {}), {"a.sql": "CREATE DATABASE IF NOT EXISTS a;"}) == {["warning", "PostgreSQL has no CREATE DATABASE IF NOT EXISTS, which is a syntax error, and what it is to make is missing. Write CREATE DATABASE alone: scripts run once, on an empty volume."]}
	every text in [
		"-- CREATE DATABASE IF NOT EXISTS a;",
		"CREATE TABLE IF NOT EXISTS a (b int);",
		"DO $$\nBEGIN\nCREATE ROLE IF NOT EXISTS a;\nEND $$;",
		"CREATE EXTENSION IF NOT EXISTS pg_trgm;",
		"SELECT 'use it';",
	] {
		of_docker(text) == set()
	}
}

test_roles_as_application if {
	read(plain("bitnami/postgresql:17.6.0", {"POSTGRESQL_USERNAME": "app", "POSTGRESQL_DATABASE": "app"}, {}, {}), {"a.sql": "CREATE USER b PASSWORD 'c';"}) == {["warning", "The image runs this as user app, who may not create roles. Set POSTGRESQL_INITSCRIPTS_USERNAME to postgres, with its password in POSTGRESQL_INITSCRIPTS_PASSWORD."]}
	count(read(plain("bitnami/postgresql:17.6.0", {"POSTGRESQL_USERNAME": "app", "POSTGRESQL_DATABASE": "app"}, {}, {}), {"a.sql": "CREATE DATABASE b;"})) == 0
	count(read(plain("bitnami/postgresql:17.6.0", {"POSTGRESQL_USERNAME": "app", "POSTGRESQL_DATABASE": "app", "POSTGRESQL_INITSCRIPTS_USERNAME": "postgres"}, {}, {}), {"a.sql": "CREATE USER b PASSWORD 'c';"})) == 0
}

test_modes if {
	every mode, shown in {256: "0400", 288: "0440", 384: "0600"} {
		read(plain("postgres:17.6", {}, {}, {"defaultMode": mode}), {"a.sql": "SELECT 1;"}) == {["error", sprintf("The files at /docker-entrypoint-initdb.d have mode %s and belong to root, and the image reads scripts as postgres: %s. Leave defaultMode out.", [shown, ends])]}
	}
	every mode in [292, 420, 493] {
		count(read(plain("postgres:17.6", {}, {}, {"defaultMode": mode}), {"a.sql": "SELECT 1;"})) == 0
	}
	count(read(plain("postgres:17.6", {}, {"securityContext": {"fsGroup": 999}}, {"defaultMode": 256}), {"a.sql": "SELECT 1;"})) == 0
}

test_one_name if {
	told("postgres:17.6", {"POSTGRES_DB": "a,b"}) == {"POSTGRES_DB names one database, and the image makes one that is called \"a,b\". Name one there, and create the others in a script of /docker-entrypoint-initdb.d."}
	told("postgres:17.6", {"POSTGRES_USER": "a; b"}) == {"POSTGRES_USER names one role, and the image makes one that is called \"a; b\". Name one there, and create the others in a script of /docker-entrypoint-initdb.d."}
	told("bitnami/postgresql:17.6.0", {"POSTGRESQL_DATABASE": "a,b"}) == {"POSTGRESQL_DATABASE names one database, and the image makes one that is called \"a,b\". Name one there, and create the others in a script of /docker-entrypoint-initdb.d."}
	told("postgres:17.6", {"POSTGRES_DB": "a-b"}) == set()
	told("registry.example.com/own:17.6", {"POSTGRES_DB": "a,b", "PGDATA": "/var/lib/postgresql/data"}) == set()
}

test_list_of_databases if {
	told_of_list("echo") == {"POSTGRES_MULTIPLE_DATABASES has no effect here: the image makes one database, POSTGRES_DB, and others only by a script in /docker-entrypoint-initdb.d."}
	told_of_list("for d in ${POSTGRES_MULTIPLE_DATABASES}; do createdb $d; done") == set()
}

of_docker(text) := {[level, message] | some [level, message] in read(plain("postgres:17.6", {}, {}, {}), {"a.sql": text})}

told(image, env) := {f.message | some f in database_not_created.findings with input as {"review": {"object": plain(image, env, {}, {})}, "inventory": objects({"a.sql": "SELECT 1;"})}}

told_of_list(script) := {f.message | some f in ignored.findings with input as {"review": {"object": plain("postgres:17.6", {"POSTGRES_MULTIPLE_DATABASES": "a,b"}, {}, {})}, "inventory": objects({"a.sh": script})}}

sql_of(image, text) := read(plain(image, {"POSTGRESQL_USERNAME": "postgres"}, {}, {}), {"a.sql": text})

test_variables_of_psql if {
	sql_of("postgres:17.6", "CREATE ROLE app LOGIN PASSWORD :password;") == {["error", sprintf(":password is a variable of psql, and the image sets none for files of SQL: a syntax error: %s. Write a script that ends in .sh and calls psql -v.", [ends])]}
	sql_of("postgres:17.6", "GRANT ALL ON DATABASE :\"db\" TO a;") == {["error", sprintf(":\"db\" is a variable of psql, and the image sets none for files of SQL: a syntax error: %s. Write a script that ends in .sh and calls psql -v.", [ends])]}
	sql_of("bitnami/postgresql:17.6.0", "ALTER USER a PASSWORD :'p';") == {["warning", ":'p' is a variable of psql, and the image sets none for files of SQL: a syntax error, and what it is to make is missing. Write a script that ends in .sh and calls psql -v."]}
	every text in ["\\set p x\nALTER USER a PASSWORD :'p';", "SELECT 'to :x ';", "-- to :x\nSELECT 1;", "SELECT 1::int;"] {
		sql_of("postgres:17.6", text) == set()
	}
	read(plain("postgres:17.6", {}, {}, {}), {"a.sh": "psql -v p=x -U postgres -d postgres <<E\nALTER USER a PASSWORD :p\nE"}) == set()
}

supabase(script) := {f.severity | some f in init_script.findings with input as {"review": {"object": plain("supabase/postgres:15.8.1.060", {}, {}, {})}, "inventory": objects({"a.sql": script})}; contains(f.message, "hides")}

# Its migrations make the roles that such a script changes.
test_roles_of_supabase if {
	supabase("ALTER USER authenticator WITH PASSWORD 'x';") == {"error"}
	count({f | some f in init_script.findings with input as {"review": {"object": plain("supabase/postgres:15.8.1.060", {}, {}, {})}, "inventory": objects({"a.sql": "SELECT 1;"})}; contains(f.message, "hides"); not f.severity}) == 1
}

below(image, at) := {f.message |
	some f in init_script.findings with input as {
		"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "shop"}, "spec": {
			"containers": [{"name": "postgres", "image": image, "env": [{"name": "POSTGRES_PASSWORD", "value": "x"}], "volumeMounts": [{"name": "init", "mountPath": at, "subPath": "a.sql"}]}],
			"volumes": [{"name": "init", "configMap": {"name": "init"}}],
		}}},
		"inventory": objects({"a.sql": "SELECT 1;"}),
	}
}

test_directories_that_supabase_reads if {
	below("supabase/postgres:15.8.1.060", "/docker-entrypoint-initdb.d/init-scripts/a.sql") == set()
	count(below("supabase/postgres:15.8.1.060", "/docker-entrypoint-initdb.d/other/a.sql")) == 1
	count(below("postgres:17.6", "/docker-entrypoint-initdb.d/init-scripts/a.sql")) == 1
}
