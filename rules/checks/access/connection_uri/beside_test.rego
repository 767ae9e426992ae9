package walguard.checks.access.connection_uri_beside_test

import data.walguard.checks.access.connection_uri as check

sidecar(value) := found if {
	found := {f.message | some f in check.findings} with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-a", "namespace": "shop"},
		"spec": {"numberOfInstances": 1, "postgresql": {"version": "16"}, "volume": {"size": "1Gi"}, "sidecars": [{"name": "exporter", "image": "postgres-exporter:v0.15.0", "env": [{"name": "PGPASS", "value": "$(POSTGRES_PASSWORD)"}, {"name": "DATA_SOURCE_NAME", "value": value}]}]},
	}}}
}

beside_plain(value) := found if {
	found := {f.message | some f in check.findings} with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "shop"},
		"spec": {"serviceName": "db", "template": {"spec": {"containers": [
			{"name": "postgres", "image": "postgres:17.6"},
			{"name": "exporter", "image": "postgres-exporter:v0.15.0", "env": [{"name": "PGPASS", "value": "x"}, {"name": "DATA_SOURCE_NAME", "value": value}]},
		]}}},
	}}}
}

test_braces_of_a_shell_beside_the_server if {
	sidecar("postgresql://postgres:${PGPASS}@127.0.0.1:5432/postgres?sslmode=disable") == {"DATA_SOURCE_NAME of container exporter has ${PGPASS}, which a shell replaces and Kubernetes does not: the client reads those letters. Write $(PGPASS), with PGPASS above it."}
	count(beside_plain("postgresql://postgres:${PGPASS}@localhost:5432/postgres?sslmode=disable")) == 1
	sidecar("postgresql://postgres:$(PGPASS)@127.0.0.1:5432/postgres?sslmode=disable") == set()
	sidecar("postgresql://postgres:${OTHER}@127.0.0.1:5432/postgres?sslmode=disable") == set()
	beside_plain("postgresql://postgres:$(PGPASS)@localhost:5432/postgres?sslmode=disable") == set()
}
