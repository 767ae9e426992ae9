package walguard.checks.image.patroni_missing_test

import data.walguard.checks.image.patroni_missing as check

findings(api_version, kind, spec) := found if found := check.findings with input as {"review": {"object": {"apiVersion": api_version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}}}

test_official_image if {
	findings("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", {"postgresVersion": 17, "image": "postgres:17.6"}) == {{
		"message": "The image postgres:17.6 has no Patroni, with which the operator starts the server: no instance starts. Take an image of the operator's project, or leave the field out.",
		"path": ["spec", "image"],
	}}
}

test_images_without_patroni if {
	every image in ["docker.io/library/postgres:17", "postgis/postgis:17-3.5", "pgvector/pgvector:pg17", "bitnamilegacy/postgresql:17.6.0", "timescale/timescaledb:2.22.0-pg17", "ghcr.io/cloudnative-pg/postgresql:17.6"] {
		count(findings("pgv2.percona.com/v2", "PerconaPGCluster", {"postgresVersion": 17, "image": image})) == 1
		count(findings("acid.zalan.do/v1", "postgresql", {"dockerImage": image})) == 1
	}
}

test_images_of_operators if {
	findings("acid.zalan.do/v1", "postgresql", {"dockerImage": "ghcr.io/zalando/spilo-17:4.0-p3"}) == set()
	findings("acid.zalan.do/v1", "postgresql", {}) == set()
	findings("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", {"postgresVersion": 17, "image": "registry.developers.crunchydata.com/crunchydata/crunchy-postgres:ubi9-17.6-2534"}) == set()
}

test_silent_when_unknown if {
	findings("acid.zalan.do/v1", "postgresql", {"dockerImage": "registry.example.com/postgres:17"}) == set()
	findings("acid.zalan.do/v1", "postgresql", {"dockerImage": "timescale/timescaledb-ha:pg17.6-ts2.22.0"}) == set()
	findings("acid.zalan.do/v1", "postgresql", {"dockerImage": "${IMAGE}"}) == set()
}

test_silent_where_the_server_runs_alone if findings("postgresql.cnpg.io/v1", "Cluster", {"imageName": "postgres:17.6"}) == set()

running(command) := found if found := check.findings with input as {"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{
	"name": "patroni",
	"image": "postgres:17.6",
	"command": command,
	"env": [{"name": "PATRONI_SCOPE", "value": "orders"}],
}]}}}}}}

# Whoever installs it first has it.
test_container_that_starts_it if {
	running(["patroni", "/etc/patroni.yml"]) == {{
		"message": "The image postgres:17.6 has no Patroni, which the container's command starts: it ends at once. Take an image with Patroni, such as ghcr.io/zalando/spilo-17.",
		"path": ["spec", "template", "spec", "containers", 0, "image"],
	}}
	running(["bash", "-c", "pip3 install patroni[kubernetes]\npatroni /etc/patroni.yml"]) == set()
	running(["/scripts/start.sh"]) == set()
}
