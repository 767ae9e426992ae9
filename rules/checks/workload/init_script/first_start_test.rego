package walguard.checks.workload.init_script_first_start_test

import data.walguard.checks.workload.init_script as check

begun(initdb, fields, maps) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": object.union({"bootstrap": {"initdb": initdb}}, fields),
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "prod"}, "data": data_of} | some name, data_of in maps}}}}},
}

early(field, statement) := begun({"database": "airflow", field: [statement]}, {"enableSuperuserAccess": true}, {})

test_database_that_is_not_there_yet if {
	early("postInitSQL", "GRANT CONNECT ON DATABASE airflow TO reader") == {{
		"message": "postInitSQL has GRANT DATABASE airflow, and there is no database airflow then (\"does not exist\"): the first start fails. Move it to postInitApplicationSQL.",
		"path": ["spec", "bootstrap", "initdb", "postInitSQL", 0],
		"severity": "error",
	}}
	{f.message | some f in early("postInitApplicationSQL", "alter database \"Shop\" set timezone to 'UTC'")} == {"postInitApplicationSQL has ALTER DATABASE Shop, and there is no database Shop then (\"does not exist\"): the first start fails. Create the database before that statement, in an entry of its own."}
	count(early("postInitTemplateSQL", "COMMENT ON DATABASE AIRFLOW IS 'x'")) == 1
	count(early("postInitSQL", "REVOKE ALL ON DATABASE airflow FROM public")) == 1
}

test_database_that_is_there if {
	every pair in [
		["postInitApplicationSQL", "GRANT CONNECT ON DATABASE airflow TO reader"],
		["postInitSQL", "ALTER DATABASE postgres SET timezone TO 'UTC'"],
		["postInitSQL", "-- GRANT CONNECT ON DATABASE airflow TO reader"],
		["postInitSQL", "DO $$ BEGIN EXECUTE 'ALTER DATABASE airflow SET a TO b'; END $$"],
		["postInitSQL", "GRANT SELECT ON pg_stat_activity TO reader"],
	] {
		early(pair[0], pair[1]) == set()
	}
	begun({"database": "airflow", "postInitSQL": ["CREATE DATABASE shop", "GRANT CONNECT ON DATABASE shop TO reader"]}, {"enableSuperuserAccess": true}, {}) == set()
	begun({"database": "${DATABASE}", "postInitSQL": ["GRANT CONNECT ON DATABASE airflow TO reader"]}, {"enableSuperuserAccess": true}, {}) == set()
}

owned(statements, fields) := begun({"database": "shop", "owner": "shop", "postInitApplicationSQL": statements}, fields, {})

test_what_belongs_to_the_superuser if {
	owned(["CREATE SCHEMA IF NOT EXISTS eventstore;\nCREATE TABLE eventstore.events (id int)"], {}) == {{
		"message": "postInitApplicationSQL creates table eventstore.events as postgres, and nothing there grants it to anybody: permission denied for shop, the owner of the database. Begin the SQL with SET ROLE shop, or give it to that role.",
		"path": ["spec", "bootstrap", "initdb", "postInitApplicationSQL", 0],
	}}
	{[f.severity, contains(f.message, "creates schema eventstore as postgres")] | some f in owned(["CREATE SCHEMA IF NOT EXISTS eventstore"], {})} == {["info", true]}
	count(owned(["create table if not exists public.items (id int)"], {"managed": {"roles": [{"name": "reader", "inRoles": ["pg_monitor"]}]}})) == 1
	{contains(f.message, "creates table shop.items as postgres") | some f in owned(["CREATE TABLE \"shop\".\"items\" (id int)"], {})} == {true}
	referring := {"database": "shop", "owner": "shop", "postInitApplicationSQLRefs": {"configMapRefs": [{"name": "sql", "key": "init.sql"}]}}
	{f.path | some f in begun(referring, {}, {"sql": {"init.sql": "CREATE TABLE items (id int);"}})} == {["data", "init.sql"]}

	# Another file may grant it.
	begun(object.union(referring, {"postInitApplicationSQLRefs": {"configMapRefs": [{"name": "sql", "key": "init.sql"}, {"name": "more", "key": "a.sql"}]}}), {}, {"sql": {"init.sql": "CREATE TABLE items (id int);"}}) == set()
}

test_what_belongs_to_others if {
	table := "CREATE TABLE items (id int)"
	every statements in [
		[table, "GRANT ALL ON ALL TABLES IN SCHEMA public TO shop"],
		[table, "ALTER TABLE items OWNER TO shop"],
		["CREATE SCHEMA eventstore AUTHORIZATION shop"],
		["SET ROLE shop", table],
		["CREATE EXTENSION pgcrypto"],
		["CREATE TEMP TABLE items (id int)"],
		["-- CREATE TABLE items (id int)"],
	] {
		owned(statements, {}) == set()
	}
	owned([table], {"enableSuperuserAccess": true}) == set()
	owned([table], {"managed": {"roles": [{"name": "shop", "superuser": true}]}}) == set()
	owned([table], {"managed": {"roles": [{"name": "shop", "inRoles": ["pg_write_all_data"]}]}}) == set()
	begun({"database": "shop", "owner": "postgres", "postInitApplicationSQL": [table]}, {}, {}) == set()
	begun({"database": "shop", "postInitSQL": ["CREATE SCHEMA items"]}, {}, {}) == set()
}

# What belongs to a database, made in another one.
misplaced(statements, spec) := {[object.get(f, "severity", "warning"), regex.replace(f.message, `^.* gets no (.*)\. Move it to postInitApplicationSQL\.$`, "$1")] |
	some f in begun(object.union({"database": "shop", "postInitSQL": statements}, {}), spec, {})
	contains(f.message, "postInitSQL runs in database postgres, so that shop")
}

test_made_in_another_database if {
	misplaced(["CREATE UNLOGGED TABLE IF NOT EXISTS app.items (id int)"], {}) == {["error", "table app.items"]}
	misplaced(["CREATE ROLE a; create table \"items\" (id int)"], {"enableSuperuserAccess": true}) == {["warning", "table items"]}
	misplaced(["ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader"], {}) == {["warning", "default privileges"]}
	misplaced(["GRANT USAGE, CREATE ON SCHEMA public TO api"], {}) == {["warning", "rights of api in schema public"]}
	misplaced(["GRANT SELECT ON ALL TABLES IN SCHEMA public TO \"api\""], {}) == {["warning", "rights of api in schema public"]}
}

test_at_home_in_another_database if {
	every statements in [
		["GRANT ALL ON SCHEMA public TO shop"],
		["CREATE SCHEMA datadog", "GRANT USAGE ON SCHEMA public TO datadog", "GRANT pg_monitor TO datadog"],
		["-- CREATE TABLE items (id int)"],
		["CREATE TABLE ${NAME} (id int)"],
		["DO $$ BEGIN CREATE TABLE items (id int); END $$"],
	] {
		misplaced(statements, {}) == set()
	}
	begun({"database": "postgres", "owner": "app", "postInitSQL": ["CREATE TABLE items (id int)"]}, {}, {}) == set()
}

# The same by psql.
initial(kind, text, users) := {f.message | some f in found; f.severity == "info"} if {
	group := {"PostgresCluster": "postgres-operator.crunchydata.com/v1beta1", "PerconaPGCluster": "pgv2.percona.com/v2"}[kind]
	found := check.findings with input as {
		"review": {"object": {"apiVersion": group, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"postgresVersion": 17, "instances": [{"name": "main"}], "databaseInitSQL": {"name": "init", "key": "init.sql"}}, users)}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"init.sql": text}}}}}}},
	}
}

test_tables_of_the_initial_sql if {
	every kind in ["PostgresCluster", "PerconaPGCluster"] {
		initial(kind, "\\set ON_ERROR_STOP on\n\\c orders\nCREATE TABLE items (id int);\n", {}) == {"databaseInitSQL creates table items in orders as postgres, and nothing there grants it to anybody: permission denied for the users of spec.users. Write SET ROLE orders behind \\c, or give it to that user."}
	}
	count(initial("PostgresCluster", "\\connect shop;\ncreate schema if not exists app;", {"users": [{"name": "shop", "databases": ["shop"]}]})) == 1
	every text in [
		"\\c orders\nCREATE TABLE items (id int);\nGRANT ALL ON items TO orders;",
		"\\c orders\nSET ROLE orders;\nCREATE TABLE items (id int);",
		"\\c orders orders\nCREATE TABLE items (id int);",
		"\\c orders\n\\i more.sql\nCREATE TABLE items (id int);",
		"\\c other\nCREATE TABLE items (id int);",
		"\\c orders\nCREATE EXTENSION hstore;",
	] {
		initial("PostgresCluster", text, {}) == set()
	}
	initial("PostgresCluster", "\\c shop\nCREATE TABLE items (id int);", {"users": [{"name": "shop", "databases": ["shop"], "options": "SUPERUSER"}]}) == set()
	initial("PostgresCluster", "\\c shop\nCREATE TABLE items (id int);", {"users": [{"name": "shop", "databases": ["shop"]}, {"name": "postgres"}]}) == set()
	initial("PostgresCluster", "\\c shop\nCREATE TABLE items (id int);", {"users": [{"name": "${USER}", "databases": ["shop"]}]}) == set()
}
