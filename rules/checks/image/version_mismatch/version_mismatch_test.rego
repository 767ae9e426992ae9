package walguard.checks.image.version_mismatch_test

import data.walguard.checks.image.version_mismatch as check

findings(object) := found if found := check.findings with input as {"review": {"object": object}}

crunchy(image, version) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo", "namespace": "prod"},
	"spec": {"image": image, "postgresVersion": version},
}

percona(image) := {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "c", "namespace": "prod"}, "spec": {"image": image, "postgresVersion": 16}}

zalando(image) := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-c", "namespace": "prod"}, "spec": {"dockerImage": image, "postgresql": {"version": "16"}}}

halts(has, wanted) := sprintf("The image has PostgreSQL %d and the resource asks for %d: the pods stop at \"Expected PostgreSQL version\" and no instance starts. Write the same major in both.", [has, wanted])

test_crunchy if {
	findings(crunchy("registry.developers.crunchydata.com/crunchydata/crunchy-postgres:centos8-13.4-1", 14)) == {{"message": halts(13, 14), "path": ["spec", "image"]}}
	findings(crunchy("registry.developers.crunchydata.com/crunchydata/crunchy-postgres-gis:ubi8-13.4-3.1-0", 14)) == {{"message": halts(13, 14), "path": ["spec", "image"]}}
	findings(crunchy("registry.developers.crunchydata.com/crunchydata/crunchy-postgres:ubi9-14.4-1", 14)) == set()
}

test_percona if {
	findings(percona("percona/percona-distribution-postgresql:17.5-2")) == {{"message": halts(17, 16), "path": ["spec", "image"]}}
	findings(percona("percona/percona-postgresql-operator:2.4.0-ppg15.7-postgres")) == {{"message": halts(15, 16), "path": ["spec", "image"]}}
	findings(percona("percona/percona-distribution-postgresql:16.9-1")) == set()
	findings(percona("percona/percona-postgresql-operator:main-ppg16-postgres")) == set()
}

test_spilo_has_older_majors_too if {
	findings(zalando("ghcr.io/zalando/spilo-15:3.0-p1")) == {{
		"message": "The image has PostgreSQL 15 and the resource asks for 16: Spilo does not find it and creates the cluster with the newest that the image has. Write the same major in both.",
		"path": ["spec", "dockerImage"],
	}}
	findings(zalando("ghcr.io/zalando/spilo-17:4.0-p2")) == set()
}

configured(version, objects) := found if found := check.findings with input as {
	"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-c", "namespace": "prod"}, "spec": {"postgresql": {"version": version}}}},
	"inventory": {"namespace": {"ops": objects}},
}

operator_of(image) := {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "o", "namespace": "ops"}, "configuration": {"docker_image": image}}}}}

map_of(image) := {"v1": {"ConfigMap": {"o": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o", "namespace": "ops"}, "data": {"docker_image": image, "pod_role_label": "spilo-role"}}}}}

test_spilo_of_the_operator if {
	message := "The image has PostgreSQL 16 and the resource asks for 17: Spilo does not find it and creates the cluster with the newest that the image has. Write the same major in both."
	every operator in [operator_of("ghcr.io/zalando/spilo-16:3.3-p1"), map_of("ghcr.io/zalando/spilo-16:3.3-p1")] {
		configured("17", operator) == {{"message": message, "path": ["spec", "postgresql", "version"]}}
		configured("16", operator) == set()
		configured("12", operator) == set()
		configured("${MAJOR}", operator) == set()
	}
	configured("17", operator_of("${IMAGE}")) == set()
	configured("17", {}) == set()
}

test_spilo_has_lost_the_oldest if {
	configured("12", operator_of("ghcr.io/zalando/spilo-17:4.0-p3")) == {{
		"message": "The image has PostgreSQL 13 to 17 and the resource asks for 12: Spilo starts 17, which does not read data of 12. Upgrade the cluster to 13 or a later major with an image that still has 12 first.",
		"path": ["spec", "postgresql", "version"],
	}}
	configured("11", operator_of("ghcr.io/zalando/spilo-16:3.2-p3")) == set()
	count(configured("11", operator_of("ghcr.io/zalando/spilo-16:3.3-p3"))) == 1
	configured("9.6", operator_of("ghcr.io/zalando/spilo-14:2.1-p7")) == set()
	configured("12", operator_of("ghcr.io/zalando/spilo-18:4.1-p1")) == set()
}

test_silent_when_unknown if {
	findings(crunchy("corp.example/postgres:13.4", 14)) == set()
	findings(crunchy("corp.example/crunchy-postgres:latest", 14)) == set()
	findings(crunchy("corp.example/crunchy-postgres:${TAG}", 14)) == set()
	findings(crunchy("corp.example/crunchy-postgres:ubi9-13.4-1", "${MAJOR}")) == set()
	findings(percona("percona/percona-distribution-postgresql:latest")) == set()
	findings(percona("percona/percona-postgresql-operator:2.4.0")) == set()
	findings(zalando("corp.example/spilo:15")) == set()
}

programs(spec, objects) := {[f.path, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"postgresVersion": 17}, spec)}},
		"inventory": {"namespace": {"prod": objects}},
	}
}

upgrade(name, image) := {"postgres-operator.crunchydata.com/v1beta1": {"PGUpgrade": {"up": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PGUpgrade", "metadata": {"name": "up", "namespace": "prod"}, "spec": {"postgresClusterName": name, "image": image}}}}}

test_image_of_another_program if {
	programs({"image": "r.example.com/crunchydata/crunchy-pgbackrest:ubi9-2.54.2-2534"}, {}) == {[["spec", "image"], "The image r.example.com/crunchydata/crunchy-pgbackrest:ubi9-2.54.2-2534 is not one of PostgreSQL, and its pods do not start. Take the image of PostgreSQL, or leave the field out."]}
	{p | some [p, _] in programs({"backups": {"pgbackrest": {"image": "r/crunchy-postgres:ubi9-17.6-2534"}}, "proxy": {"pgBouncer": {"image": "r/crunchy-pgbackrest:ubi9-2.54.2-2534"}}}, {})} == {["spec", "backups", "pgbackrest", "image"], ["spec", "proxy", "pgBouncer", "image"]}
	{p | some [p, _] in programs({}, upgrade("orders", "registry.developers.crunchydata.com/crunchydata/postgres-operator:ubi8-5.3.2-0"))} == {["spec", "image"]}
	{m | some [_, m] in programs({"monitoring": {"pgmonitor": {"exporter": {"image": "r/crunchy-postgres-exporter:ubi8-5.0.0-0"}}}}, {})} == {"The exporter r/crunchy-postgres-exporter:ubi8-5.0.0-0 is older than what the operator runs: \"postgres_exporter: command not found\", and no metrics. Take the image of the operator's release, or leave the field out."}
}

test_images_in_their_places if {
	programs({"image": "r/crunchy-postgres-gis:ubi9-17.6-3.5-2534", "backups": {"pgbackrest": {"image": "r/crunchy-pgbackrest:ubi9-2.54.2-2534"}}, "proxy": {"pgBouncer": {"image": "r/crunchy-pgbouncer:ubi9-1.24-2534"}}, "monitoring": {"pgmonitor": {"exporter": {"image": "r/crunchy-postgres-exporter:ubi9-0.17.1-2534"}}}}, {}) == set()
	programs({"image": "percona/percona-postgresql-operator:2.8.2-ppg17-postgres", "backups": {"pgbackrest": {"image": "percona/percona-postgresql-operator:2.8.2-ppg17-pgbackrest"}}}, {}) == set()
	programs({"image": "mine.example.com/postgres-pgbackrest:17", "backups": {"pgbackrest": {"image": "mine.example.com/all"}}}, {}) == set()
	programs({}, upgrade("orders", "r/crunchy-upgrade:ubi8-5.3.2-0")) == set()
	programs({}, upgrade("stock", "r/postgres-operator:ubi8-5.3.2-0")) == set()
}

# ------------------------------------------------------------------------------------------------------- exporters

beside(major, containers, others) := found if {
	found := check.findings with input as {
		"review": {"object": watched(major, containers)},
		"inventory": {"namespace": {"prod": {"apps/v1": object.union({"StatefulSet": {"db": watched(major, containers)}}, others)}}},
	}
}

watched(major, containers) := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": array.concat([{"name": "db", "image": sprintf("postgres:%s", [major])}], containers)}}}}

exporter(tag, more) := object.union({"name": "metrics", "image": sprintf("quay.io/prometheuscommunity/postgres-exporter:%s", [tag])}, more)

alone(container) := {"Deployment": {"metrics": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "metrics", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [container]}}}}}}

at_host(host) := {"env": [{"name": "DATA_SOURCE_URI", "value": sprintf("%s:5432/postgres?sslmode=disable", [host])}]}

test_exporter_older_than_the_server if {
	message := "postgres_exporter 0.15.0 reads columns that PostgreSQL 17 has not (column \"checkpoints_timed\" does not exist): a collector fails at each scrape, and the server logs it. Take release 0.17.1 or newer, or pass --no-collector.stat_bgwriter."
	beside("17.6", [exporter("v0.15.0", at_host("127.0.0.1"))], {}) == {{"message": message, "severity": "warning", "path": ["spec", "template", "spec", "containers", 1, "image"]}}
	beside("17.6", [exporter("v0.15.0", {})], {}) == {{"message": message, "severity": "warning", "path": ["spec", "template", "spec", "containers", 1, "image"]}}
	beside("17.6", [], alone(exporter("0.15.0-debian-12-r43", at_host("db.prod.svc")))) == {{
		"message": message,
		"severity": "warning",
		"path": ["spec", "template", "spec", "containers", 0, "image"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "metrics", "namespace": "prod"},
	}}
}

test_exporters_that_fit if {
	beside("17.6", [exporter("v0.17.1", {})], {}) == set()
	beside("17.6", [exporter("v0.11.1", {})], {}) == set()
	beside("17.6", [exporter("latest", {})], {}) == set()
	beside("17.6", [exporter("v0.15.0", {"args": ["--no-collector.stat_bgwriter"]})], {}) == set()
	beside("17.6", [exporter("v0.15.0", at_host("other"))], {}) == set()
	beside("17.6", [], alone(exporter("v0.15.0", at_host("other")))) == set()
	beside("17.6", [], alone(exporter("v0.15.0", {}))) == set()
	beside("16.10", [exporter("v0.15.0", {})], {}) == set()
}

of_crunchy(spec) := {f.message |
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": object.union({"instances": [{"name": "main"}]}, spec),
	}}}
	some f in found
}

test_image_without_postgis if {
	plain := "registry.developers.crunchydata.com/crunchydata/crunchy-postgres:ubi9-17.6-2534"
	of_crunchy({"postgresVersion": 17, "image": plain, "postGISVersion": "3.4"}) == {sprintf("The image %s has no PostGIS, which postGISVersion asks for: no database gets the extension. Take an image crunchy-postgres-gis with that version, or leave postGISVersion out.", [plain])}
	of_crunchy({"postgresVersion": 17, "image": plain}) == set()
	of_crunchy({"postgresVersion": 17, "image": "example.com/crunchy-postgres-gis:ubi9-17.6-3.4-2534", "postGISVersion": "3.4"}) == set()
}

test_exporter_of_18 if {
	monitored := {"monitoring": {"pgmonitor": {"exporter": {}}}}
	of_crunchy(object.union(monitored, {"postgresVersion": 18})) == {"The operator sets up nothing for postgres_exporter in PostgreSQL 18 (\"use OTel for postgres 18 and later\"): there are no metrics of the server. Take spec.monitoring out and write spec.instrumentation."}
	of_crunchy(object.union(monitored, {"postgresVersion": 17})) == set()
	of_crunchy(object.union(monitored, {"postgresVersion": 18, "instrumentation": {}})) == set()
}

# What the entry of a catalogue says, and what its image is.
of_catalogue(reference) := {f.message | some f in found} if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 1, "storage": {"size": "1Gi"}, "imageCatalogRef": {"apiGroup": "postgresql.cnpg.io", "kind": "ImageCatalog", "name": "own", "major": 17}},
	}},
	"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ImageCatalog": {"own": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "ImageCatalog",
		"metadata": {"name": "own", "namespace": "prod"},
		"spec": {"images": [{"major": 17, "image": reference}]},
	}}}}}},
}

test_catalogue_of_another_major if {
	of_catalogue("ghcr.io/cloudnative-pg/postgresql:15.8") == {"The image has PostgreSQL 15 and the resource asks for 17: the instances run the one, and the operator writes their settings for the other. Correct the entry of the catalogue."}
	every reference in ["ghcr.io/cloudnative-pg/postgresql:17.6", "ghcr.io/cloudnative-pg/postgis:17-3.5", "example.com/pg:15.8", "example.com/postgresql:2024.1", "ghcr.io/cloudnative-pg/postgresql@sha256:1"] {
		of_catalogue(reference) == set()
	}
}
