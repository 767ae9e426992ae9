package walguard.checks.image.library_missing_test

import data.walguard.checks.image.library_missing as check

findings(object) := found if found := check.findings with input as {"review": {"object": object}}

workload(image, more) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [object.union({"name": "postgres", "image": image, "args": ["-c", "shared_preload_libraries=pg_stat_statements,pg_cron"]}, more)]}}},
}

cnpg(image, postgresql) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"imageName": image, "postgresql": postgresql}}

test_official_image if {
	findings(workload("postgres:17.6", {})) == {{
		"message": "The image postgres:17.6 has no pg_cron, which shared_preload_libraries names: the server does not start. Use an image that has it, or remove it.",
		"path": ["spec", "template", "spec", "containers", 0, "args", 1],
	}}
}

test_cloudnativepg if {
	{f.message | some f in findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie", {"shared_preload_libraries": ["timescaledb", "pgaudit", "pg_cron"]}))} == {"The image ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie has no pg_cron or timescaledb, which shared_preload_libraries names: the server does not start. Use an image that has it, or remove it."}
	count(findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie", {"shared_preload_libraries": ["pgaudit"]}))) == 1
}

test_name_of_its_file if {
	every library in ["vchord.so", "$libdir/vchord", "$libdir/vchord.so", "vchord"] {
		found := findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie", {"shared_preload_libraries": [library]}))
		{f.message | some f in found} == {"The image ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie has no vchord, which shared_preload_libraries names: the server does not start. Use an image that has it, or remove it."}
	}
	findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie", {"shared_preload_libraries": ["pgaudit.so"]})) == set()
	findings(cnpg("ghcr.io/tensorchord/cloudnative-vectorchord:17.6-0.4.3", {"shared_preload_libraries": ["vchord.so"]})) == set()
}

test_not_reported if {
	findings(workload("postgres:17.6", {"args": ["-c", "shared_preload_libraries=pg_stat_statements,auto_explain"]})) == set()
	findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6", {"shared_preload_libraries": ["pgaudit"]})) == set()
	findings(workload("pgvector/pgvector:pg17", {"args": ["-c", "shared_preload_libraries=vector"]})) == set()
}

# Built by somebody, installed at the start, or mounted.
test_silent_when_unknown if {
	findings(workload("corp.example/postgres:17.6", {})) == set()
	findings(workload("${IMAGE}", {})) == set()
	findings(workload("postgres:17.6", {"command": ["sh", "-c", "apt-get install -y postgresql-17-cron && exec docker-entrypoint.sh postgres -c shared_preload_libraries=pg_cron"], "args": []})) == set()
	findings(workload("postgres:17.6", {"volumeMounts": [{"name": "lib", "mountPath": "/usr/lib/postgresql/17/lib"}]})) == set()
	findings(cnpg("ghcr.io/cloudnative-pg/postgresql:18.1-minimal-trixie", {"shared_preload_libraries": ["vector"], "extensions": [{"name": "vector"}]})) == set()
}

cnpg_creating(image, statement, postgresql) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": {
	"imageName": image,
	"bootstrap": {"initdb": {"postInitApplicationSQL": [statement]}},
	"postgresql": postgresql,
}}

test_extensions_at_the_first_start if {
	{[f.message, f.path, f.severity] | some f in findings(cnpg_creating("ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie", "CREATE EXTENSION IF NOT EXISTS postgis;", {}))} == {[
		"CREATE EXTENSION postgis fails, and with it the creation of the cluster: the image ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie does not have it. Use an image that has it, or mount it where the operator can.",
		["spec", "bootstrap", "initdb", "postInitApplicationSQL", 0],
		"error",
	]}
	{f.message | some f in findings(cnpg_creating("corp.example/postgres:17.6", "create extension pgvector", {}))} == {"CREATE EXTENSION pgvector fails, and with it the creation of the cluster: pgvector's extension is called vector. Write vector."}
	every reference, extension in {
		"ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie": "vector",
		"ghcr.io/cloudnative-pg/postgresql:17.6": "pg_partman",
		"ghcr.io/cloudnative-pg/postgis:17-3.6-standard-trixie": "pg_repack",
	} {
		count(findings(cnpg_creating(reference, concat(" ", ["CREATE EXTENSION", extension]), {}))) == 1
	}
}

test_extensions_that_are_there if {
	every reference, extension in {
		"ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie": "vector",
		"ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie": "pg_trgm",
		"ghcr.io/cloudnative-pg/postgis:17-3.6-standard-trixie": "postgis",
		"corp.example/postgres:17.6": "postgis",
		"${IMAGE}": "postgis",
	} {
		findings(cnpg_creating(reference, concat(" ", ["CREATE EXTENSION", extension]), {})) == set()
	}
	standard := "ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie"
	findings(cnpg_creating(standard, "CREATE EXTENSION postgis", {"extensions": [{"name": "postgis"}]})) == set()
	findings(cnpg_creating(standard, "CREATE EXTENSION timescaledb", {})) == set()
	findings(cnpg_creating(standard, "DO $$ BEGIN IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'postgis') THEN CREATE EXTENSION postgis; END IF; END $$", {})) == set()
}

test_extensions_of_databases if {
	found := check.findings with input as {
		"review": {"object": cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie", {})},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Database": {"app": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Database",
			"metadata": {"name": "app", "namespace": "prod"},
			"spec": {"name": "app", "owner": "app", "cluster": {"name": "db"}, "extensions": [{"name": "vector"}, {"name": "postgis"}, {"name": "pg_partman", "ensure": "absent"}]},
		}}}}}},
	}
	{[f.message, f.path, f.severity] | some f in found} == {[
		"CREATE EXTENSION postgis fails, and with it the reconciliation of Database app: the image ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie does not have it. Use an image that has it, or mount it where the operator can.",
		["spec", "extensions", 1],
		"warning",
	]}
}

# ------------------------------------------------------------------------------------------- what the operator preloads

test_a_parameter_of_a_managed_library if {
	findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie", {"parameters": {"pgaudit.log": "write", "work_mem": "8MB"}})) == {{
		"message": "The image ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie has no pgaudit, which the operator preloads where pgaudit.log is set: the server does not start. Use an image that has it, or remove it.",
		"path": ["spec", "postgresql", "parameters", "pgaudit.log"],
	}}
	count(findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie", {"parameters": {"pg_failover_slots.synchronize_slot_names": "name_like:%"}}))) == 1
	findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie", {"parameters": {"pgaudit.log": "write"}})) == set()
	findings(cnpg("ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie", {"parameters": {"auto_explain.log_min_duration": "1s"}})) == set()
	findings(cnpg("example.com/postgresql:17.6-minimal", {"parameters": {"pgaudit.log": "write"}})) == set()
}

mounted(names) := [{"name": name, "image": {"reference": sprintf("ghcr.io/cloudnative-pg/%s:1.0-18-trixie", [name])}} | some name in names]

test_images_of_extensions if {
	minimal := "ghcr.io/cloudnative-pg/postgresql:18.1-minimal-trixie"
	count(findings(cnpg(minimal, {"shared_preload_libraries": ["pgaudit"], "extensions": mounted(["pgvector"])}))) == 1
	findings(cnpg(minimal, {"shared_preload_libraries": ["pgaudit"], "extensions": mounted(["pgvector", "pgaudit"])})) == set()
	findings(cnpg(minimal, {"shared_preload_libraries": ["pgaudit"], "extensions": mounted(["pgvector", "own"])})) == set()
	findings(cnpg_creating(minimal, "CREATE EXTENSION vector", {"extensions": mounted(["pgvector"])})) == set()
	count(findings(cnpg_creating(minimal, "CREATE EXTENSION postgis", {"extensions": mounted(["pgvector"])}))) == 1
}

# ------------------------------------------------------------------------------------------- scripts of the first start

scripted(image, file, text, more) := {[f.severity, f.message] |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [object.union(
					{"name": "postgres", "image": image, "env": [{"name": "POSTGRES_PASSWORD", "value": "x"}]},
					object.union({"volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}, more),
				)],
				"volumes": [{"name": "init", "configMap": {"name": "init"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {file: text}}}}}}},
	}
	some f in found
}

test_script_of_the_first_start if {
	scripted("postgres:17.6", "init.sql", "CREATE EXTENSION IF NOT EXISTS vector;", {}) == {["error", "CREATE EXTENSION vector fails, and with it the first start: the image postgres:17.6 does not have it. Use an image that has it."]}
	{severity | some [severity, _] in scripted("postgres:17.6-alpine", "init.sh", "psql -v ON_ERROR_STOP=1 --username \"$POSTGRES_USER\" <<-EOSQL\n  CREATE EXTENSION postgis;\nEOSQL\n", {})} == {"warning"}
	count(scripted("postgis/postgis:17-3.5", "init.sql", "create extension vector;", {})) == 1
	count(scripted("pgvector/pgvector:pg17", "init.sql", "create extension pgvector;", {})) == 1
}

# It is there; somebody sees to an error or to the files; a comment; an image of one's own; scripts that run in another way.
test_scripts_that_may_succeed if {
	every image, text in {
		"pgvector/pgvector:pg17": "create extension vector;",
		"example.com/postgres:17": "create extension vector;",
		"postgis/postgis:17-3.5": "create extension postgis;",
		"postgres:17.1": "create extension pg_trgm;",
		"postgres:17.2": "-- create extension vector;",
		"postgres:17.3": "do $$ begin create extension vector; exception when others then null; end $$;",
	} {
		scripted(image, "init.sql", text, {}) == set()
	}
	scripted("postgres:17", "init.sh", "apt-get install -y postgresql-17-pgvector\npsql -c 'create extension vector'", {}) == set()
	scripted("postgres:17", "init.sh", "psql -c 'create extension vector' || true", {}) == set()
	scripted("postgres:17", "init.txt", "create extension vector;", {}) == set()
	scripted("postgres:17", "init.sql", "create extension vector;", {"command": ["sh", "-c", "apt-get install -y postgresql-17-pgvector && exec docker-entrypoint.sh postgres"]}) == set()
	scripted("postgres:17", "init.sql", "create extension vector;", {"volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}, {"name": "lib", "mountPath": "/usr/lib/postgresql/17/lib"}]}) == set()
}

crunchys := "registry.developers.crunchydata.com/crunchydata/crunchy-postgres:ubi9-17.6-2534"

percona(spec) := {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": object.union({"postgresVersion": 17, "image": crunchys, "crVersion": "2.8.2"}, spec)}

test_percona_preloads if {
	findings(percona({})) == {{
		"message": sprintf("The image %s has no pg_stat_monitor, which the operator preloads: the server does not start. Use Percona's image, or set spec.extensions.builtin.pg_stat_monitor to false.", [crunchys]),
		"path": ["spec", "image"],
	}}
	every spec in [
		{"patroni": {"dynamicConfiguration": {"postgresql": {"parameters": {"shared_preload_libraries": ""}}}}},
		{"crVersion": "2.2.0", "image": "mirror.example.com/crunchydata/crunchy-postgres-gis:ubi9-17.6-3.4-2534"},
		{"crVersion": "2.9.0", "extensions": {"builtin": {"pg_stat_monitor": true}}},
		{"crVersion": "3.0.0", "extensions": {"pg_stat_monitor": {"enabled": true}}},
		{"extensions": {"builtin": {"pg_audit": false}}},
	] {
		count(findings(percona(spec))) == 1
	}
	[f.message | some f in findings(percona({"crVersion": "3.0.0", "extensions": {"pg_tde": {"enabled": true}}}))] == [sprintf("The image %s has no pg_tde, which the operator preloads: the server does not start. Use Percona's image, or set spec.extensions.pg_tde.enabled to false.", [crunchys])]
}

test_percona_not_reported if {
	every spec in [
		{"extensions": {"builtin": {"pg_stat_monitor": false}}},
		{"extensions": {"builtin": {"pg_stat_monitor": false}, "pg_stat_monitor": {"enabled": true}}},
		{"extensions": {"custom": [{"name": "pg_stat_monitor", "version": "2.2"}]}},
		{"crVersion": "2.9.0"},
		{"crVersion": "3.0.0"},
		{"crVersion": "${VERSION}"},
		{"image": "docker.io/percona/percona-distribution-postgresql:17.6-1"},
		{"image": "corp.example/postgres:17.6"},
		{"image": "docker.io/library/postgres:17.6"},
	] {
		findings(percona(spec)) == set()
	}
	findings({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"postgresVersion": 17, "image": crunchys}}) == set()
	findings({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"postgresVersion": 17, "crVersion": "2.8.2"}}) == set()
}

prepared(image, extension) := {[f.severity, f.path] |
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-db", "namespace": "prod"},
		"spec": object.union({"numberOfInstances": 2, "postgresql": {"version": "16"}, "preparedDatabases": {"app": {"extensions": {extension: "public"}}}}, image),
	}}}
	some f in found
}

test_extension_of_a_prepared_database if {
	at := ["spec", "preparedDatabases", "app", "extensions", "gzip"]
	{path | some [_, path] in prepared({"dockerImage": "ghcr.io/zalando/spilo-16:3.3-p3"}, "gzip")} == {at}
	prepared({"dockerImage": "ghcr.io/zalando/spilo-16:3.3-p3"}, "pg_partman") == set()
	prepared({"dockerImage": "registry.example.org/spilo-16:3.3-p3"}, "gzip") == set()
	prepared({}, "gzip") == set()
}

decoding(image, more, config) := found if {
	found := check.findings with input as {
		"review": {"object": object.union(workload(image, object.union({"args": []}, more)), {"spec": {"serviceName": "db"}})},
		"inventory": {"namespace": {"prod": {"kafka.strimzi.io/v1": {"KafkaConnector": {"cdc": {
			"apiVersion": "kafka.strimzi.io/v1",
			"kind": "KafkaConnector",
			"metadata": {"name": "cdc", "namespace": "prod"},
			"spec": {"class": "io.debezium.connector.postgresql.PostgresConnector", "config": object.union({"database.hostname": "db"}, config)},
		}}}}}},
	}
}

test_output_plugin if {
	decoding("postgres:17.6", {}, {}) == {{
		"message": "KafkaConnector cdc asks for the output plugin decoderbufs, which the image postgres:17.6 does not have: the connector fails (could not access file \"decoderbufs\"). Set plugin.name to pgoutput.",
		"path": ["spec", "config", "plugin.name"],
		"resource": {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector", "name": "cdc", "namespace": "prod"},
	}}
	count(decoding("postgres:17.6", {}, {"plugin.name": "wal2json"})) == 1
	decoding("postgres:17.6", {}, {"plugin.name": "pgoutput"}) == set()
}

test_output_plugin_of_an_unknown_image if {
	decoding("quay.io/debezium/postgres:17", {}, {}) == set()
	decoding("postgres:17.6", {"volumeMounts": [{"name": "lib", "mountPath": "/usr/lib/postgresql/17/lib"}]}, {}) == set()
	decoding("postgres:17.6", {"command": ["sh", "-c", "apt-get install -y postgresql-17-wal2json && exec docker-entrypoint.sh postgres"]}, {"plugin.name": "wal2json"}) == set()
	decoding("postgres:17.6", {"args": ["-c", "dynamic_library_path=/opt/lib:$libdir"]}, {}) == set()
}
