package walguard.checks.workload.init_script_cron_test

import data.walguard.checks.workload.init_script as check

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

cron_made(kind, parameters, sql) := initial(kind, object.union(of(["shop"]), {"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": parameters}}}}), sql)

test_cron_of_the_operators_elsewhere if {
	loaded := {"shared_preload_libraries": "pg_cron"}
	fault := {"databaseInitSQL creates pg_cron in database shop, and it can be created in that of cron.database_name alone, postgres: there is none, and cron.schedule fails. Set cron.database_name: shop among the parameters."}
	every kind in ["Crunchy", "Percona"] {
		cron_made(kind, loaded, "\\c shop\nCREATE EXTENSION IF NOT EXISTS pg_cron;\n") == fault
	}
	count(cron_made("Crunchy", object.union(loaded, {"cron.database_name": "shop"}), "CREATE EXTENSION pg_cron;\n\\c shop\n")) == 1
	initial("Crunchy", object.union(of(["shop"]), {"config": {"parameters": {"shared_preload_libraries": "pg_cron", "cron.database_name": "stock"}}}), "\\connect shop\nCREATE EXTENSION pg_cron;\n") == {replace(message, "postgres", "stock") | some message in fault}
}

test_cron_of_the_operators_at_home if {
	loaded := {"shared_preload_libraries": "pg_cron"}
	cron_made("Crunchy", object.union(loaded, {"cron.database_name": "shop"}), "\\c shop\nCREATE EXTENSION pg_cron;\n") == set()
	cron_made("Crunchy", loaded, "CREATE EXTENSION pg_cron;\n") == set()
	cron_made("Crunchy", loaded, "\\c shop\n\\c postgres\nCREATE EXTENSION pg_cron;\n") == set()
	cron_made("Crunchy", loaded, "\\c :database\nCREATE EXTENSION pg_cron;\n") == set()
	cron_made("Crunchy", loaded, "ALTER SYSTEM SET cron.database_name = 'shop';\n\\c shop\nCREATE EXTENSION pg_cron;\n") == set()
	cron_made("Crunchy", object.union(loaded, {"cron.database_name": "${DATABASE}"}), "\\c shop\nCREATE EXTENSION pg_cron;\n") == set()
}
