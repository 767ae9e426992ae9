package walguard.checks.access.client_mismatch_lines_test

import data.walguard.checks.access.client_mismatch as check

# Severity and message of what is said of a client by itself.
alone(container) := found if {
	found := {[f.severity, f.message] | some f in check.findings} with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "web", "namespace": "shop"},
			"spec": {"template": {"spec": {"containers": [object.union({"name": "web"}, container)]}}},
		}},
		"inventory": {},
	}
}

exporter(tag, arg) := alone({
	"image": sprintf("quay.io/prometheuscommunity/postgres-exporter:%s", [tag]),
	"args": ["--web.listen-address=:9187", arg],
	"env": [{"name": "DATA_SOURCE_URI", "value": "pg:5432/shop"}, {"name": "DATA_SOURCE_USER", "value": "a"}, {"name": "DATA_SOURCE_PASS", "value": "x"}],
})

test_flags_of_the_exporter if {
	exporter("v0.17.1", "--collector.stat_statements.include_query") == {["error", "Deployment web is started with --collector.stat_statements.include_query, which postgres_exporter knows from 0.18 on: it ends at \"unknown long flag\". Take 0.18.0 or newer, or remove it."]}
	count(exporter("v0.15.0", "--no-collector.stat_checkpointer")) == 1
	exporter("v0.20.1", "--no-collector.replication_slot") == {["error", "Deployment web is started with --no-collector.replication_slot, which postgres_exporter knows up to 0.19: it ends at \"unknown long flag\". Write --collector.replication_slots or --no-collector.settings."]}
	exporter("v0.20.1", "--disable-settings-metrics") == {["error", "Deployment web is started with --disable-settings-metrics, which postgres_exporter knows up to 0.19: it ends at \"unknown long flag\". Write --collector.replication_slots or --no-collector.settings."]}
	exporter("v0.18.0", "--collector.stat_statements.include_query") == set()
	exporter("v0.19.1", "--no-collector.replication_slot") == set()
	exporter("latest", "--collector.settings") == set()
	exporter("v0.17.1", "--collector.stat_statements") == set()
}

keycloak(image, more) := alone(object.union({"image": image, "env": [{"name": "KC_DB", "value": "postgres"}, {"name": "KC_DB_URL_HOST", "value": "pg"}]}, more))

test_an_image_that_nobody_built if {
	keycloak("quay.io/keycloak/keycloak:26.0.5", {"args": ["start", "--optimized"]}) == {["error", "Deployment web is started with --optimized, and nobody has built this image (kc.sh build): it ends with \"used for first ever server start\", or keeps its data in H2. Remove --optimized, or take an image that is built with KC_DB=postgres."]}
	count(keycloak("keycloak/keycloak:25.0", {"command": ["/opt/keycloak/bin/kc.sh"], "args": ["--verbose", "start", "--http-enabled=true", "--optimized"]})) == 1
	keycloak("quay.io/keycloak/keycloak:26.0.5", {"args": ["start"]}) == set()
	keycloak("registry.example.com/keycloak:26.0.5", {"args": ["start", "--optimized"]}) == set()
	keycloak("quay.io/keycloak/keycloak:26.0.5", {"command": ["sh", "-c", "kc.sh build && kc.sh start --optimized"]}) == set()
	keycloak("quay.io/keycloak/keycloak:26.0.5", {"args": ["start", "--optimized"], "volumeMounts": [{"name": "built", "mountPath": "/opt/keycloak/lib/quarkus"}]}) == set()
}

pgpool(password, command) := alone({
	"image": "bitnamilegacy/pgpool:4.5.4",
	"env": [{"name": "PGPOOL_BACKEND_NODES", "value": "0:pg:5432"}, {"name": password, "value": "/run/p"}],
	"readinessProbe": {"exec": {"command": ["bash", "-ec", command]}},
})

test_probes_and_files_of_passwords if {
	probe := "PGPASSWORD=${PGPOOL_POSTGRES_PASSWORD} psql -U a -tA -c 'SELECT 1'"
	pgpool("PGPOOL_POSTGRES_PASSWORD_FILE", probe) == {["error", "Deployment web asks in its readinessProbe with $PGPOOL_POSTGRES_PASSWORD, and has PGPOOL_POSTGRES_PASSWORD_FILE alone, which no probe reads: it never succeeds. Write $(cat \"$PGPOOL_POSTGRES_PASSWORD_FILE\")."]}
	pgpool("PGPOOL_POSTGRES_PASSWORD", probe) == set()
	pgpool("PGPOOL_ADMIN_PASSWORD_FILE", probe) == set()
	pgpool("PGPOOL_POSTGRES_PASSWORD_FILE", "PGPASSWORD=$(< $PGPOOL_POSTGRES_PASSWORD_FILE) psql -U a -c 'SELECT 1'") == set()
	pgpool("PGPOOL_POSTGRES_PASSWORD_FILE", "/opt/bitnami/scripts/pgpool/healthcheck.sh") == set()
}
