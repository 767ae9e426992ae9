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
