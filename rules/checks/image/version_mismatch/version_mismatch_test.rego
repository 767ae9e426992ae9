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

test_silent_when_unknown if {
	findings(crunchy("corp.example/postgres:13.4", 14)) == set()
	findings(crunchy("corp.example/crunchy-postgres:latest", 14)) == set()
	findings(crunchy("corp.example/crunchy-postgres:${TAG}", 14)) == set()
	findings(crunchy("corp.example/crunchy-postgres:ubi9-13.4-1", "${MAJOR}")) == set()
	findings(percona("percona/percona-distribution-postgresql:latest")) == set()
	findings(percona("percona/percona-postgresql-operator:2.4.0")) == set()
	findings(zalando("corp.example/spilo:15")) == set()
}
