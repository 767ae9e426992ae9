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
