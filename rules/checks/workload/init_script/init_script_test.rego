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

cluster(initdb, objects) := {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "bootstrap": {"initdb": initdb}},
	}},
	"inventory": {"namespace": {"prod": objects}},
}

by_cnpg(initdb) := {[f.message, object.get(f, "severity", "warning")] | some f in found} if found := check.findings with input as cluster(initdb, {})

test_command_of_psql if {
	check.findings == {{
		"message": "postInitSQL has \\connect, a command of psql, and the operator does not use psql: the first start fails. Write SQL; what is for the database of the application goes into postInitApplicationSQL.",
		"path": ["spec", "bootstrap", "initdb", "postInitSQL", 1],
		"severity": "error",
	}} with input as cluster({"postInitSQL": ["CREATE DATABASE mydb;", "\\connect mydb"]}, {})
	count(by_cnpg({"postInitApplicationSQL": ["SELECT 'CREATE ROLE a'\n\\gexec"]})) == 1
	count(by_cnpg({"postInitApplicationSQL": ["SELECT 'CREATE ROLE a' \\gexec"]})) == 1
}

dump(text) := {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"dump.sql": text}}}}}

test_dump_of_psql if {
	refs := {"postInitApplicationSQLRefs": {"configMapRefs": [{"name": "init", "key": "dump.sql"}]}}
	check.findings == {{
		"message": "dump.sql of ConfigMap init has COPY … FROM stdin with its rows, which only psql can send: the first start fails. Write INSERT, or load the dump when the cluster runs.",
		"path": ["data", "dump.sql"],
		"resource": reference,
		"severity": "error",
	}} with input as cluster(refs, dump("COPY public.a (b) FROM stdin;\n1\n\\.\n"))
	check.findings == set() with input as cluster(refs, dump("CREATE TABLE a (b text);\nINSERT INTO a VALUES (E'\\x41');"))
	check.findings == set() with input as cluster(refs, {})
}

test_database_beside_others if {
	by_cnpg({"postInitSQL": ["CREATE ROLE a; -- first\ncreate database b owner a;"]}) == {[
		"postInitSQL has CREATE DATABASE beside other statements, which run in one transaction: PostgreSQL refuses that, and the first start fails. Give the statement an entry of its own.",
		"error",
	]}
	by_cnpg({"postInitSQL": ["CREATE ROLE a;", "CREATE DATABASE b OWNER a;", "ALTER SYSTEM SET work_mem = '8MB'"]}) == set()
	by_cnpg({"postInitSQL": ["DO $$ BEGIN CREATE ROLE a; END $$; CREATE DATABASE b"]}) == set()
}

test_extension_in_postgres if {
	by_cnpg({"database": "shop", "postInitSQL": ["CREATE EXTENSION IF NOT EXISTS \"uuid-ossp\";"]}) == {[
		"postInitSQL runs in database postgres, so that shop, the database of the application, gets no extension uuid-ossp. Move it to postInitApplicationSQL.",
		"warning",
	]}
	{found[1] | some found in by_cnpg({"database": "shop", "postInitSQL": ["CREATE EXTENSION postgis"]})} == {"error"}
	{found[1] | some found in by_cnpg({"postInitSQL": ["CREATE EXTENSION vector"]})} == {"warning"}
	by_cnpg({"postInitSQL": ["CREATE EXTENSION vector"], "postInitApplicationSQL": ["CREATE EXTENSION vector"]}) == set()
	by_cnpg({"postInitSQL": ["CREATE EXTENSION vector"], "database": "postgres"}) == set()
	by_cnpg({"postInitSQL": ["CREATE EXTENSION dblink"]}) == set()
	objects := {"postgresql.cnpg.io/v1": {"Database": {"shop": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Database",
		"metadata": {"name": "shop", "namespace": "prod"},
		"spec": {"name": "shop", "extensions": [{"name": "vector"}]},
	}}}}
	check.findings == set() with input as cluster({"postInitSQL": ["CREATE EXTENSION vector"]}, objects)
}

# The application may create a database of its own with the superuser's password.
as_superuser(initdb) := {object.get(f, "severity", "warning") | some f in found} if {
	found := check.findings with input as json.patch(cluster(initdb, {}), [{"op": "add", "path": "/review/object/spec/enableSuperuserAccess", "value": true}])
}

test_extension_and_a_superuser if {
	as_superuser({"postInitSQL": ["CREATE EXTENSION vchord"]}) == {"info"}
	as_superuser({"postInitSQL": ["CREATE EXTENSION vchord"], "database": "immich"}) == {"warning"}
	of_superuser := json.patch(cluster({"postInitSQL": ["CREATE EXTENSION vchord"], "database": "immich"}, {}), [{"op": "add", "path": "/review/object/spec/managed", "value": {"roles": [{"name": "immich", "superuser": true}]}}])
	{object.get(f, "severity", "warning") | some f in check.findings} == {"warning"} with input as of_superuser
}

by_cnpg_with(sql, postgresql) := {[f.message, f.path] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 3, "bootstrap": {"initdb": {"postInitApplicationSQL": [sql]}}, "postgresql": postgresql},
	}}}
}

# A superuser creates its own, and who names no database may have another one.
test_extension_in_postgres_of_a_superuser if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 3, "enableSuperuserAccess": true, "bootstrap": {"initdb": {"postInitSQL": ["CREATE EXTENSION vector"]}}},
	}}}
	{f.severity | some f in found} == {"info"}
}

test_extension_that_is_dropped if {
	path := ["spec", "bootstrap", "initdb", "postInitApplicationSQL", 0]
	by_cnpg_with("CREATE EXTENSION pg_stat_statements", {"parameters": {"work_mem": "8MB"}, "shared_preload_libraries": ["pg_stat_statements"]}) == {[
		"CloudNativePG drops pg_stat_statements again: it keeps an extension that it manages only while a parameter of its own is set, and none begins with pg_stat_statements. Set pg_stat_statements.track: top among the parameters, with which the operator loads and creates it, and take the statement out.",
		path,
	]}
	{p | some [_, p] in by_cnpg_with("CREATE EXTENSION pgaudit", {"shared_preload_libraries": ["pgaudit"]})} == {path}
	by_cnpg_with("CREATE EXTENSION pg_stat_statements", {"parameters": {"pg_stat_statements.max": "1000"}}) == set()
	by_cnpg_with("CREATE EXTENSION pg_stat_statements", {"parameters": {"${NAME}": "1000"}}) == set()

	# It fails where its library is not loaded (parameters/preload_missing).
	by_cnpg_with("CREATE EXTENSION pgaudit", {}) == set()
}

test_pg_cron_in_another_database if {
	path := ["spec", "bootstrap", "initdb", "postInitApplicationSQL", 0]
	loaded := {"shared_preload_libraries": ["pg_cron"]}
	by_cnpg_with("CREATE EXTENSION IF NOT EXISTS pg_cron;", loaded) == {[
		"postInitApplicationSQL creates pg_cron in database app, and it can be created in the one that cron.database_name says alone, postgres: the first start fails. Set cron.database_name: app among the parameters.",
		path,
	]}
	by_cnpg_with("CREATE EXTENSION pg_cron", object.union(loaded, {"parameters": {"cron.database_name": "app"}})) == set()
	by_cnpg_with("CREATE EXTENSION pg_cron", object.union(loaded, {"parameters": {"cron.database_name": "${DATABASE}"}})) == set()
	by_cnpg_with("CREATE EXTENSION pg_cron", object.union(loaded, {"parameters": {"${NAME}": "app"}})) == set()
	by_cnpg_with("-- CREATE EXTENSION pg_cron", loaded) == set()
	by_cnpg_with("DO $$ BEGIN IF current_database() = 'postgres' THEN CREATE EXTENSION pg_cron; END IF; END $$", loaded) == set()
	by_cnpg_with("CREATE EXTENSION pg_cron", {}) == set()
}

over(image, scripts) := {f.message |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "postgres", "image": image, "volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}],
				"volumes": [{"name": "init", "configMap": {"name": "init"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": scripts}}}}}},
	}
	some f in found
}

test_scripts_of_the_image_hidden if {
	over("timescale/timescaledb:2.17.2-pg16", {"schema.sql": "CREATE TABLE t (i int);"}) == {"What is mounted at /docker-entrypoint-initdb.d hides the image's own scripts, so that TimescaleDB is not set up in the new database. Mount each script at /docker-entrypoint-initdb.d/NAME by subPath."}
	count(over("postgis/postgis:17-3.5", {"schema.sql": "CREATE TABLE t (i int);"})) == 1
}

test_scripts_of_the_image_not_needed if {
	over("timescale/timescaledb:2.17.2-pg16", {"schema.sql": "CREATE EXTENSION IF NOT EXISTS timescaledb;"}) == set()
	over("postgis/postgis:17-3.5", {"schema.sql": "CREATE EXTENSION postgis;"}) == set()
	over("postgres:17", {"schema.sql": "CREATE TABLE t (i int);"}) == set()
	over("timescale/timescaledb:2.17.2-pg16", {}) == set()
}

test_names_in_quotes if {
	check.findings == {{
		"message": "CREATE USER 'shop' puts a name in the quotes of a string, which is a syntax error: the first start ends there, and later ones pass over all scripts. Write the name bare or in double quotes.",
		"path": ["data", "a.sql"],
		"resource": reference,
		"severity": "error",
	}} with input as pod("postgres:17", entry, {}, {"a.sql": "SELECT 1;\nCREATE USER 'shop' WITH PASSWORD 'x';"})
	in_shell := check.findings with input as pod("postgres:17", entry, {}, {"a.sh": "psql -v ON_ERROR_STOP=1 <<-EOSQL\n\tGRANT ALL PRIVILEGES ON DATABASE shop TO '$APP';\nEOSQL"})
	count(in_shell) == 1
	other := check.findings with input as pod("postgres:17", entry, {}, {"a.sh": "psql -c 'CREATE USER '$APP", "c.sh": "psql -v name=x <<E\nCREATE ROLE :\"name\" PASSWORD 'x';\nE", "b.sql": "-- CREATE USER 'a'\nCREATE DATABASE \"shop\";\nCOMMENT ON DATABASE shop IS 'ours';"})
	other == set()
}

test_names_in_quotes_of_kubegres if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"replicas": 2, "image": "postgres:17.6", "customConfig": "init"}}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {
			"apiVersion": "v1",
			"kind": "ConfigMap",
			"metadata": {"name": "init", "namespace": "prod"},
			"data": {"primary_init_script.sh": "psql <<-EOSQL\nCREATE DATABASE '$DB';\nEOSQL"},
		}}}}}},
	}
	{f.path | some f in found} == {["data", "primary_init_script.sh"]}
}

test_hyphen_in_a_name if {
	check.findings == {{
		"message": "CREATE EXTENSION IF NOT EXISTS uuid-ossp has a hyphen in a name without quotes, which is a syntax error: the first start ends there, and later ones pass over all scripts. Put the name into double quotes.",
		"path": ["data", "a.sql"],
		"resource": reference,
		"severity": "error",
	}} with input as pod("postgres:17", entry, {}, {"a.sql": "CREATE EXTENSION IF NOT EXISTS uuid-ossp;"})
	check.findings == set() with input as pod("postgres:17", entry, {}, {"a.sql": "CREATE EXTENSION IF NOT EXISTS \"uuid-ossp\";"})
}

test_syntax_of_others_in_cloudnativepg if {
	by_cnpg({"postInitSQL": ["CREATE ROLE IF NOT EXISTS app"]}) == {["postInitSQL: PostgreSQL has no CREATE ROLE IF NOT EXISTS, which is a syntax error, and the first start fails. Write CREATE ROLE alone: scripts run once, on an empty volume.", "error"]}
	by_cnpg({"postInitApplicationSQL": ["CREATE EXTENSION uuid-ossp;"]}) == {["postInitApplicationSQL: CREATE EXTENSION uuid-ossp has a hyphen in a name without quotes, which is a syntax error, and the first start fails. Put the name into double quotes.", "error"]}
	by_cnpg({"postInitSQL": ["CREATE USER 'app'"]}) == {["postInitSQL: CREATE USER 'app' puts a name in the quotes of a string, which is a syntax error, and the first start fails. Write the name bare or in double quotes.", "error"]}
	count(by_cnpg({"postInitSQL": ["CREATE USER 'app';\n\\connect app"]})) == 1
	by_cnpg({"postInitApplicationSQL": ["CREATE EXTENSION \"uuid-ossp\";"]}) == set()
	by_cnpg({"postInitApplicationSQL": ["${EXTENSIONS}"]}) == set()
}

test_syntax_of_others_in_kubegres if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"replicas": 2, "image": "postgres:17.6", "customConfig": "init"}}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {
			"apiVersion": "v1",
			"kind": "ConfigMap",
			"metadata": {"name": "init", "namespace": "prod"},
			"data": {"primary_init_script.sh": "psql <<-EOSQL\nCREATE DATABASE IF NOT EXISTS shop;\nEOSQL"},
		}}}}}},
	}
	{f.message | some f in found} == {"PostgreSQL has no CREATE DATABASE IF NOT EXISTS, which is a syntax error: the first start ends there, and later ones pass over all scripts. Write CREATE DATABASE alone: scripts run once, on an empty volume."}
}

initial(kind, users, sql) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": object.union(
			{
				"Crunchy": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster"},
				"Percona": {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster"},
			}[kind],
			{"metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"postgresVersion": 17, "instances": [{"name": "main"}], "databaseInitSQL": {"name": "init", "key": "init.sql"}}, users)},
		)},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"init.sql": sql}}}}}}},
	}
}

of(databases) := {"users": [{"name": "shop", "databases": databases}]}

test_sql_of_the_operators_in_postgres if {
	initial("Crunchy", of(["shop", "stock"]), "CREATE ROLE r;\nCREATE TABLE IF NOT EXISTS t (i int);\n") == {"databaseInitSQL runs in database postgres until it says \\c, so that table t is created there and not in shop or stock. Begin the SQL with \\c shop."}
	initial("Percona", {}, "create extension if not exists hstore;") == {"databaseInitSQL runs in database postgres until it says \\c, so that extension hstore is created there and not in orders. Begin the SQL with \\c orders."}
	initial("Percona", {}, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;") == {"databaseInitSQL runs in database postgres until it says \\c, so that schemas and their privileges are changed there and not in orders. Begin the SQL with \\c orders."}
	count(initial("Percona", {}, "CREATE EXTENSION vector;\n\\c orders\nCREATE TABLE t(); ALTER TABLE t OWNER TO orders;")) == 1
}

test_sql_of_the_operators_elsewhere if {
	initial("Crunchy", of(["shop"]), "\\c shop\nSET ROLE shop;\nCREATE TABLE t (i int);\n") == set()
	initial("Crunchy", of(["shop"]), "CREATE ROLE r;\n  \\connect shop\nCREATE EXTENSION hstore;\n") == set()
	initial("Crunchy", of(["shop"]), "-- CREATE TABLE t();\nCREATE DATABASE d;\nGRANT CONNECT ON DATABASE d TO r;\nALTER ROLE r SET x = 1;\nCREATE EXTENSION pg_stat_statements;") == set()
	initial("Crunchy", of(["postgres"]), "CREATE TABLE t();") == set()
	initial("Crunchy", {"users": []}, "CREATE TABLE t();") == set()
	initial("Crunchy", of(["${DATABASE}"]), "CREATE TABLE t();") == set()
	initial("Crunchy", of(["shop"]), "${SQL}") == set()
}

# The image of Kartoza keeps a lock file beside the scripts.
test_lock_file if {
	check.findings == {{
		"message": "The image writes a lock file into /docker-entrypoint-initdb.d, and what is mounted there cannot be written to: \"Read-only file system\". Mount the scripts one by one with subPath, or set SCRIPTS_LOCKFILE_DIR to a directory of the volume.",
		"severity": "error",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts"],
	}} with input as pod("kartoza/postgis:17-3.5", entry, {"POSTGRES_PASS": "x"}, {"roles.sql": "SELECT 1;"})
	check.findings == set() with input as pod("kartoza/postgis:17-3.5", entry, {"SCRIPTS_LOCKFILE_DIR": "/settings"}, {"roles.sql": "SELECT 1;"})
	check.findings == set() with input as pod("kartoza/postgis:16-3.4--2024.03.17", entry, {}, {"roles.sql": "SELECT 1;"})
	check.findings == set() with input as pod("postgres:17.6", entry, {}, {"roles.sql": "SELECT 1;"})
}

strict := "\\set ON_ERROR_STOP on\n\\c shop\nCREATE ROLE reader;\n"

restored_from(source, sql) := initial("Crunchy", {"users": [{"name": "shop", "databases": ["shop"]}], "dataSource": source}, sql)

test_sql_of_a_restored_cluster if {
	count(restored_from({"postgresCluster": {"clusterName": "old"}}, "\\set ON_ERROR_STOP\n\\c shop\nCREATE ROLE reader;\n")) == 1
	restored_from({"postgresCluster": {"clusterName": "old"}}, strict) == {"databaseInitSQL runs in what is restored from dataSource as well, where CREATE ROLE reader has been done already: with ON_ERROR_STOP it fails, and the operator tries again without end. Take databaseInitSQL out, or write a script that can run twice."}
	count(restored_from({"pgbackrest": {"stanza": "db"}}, strict)) == 1
}

# psql goes on after an error unless it is told to stop.
test_sql_that_can_run_twice if {
	restored_from({}, strict) == set()
	restored_from({"postgresCluster": {"clusterName": "old"}}, "\\c shop\nCREATE ROLE reader;\n") == set()
	restored_from({"postgresCluster": {"clusterName": "old"}}, "\\set ON_ERROR_STOP off\n\\c shop\nCREATE ROLE reader;\n") == set()
	restored_from({"postgresCluster": {"clusterName": "old"}}, "\\set ON_ERROR_STOP on\n\\c shop\nCREATE SCHEMA IF NOT EXISTS reporting AUTHORIZATION shop;\n") == set()
}

# --------------------------------------------------------------------------------------------- volumes never empty

filling(command, mounted, class, classes) := {[f.message, object.get(f, "severity", "")] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {
				"template": {"spec": {
					"initContainers": [{"name": "fill", "image": "postgres:17", "command": ["sh", "-c"], "args": [command], "volumeMounts": [object.union({"name": "conf", "mountPath": "/mnt/conf"}, mounted)]}],
					"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "conf", "mountPath": "/etc/conf"}]}],
				}},
				"volumeClaimTemplates": [{"metadata": {"name": "conf"}, "spec": {"storageClassName": class}}],
			},
		}},
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": classes}}},
	}
}

refilled := {["Init container fill takes /mnt/conf for filled unless it is empty, and the root of a new ext4 volume has lost+found: nothing is copied into it. Leave lost+found out of the test (ls -A /mnt/conf | grep -v lost+found), or mount with subPath.", "error"]}

test_never_empty if {
	every command in [
		"if [ -z \"$(ls -A /mnt/conf 2>/dev/null)\" ]; then cp -a /etc/conf/. /mnt/conf/; fi",
		"[ ! -n \"$(ls -A /mnt/conf/)\" ] && cp a /mnt/conf",
		"[ \"$(ls -A '/mnt/conf')\" ] || cp a /mnt/conf",
		"if test -z \"$(ls -A1 /mnt/conf)\"; then cp a b; fi",
		"[ -z $(ls /mnt/conf) ] && cp a b",
		"[ -z \"$(find /mnt/conf -mindepth 1 -print -quit)\" ] && cp a b",
		"[ \"$(ls -A /mnt/conf | wc -l)\" -eq 0 ] && cp a b",
		"[ -z \"$(ls -A /mnt/conf | head -n 1)\" ] && cp a b",
		"if [[ -z \"$(ls -A /mnt/conf)\" ]]; then cp a b; fi",
	] {
		filling(command, {}, "gp3", {}) == refilled
	}
}

empty_test := "[ -z \"$(ls -A /mnt/conf)\" ] && cp a b"

test_filesystem_of_the_volume if {
	every provisioner in ["ebs.csi.aws.com", "pd.csi.storage.gke.io", "disk.csi.azure.com", "dobs.csi.digitalocean.com", "csi.hetzner.cloud", "cinder.csi.openstack.org", "driver.longhorn.io", "csi.vsphere.vmware.com", "linodebs.csi.linode.com"] {
		filling(empty_test, {}, "own", {"own": {"provisioner": provisioner}}) == refilled
	}
	every type in ["ext2", "ext3", "ext4"] {
		filling(empty_test, {}, "own", {"own": {"provisioner": "example.com", "parameters": {"csi.storage.k8s.io/fstype": type}}}) == refilled
	}
	filling(empty_test, {}, "own", {"own": {"provisioner": "ebs.csi.aws.com", "parameters": {"fsType": "xfs"}}}) == set()
	filling(empty_test, {}, "own", {"own": {"provisioner": "nfs.csi.k8s.io"}}) == set()
	filling(empty_test, {}, "own", {}) == set()
	filling(empty_test, {}, "gp3", {"gp3": {"provisioner": "example.com"}}) == set()
}

test_may_be_empty if {
	filling("[ -z \"$(ls -A /mnt/conf | grep -v '^lost+found$')\" ] && cp a b", {}, "gp3", {}) == set()
	filling("[ -f /mnt/conf/postgresql.conf ] || cp a b", {}, "gp3", {}) == set()
	filling("[ -z \"$(ls -A /mnt/conf/data)\" ] && cp a b", {}, "gp3", {}) == set()
	filling("ls -A /mnt/conf; cp a b", {}, "gp3", {}) == set()
	filling(empty_test, {"subPath": "data"}, "gp3", {}) == set()
	filling(empty_test, {"subPathExpr": "$(POD)"}, "gp3", {}) == set()
	filling(empty_test, {"name": "scratch"}, "gp3", {}) == set()
}

# A claim that stands beside the workload.
test_never_empty_in_a_claim if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"initContainers": [{"name": "fill", "image": "postgres:17", "command": ["sh", "-c", empty_test], "volumeMounts": [{"name": "conf", "mountPath": "/mnt/conf"}]}],
				"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "conf", "mountPath": "/etc/conf"}]}],
				"volumes": [{"name": "conf", "persistentVolumeClaim": {"claimName": "settings"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"settings": {"metadata": {"name": "settings", "namespace": "prod"}, "spec": {"storageClassName": "gp3"}}}}}}},
	}
	{[f.message, f.severity] | some f in found} == refilled
}

# ------------------------------------------------------------------------------------------- roles that nobody makes

loose(script) := found if {
	found := check.findings with input as json.patch(pod("postgres:17.6", entry, {}, {"init.sh": script}), [{"op": "replace", "path": "/review/object/spec/template/spec/containers/0/volumeMounts", "value": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}])
}

test_script_that_nobody_mounts if {
	loose("psql -c 'CREATE USER app'") == {{
		"message": "No container mounts volume init, so its init.sh never runs: the new database lacks the role that it makes. Mount it at /docker-entrypoint-initdb.d in container postgres.",
		"path": ["spec", "template", "spec", "volumes", 0],
		"severity": "error",
	}}
	loose("pg_dump app") == set()
	check.findings == set() with input as pod("postgres:17.6", entry, {}, {"init.sh": "psql -c 'CREATE USER app'"})
}

supabase(image, env) := {f.path | some f in found} if {
	found := check.findings with input as pod(image, "/data", env, {})
}

test_superuser_of_supabase if {
	supabase("supabase/postgres:15.8.1.060", {"POSTGRES_USER": "postgres"}) == {["spec", "template", "spec", "containers", 0, "env", 0]}
	supabase("public.ecr.aws/supabase/postgres:17.6.1.054", {"POSTGRES_USER": "shop"}) == {["spec", "template", "spec", "containers", 0, "env", 0]}
	supabase("supabase/postgres:15.8.1.060", {"POSTGRES_USER": "supabase_admin"}) == set()
	supabase("supabase/postgres:15.8.1.060", {"POSTGRES_PASSWORD_FILE": "/p"}) == set()
	supabase("supabase/postgres:14.1.0.21", {"POSTGRES_USER": "postgres"}) == set()
	supabase("postgres:17.6", {"POSTGRES_USER": "shop"}) == set()
}

again(env, script) := {f.message | some f in found} if {
	found := check.findings with input as pod("postgres:17.6", entry, env, {"init.sh": script})
}

test_made_again_by_a_variable if {
	script := "set -e\npsql -v ON_ERROR_STOP=1 --username \"$POSTGRES_USER\" <<-EOSQL\n  CREATE USER \"${APP_USER}\" WITH PASSWORD 'x';\nEOSQL\n"
	again({"POSTGRES_USER": "shop", "APP_USER": "shop"}, script) == {"The image makes the role shop before it runs this script, whose CREATE USER names it again: the first start ends there, and later ones pass over all scripts. Give APP_USER another value, or remove the statement."}
	again({"POSTGRES_USER": "admin", "APP_USER": "shop"}, script) == set()
	again({"POSTGRES_USER": "shop", "APP_USER": "shop"}, replace(script, "ON_ERROR_STOP=1", "ON_ERROR_STOP=0")) == set()
	again({"POSTGRES_USER": "shop", "APP_USER": "shop"}, replace(script, "set -e\n", "")) == set()
	again({"POSTGRES_DB": "shop", "POSTGRES_USER": "admin"}, "set -e\npsql -v ON_ERROR_STOP=1 --username \"$POSTGRES_USER\" --dbname \"$POSTGRES_DB\" <<EOF\nCREATE DATABASE shop;\nEOF\n") == {"The image makes the database shop before it runs this script, whose CREATE DATABASE names it again: the first start ends there, and later ones pass over all scripts. Remove the statement."}
}

with_variables(variables) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"image": "postgres:17.6", "customConfig": "scripts", "env": array.concat([{"name": "POSTGRES_PASSWORD", "value": "x"}], variables)},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"scripts": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"metadata": {"name": "scripts", "namespace": "prod"},
		"data": {"primary_init_script.sh": "name=shop\npsql -v ON_ERROR_STOP=1 --username \"$POSTGRES_USER\" <<-EOSQL\nCREATE USER $name WITH PASSWORD '$SHOP_PASSWORD';\nEOSQL"},
	}}}}}},
}

test_variable_that_nothing_defines_for_kubegres if {
	{[f.message, f.severity] | some f in with_variables([])} == {["The script takes the password from $SHOP_PASSWORD, which nothing defines: the role gets none, and nobody logs in as it. Set SHOP_PASSWORD in spec.env.", "error"]}
	with_variables([{"name": "SHOP_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "shop"}}}]) == set()
}

of_cron(image, args, env, text) := {f.message | some f in found} if {
	patch := [{"op": "add", "path": "/review/object/spec/template/spec/containers/0/args", "value": args}]
	found := check.findings with input as json.patch(pod(image, entry, env, {"cron.sql": text}), patch)
}

test_pg_cron_in_another_database_of_a_script if {
	loaded := ["-c", "shared_preload_libraries=pg_stat_statements,pg_cron"]
	shop := {"POSTGRES_DB": "shop"}
	made := "CREATE EXTENSION IF NOT EXISTS pg_cron;"
	message := "CREATE EXTENSION pg_cron runs in database shop, and it can be created in that of cron.database_name alone, postgres: the first start ends there, and later ones pass over all scripts. Set cron.database_name to shop."
	of_cron("postgres:17", loaded, shop, made) == {message}
	of_cron("postgres:17", loaded, {"POSTGRES_USER": "shop"}, made) == {message}
	of_cron("postgres:17", array.concat(loaded, ["-c", "cron.database_name=shop"]), shop, made) == set()
	of_cron("postgres:17", array.concat(loaded, ["-c", "cron.database_name=${DB}"]), shop, made) == set()
	of_cron("postgres:17", loaded, {}, made) == set()
	of_cron("postgres:17", loaded, {"POSTGRES_DB": "postgres", "POSTGRES_USER": "shop"}, made) == set()
	of_cron("postgres:17", loaded, shop, "\\c postgres\nCREATE EXTENSION pg_cron;") == set()
	of_cron("postgres:17", loaded, shop, "ALTER SYSTEM SET cron.database_name = 'shop';\nCREATE EXTENSION pg_cron;") == set()
	of_cron("postgres:17", [], shop, made) == set()
}

kustomization := {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "apps", "namespace": "flux-system"}, "spec": {"postBuild": {"substitute": {"stage": "prod"}}}}

test_filled_in_by_flux if {
	given := pod("postgres:17", entry, {"POSTGRES_DB": "shop", "STAGE": "${stage}"}, {"a.sh": "createdb ${POSTGRES_DB}_test"})
	applied := object.union(given, {"inventory": {"namespace": {"flux-system": {"kustomize.toolkit.fluxcd.io/v1": {"Kustomization": {"apps": kustomization}}}}}})
	check.findings == {{
		"message": "Flux replaces ${POSTGRES_DB} of this script by nothing, or refuses it (2.9): Kustomization flux-system/apps has no value for it. Annotate the ConfigMap with kustomize.toolkit.fluxcd.io/substitute: disabled.",
		"path": ["data", "a.sh"],
		"resource": reference,
		"severity": "error",
	}} with input as applied
	check.findings == set() with input as given
}
