package walguard.checks.parameters.preload_missing_test

import data.walguard.checks.parameters.preload_missing as check
import data.walguard.lib.manifest_test as manifests

found(conf) := given if given := check.findings with input as manifests.server(conf, {})

test_missing if {
	found("cron.database_name = 'app'\ncron.timezone = 'UTC'\nshared_preload_libraries = 'pgaudit, timescaledb'\n") == {{
		"message": "cron.database_name is set, but pg_cron is not among shared_preload_libraries (pgaudit and timescaledb): it has no effect, and the extension does not work. Add pg_cron there.",
		"path": ["spec", "configuration", 0, "text"],
		"line": 1,
	}}
	{f.message | some f in found("pg_stat_statements.max = 1000\n")} == {"pg_stat_statements.max is set, but pg_stat_statements is not among shared_preload_libraries (now empty): it has no effect, and the extension does not work. Add pg_stat_statements there."}
}

test_loaded if {
	found("cron.database_name = 'app'\nshared_preload_libraries = 'pg_cron'\n") == set()
	found("auto_explain.log_min_duration = '1s'\nsession_preload_libraries = 'auto_explain'\n") == set()
	found("own.setting = 1\n") == set()
}

cnpg(postgresql, sql) := given if given := check.findings with input as manifests.review({}, {
	"postgresql": postgresql,
	"bootstrap": {"initdb": {"postInitApplicationSQL": sql}},
})

test_extension_of_a_new_cluster if {
	cnpg({}, ["SELECT 1", "create extension if not exists \"timescaledb\" cascade;"]) == {{
		"message": "CREATE EXTENSION timescaledb fails, and with it the creation of the cluster: timescaledb is not among shared_preload_libraries (now empty). Use an image that has it, unlike ghcr.io/cloudnative-pg/postgresql:17.5, and add it there.",
		"severity": "error",
		"path": ["spec", "bootstrap", "initdb", "postInitApplicationSQL", 1],
	}}
	cnpg({"shared_preload_libraries": ["timescaledb"]}, ["CREATE EXTENSION timescaledb"]) == set()
	cnpg({}, ["CREATE EXTENSION pg_stat_statements", "CREATE EXTENSION postgis", 7]) == set()
}

test_cloudnativepg_loads_by_itself if {
	cnpg({"parameters": {"pgaudit.log": "all"}}, []) == set()
	{f.path | some f in cnpg({"parameters": {"cron.timezone": "UTC"}}, [])} == {["spec", "postgresql", "parameters", "cron.timezone"]}
	cnpg({"parameters": {"timescaledb.max_background_workers": "8"}}, ["CREATE EXTENSION timescaledb"]) != set()
}

test_silent_when_unknown if {
	found("cron.database_name = 'app'\nshared_preload_libraries = '${LIBRARIES}'\n") == set()
	check.findings == set() with input as manifests.change({"cron.timezone": "UTC"})
	cnpg({"shared_preload_libraries": ["${LIBRARY}"]}, ["CREATE EXTENSION timescaledb"]) == set()
	cnpg({"shared_preload_libraries": "${LIBRARIES}", "parameters": {"timescaledb.telemetry_level": "off"}}, ["CREATE EXTENSION timescaledb"]) == set()
}

# Spilo adds pg_cron and timescaledb to whatever is written.
test_zalando if {
	check.findings == set() with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"cron.timezone": "UTC"}}},
	}}}
}

# What is advised must not keep the server from starting.
test_image_without_the_library if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "postgresql": {"parameters": {"cron.database_name": "app"}}},
	}}}
	{f.message | some f in found} == {"cron.database_name is set, but pg_cron is not among shared_preload_libraries (now empty): it has no effect, and the extension does not work. Use an image that has it, unlike ghcr.io/cloudnative-pg/postgresql:17.6, and add it there."}
}

by_script(args, script) := {[f.severity, f.message] |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "postgres", "image": "postgres:17", "args": args, "volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}],
				"volumes": [{"name": "init", "configMap": {"name": "init"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"init.sql": script}}}}}}},
	}
	some f in found
}

test_script_of_the_first_start if {
	by_script([], "CREATE EXTENSION pg_stat_statements;") == {["warning", "CREATE EXTENSION pg_stat_statements is of no use: pg_stat_statements is not among shared_preload_libraries (now empty). Add it there."]}
	{severity | some [severity, _] in by_script([], "CREATE EXTENSION IF NOT EXISTS pg_cron;")} == {"error"}
	by_script(["-c", "shared_preload_libraries=pg_stat_statements"], "CREATE EXTENSION pg_stat_statements;") == set()
	by_script([], "CREATE EXTENSION pg_trgm;") == set()
}

initial(spec, sql) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"postgresVersion": 17, "databaseInitSQL": {"name": "init", "key": "init.sql"}}, spec)}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"init.sql": sql}}}}}}},
	}
}

test_extension_of_initial_sql if {
	initial({}, "\\c orders\nCREATE EXTENSION timescaledb;") == {["error", "CREATE EXTENSION timescaledb fails, and with it the rest of databaseInitSQL, which the operator tries again and again: timescaledb is not among shared_preload_libraries. Add it there."]}
	initial({"config": {"parameters": {"shared_preload_libraries": "timescaledb"}}}, "CREATE EXTENSION timescaledb;") == set()
	initial({"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"shared_preload_libraries": "timescaledb"}}}}, "config": {"parameters": {"shared_preload_libraries": "pg_cron"}}}, "CREATE EXTENSION timescaledb;") == set()
	initial({"config": {"parameters": {"shared_preload_libraries": "${LIBRARIES}"}}}, "CREATE EXTENSION timescaledb;") == set()
	initial({}, "CREATE EXTENSION pgaudit; CREATE EXTENSION postgis;\n-- CREATE EXTENSION timescaledb;") == set()
}

database(spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Database",
	"metadata": {"name": "app", "namespace": "prod"},
	"spec": object.union({"name": "app", "owner": "app", "cluster": {"name": "orders"}}, spec),
}

by_operator(postgresql, spec) := {[f.severity, f.path, f.message] |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"instances": 3, "postgresql": postgresql},
		}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Database": {"app": database(spec)}}}}},
	}
	some f in found
	f.resource.name == "app"
}

test_extension_of_a_database if {
	by_operator({}, {"extensions": [{"name": "hstore"}, {"name": "pg_stat_statements"}]}) == {["warning", ["spec", "extensions", 1], "CREATE EXTENSION pg_stat_statements is of no use: pg_stat_statements is not among shared_preload_libraries (now empty). Set pg_stat_statements.track: top among the parameters, with which the operator loads it."]}
	by_operator({}, {"extensions": [{"name": "pg_cron", "ensure": "present"}]}) == {["error", ["spec", "extensions", 0], "CREATE EXTENSION pg_cron fails, and with it the reconciliation of Database app: pg_cron is not among shared_preload_libraries (now empty). Add it there."]}
	{path | some [_, path, _] in by_operator({}, {"extensions": [{"name": "pgaudit"}, {"name": "vchord"}, {"name": "vectors"}]})} == {["spec", "extensions", 0], ["spec", "extensions", 1], ["spec", "extensions", 2]}
}

test_extension_of_a_database_is_loaded if {
	by_operator({"parameters": {"pg_stat_statements.max": "10000"}}, {"extensions": [{"name": "pg_stat_statements"}]}) == set()
	by_operator({"shared_preload_libraries": ["pg_stat_statements"]}, {"extensions": [{"name": "pg_stat_statements"}]}) == set()
	by_operator({"shared_preload_libraries": ["vchord.so", "$libdir/vectors"]}, {"extensions": [{"name": "vchord"}, {"name": "vectors"}]}) == set()
	by_operator({"shared_preload_libraries": ["${LIBRARY}"]}, {"extensions": [{"name": "pg_cron"}]}) == set()
}

test_extension_of_no_database if {
	by_operator({}, {"extensions": [{"name": "pg_cron", "ensure": "absent"}]}) == set()
	by_operator({}, {"ensure": "absent", "extensions": [{"name": "pg_cron"}]}) == set()
	by_operator({}, {"cluster": {"name": "other"}, "extensions": [{"name": "pg_cron"}]}) == set()
}

# The image of VectorChord loads its library by a configuration of its own.
test_libraries_of_images if {
	cnpg({}, ["CREATE EXTENSION vchord CASCADE"]) != set()
	found("vectors.pgvector_compatibility = on\n") == set()
}

# Patroni loads citus where the operator tells it that the cluster is sharded by it.
test_shards_of_citus if {
	sharded("citus", {"citus.node_connection_timeout": "30000", "shared_preload_libraries": "auto_explain"}) == set()
	sharded("citus", {"citus.node_connection_timeout": "30000"}) == set()
	count(sharded("citus", {"pgaudit.log": "all", "shared_preload_libraries": "auto_explain"})) == 1
	count(sharded("ddp", {"citus.node_connection_timeout": "30000", "shared_preload_libraries": "auto_explain"})) == 1
}

sharded(type, parameters) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "stackgres.io/v1alpha1",
		"kind": "SGShardedCluster",
		"metadata": {"name": "wide", "namespace": "prod"},
		"spec": {
			"type": type,
			"postgres": {"version": "16.4"},
			"coordinator": {"instances": 2, "pods": {"persistentVolume": {"size": "20Gi"}}},
			"shards": {"clusters": 3, "instancesPerCluster": 2, "pods": {"persistentVolume": {"size": "20Gi"}}, "configurations": {"postgres": {"postgresql.conf": parameters}}},
		},
	}}}
}

# Scripts of StackGres, whose operator adds no library for the extensions that it installs.
scripted(written, script) := {[f.message, f.path, f.severity, f.resource.name] |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "stackgres.io/v1",
			"kind": "SGCluster",
			"metadata": {"name": "wide", "namespace": "prod"},
			"spec": {
				"instances": 2,
				"postgres": {"version": "16.4", "extensions": [{"name": "timescaledb"}]},
				"pods": {"persistentVolume": {"size": "20Gi"}},
				"configurations": {"sgPostgresConfig": "wide"},
				"managedSql": {"scripts": [{"sgScript": "first"}]},
			},
		}},
		"inventory": {"namespace": {"prod": {"stackgres.io/v1": object.union(
			{"SGScript": {"first": {"apiVersion": "stackgres.io/v1", "kind": "SGScript", "metadata": {"name": "first", "namespace": "prod"}, "spec": {"scripts": [{"script": "SELECT 1;"}, script]}}}},
			{"SGPostgresConfig": written},
		)}}},
	}
	some f in found
}

config(libraries) := {"wide": {"apiVersion": "stackgres.io/v1", "kind": "SGPostgresConfig", "metadata": {"name": "wide", "namespace": "prod"}, "spec": {"postgresVersion": "16", "postgresql.conf": libraries}}}

test_scripts_of_stackgres if {
	created := {"script": "CREATE EXTENSION IF NOT EXISTS timescaledb;"}
	scripted(config({"shared_preload_libraries": "pg_stat_statements,auto_explain"}), created) == {[
		"CREATE EXTENSION timescaledb fails, and with it script 2 of SGScript first: timescaledb is not among shared_preload_libraries. Add it there.",
		["spec", "scripts", 1, "script"],
		"error",
		"first",
	]}
	count(scripted(config({}), created)) == 1
	scripted(config({"shared_preload_libraries": "pg_stat_statements,timescaledb"}), created) == set()
	scripted(config({"shared_preload_libraries": "${LIBRARIES}"}), created) == set()
	scripted({}, created) == set()
	every quiet in [{"script": "-- CREATE EXTENSION timescaledb;\nSELECT 1"}, {"script": "${SQL}"}, {"scriptFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}, {"script": "CREATE EXTENSION postgis"}] {
		scripted(config({}), quiet) == set()
	}
}

test_what_operators_add if {
	every cluster in [
		{"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster"},
		{"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster"},
	] {
		every parameter, said in {"pgaudit.log": 0, "timescaledb.max_background_workers": 1} {
			count(check.findings) == said with input as {"review": {"object": object.union(cluster, {
				"metadata": {"name": "hippo", "namespace": "shop"},
				"spec": {"postgresVersion": 17, "patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {parameter: "8"}}}}},
			})}}
		}
	}
}
