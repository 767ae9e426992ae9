package walguard.checks.image.floating_tag_test

import data.walguard.checks.image.floating_tag as check
import data.walguard.lib.image_manifest_test as images

findings(image) := found if found := check.findings with input as images.workload(image)

test_latest if {
	findings("postgres:slim") == {{
		"message": "The image postgres:slim names no version: a later pull may bring another major of PostgreSQL, which does not start on this data. Write the version that runs now (SHOW server_version) into the tag.",
		"path": images.image_path,
	}}
}

test_floating if {
	every image in ["postgres", "postgres:alpine", "postgres:alpine3.22", "postgres:bookworm", "postgis/postgis:latest"] {
		count(findings(image)) == 1
	}
}

test_pinned if {
	every image in ["postgres:17", "postgres:17-alpine", "postgres@sha256:0123abcd", "postgres:latest@sha256:0123abcd", "example.com/postgres:v2.1.0", "quay.io/sclorg/postgresql-16-c9s:latest", "registry.redhat.io/rhel9/postgresql-16"] {
		findings(image) == set()
	}
}

test_filled_in_later if {
	every image in ["${IMAGE}", "postgres:${TAG}", "<IMAGE>", "postgres:{{ .Values.tag }}"] {
		findings(image) == set()
	}
}

test_nothing_named if {
	found := check.findings with input as {"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders"}, "spec": {"instances": 1, "storage": {"size": "1Gi"}}}}}
	found == set()
}

test_data_that_go_with_the_pod if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"},
		"spec": {"containers": [{"name": "postgres", "image": "postgres", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}], "volumes": [{"name": "data", "emptyDir": {}}]},
	}}}
	found == set()
}

# timescaledb-docker-ha 601: the library of the version that the databases have is not in the next image.
test_extension_that_moves if {
	findings("timescale/timescaledb:latest-pg16") == {{
		"message": "The image timescale/timescaledb:latest-pg16 names no version of TimescaleDB: the next pull may bring one that lacks the library of the extension in these databases. Write the version that runs (\\dx) into the tag.",
		"path": images.image_path,
	}}
	every image in ["timescale/timescaledb:2.22.0-pg17", "timescale/timescaledb:latest-pg16@sha256:0123abcd"] {
		findings(image) == set()
	}
}

mounted(image, at, more) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"template": {"spec": {"containers": [object.union({"name": "postgres", "image": image, "volumeMounts": [{"name": "data", "mountPath": at}]}, more)]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
	},
}}}

test_what_the_tag_has_become if {
	former := "/var/lib/postgresql/data"
	every image, more in {"postgres": {}, "postgres:latest": {}, "docker.io/library/postgres:alpine": {"imagePullPolicy": "Always"}} {
		{[f.severity, f.message] | some f in mounted(image, former, more)} == {["error", sprintf("The image %s is PostgreSQL 18 or later by now, which refuses to start with a volume at /var/lib/postgresql/data. Write the version that the data are of into the tag, or mount a new volume at /var/lib/postgresql.", [image])]}
	}
	every case in [
		["postgres:alpine3.16", former, {}],
		["postgis/postgis:latest", former, {}],
		["postgres:latest", "/var/lib/postgresql", {}],
		["postgres:latest", former, {"imagePullPolicy": "IfNotPresent"}],
		# A node may keep an older one, unless the tag is latest.
		["postgres:alpine", former, {}],
		["postgres:latest", former, {"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}]}],
	] {
		[image, at, more] := case
		{object.get(f, "severity", "warning") | some f in mounted(image, at, more)} == {"warning"}
	}
	mounted("postgres:17", former, {}) == set()
}

always(image, env) := mounted(image, "/var/lib/postgresql/data", {"imagePullPolicy": "Always", "env": env})

test_release_of_debian if {
	every image, tag in {"postgres:16": "16", "public.ecr.aws/docker/library/postgres:16": "16", "pgvector/pgvector:pg16": "pg16"} {
		{f.message | some f in always(image, [])} == {sprintf("The image %s is pulled at every start and names no Debian release: the next one brings a glibc that sorts differently, and indexes miss rows. Write the release that runs now (/etc/os-release) into the tag: %s-bookworm.", [image, tag])}
	}
	every env in [[{"name": "POSTGRES_INITDB_ARGS", "value": "--locale=de_DE.UTF-8"}], [{"name": "LANG", "value": "en_US.utf8"}]] {
		count(always("postgres:16", env)) == 1
	}
}

test_sorting_that_stays if {
	every image in ["postgres:16-bookworm", "postgres:16-alpine", "postgres:16.4", "postgis/postgis:16-3.4", "postgres:16@sha256:0123abcd", "registry.example.com/postgres:16"] {
		always(image, []) == set()
	}
	every args in ["--no-locale", "--locale=C", "--locale C.UTF-8", "--locale-provider=builtin --builtin-locale=C.UTF-8", "--locale-provider=icu --icu-locale=en", "--lc-collate=POSIX"] {
		always("postgres:16", [{"name": "POSTGRES_INITDB_ARGS", "value": args}]) == set()
	}
	every name in ["LANG", "LC_ALL", "LC_COLLATE"] {
		always("postgres:16", [{"name": name, "value": "C"}]) == set()
		always("postgres:16", [{"name": name, "valueFrom": {"secretKeyRef": {"name": "db", "key": "locale"}}}]) == set()
	}
	always("postgres:16", [{"name": "POSTGRES_INITDB_ARGS", "value": "${ARGS}"}]) == set()
	mounted("postgres:16", "/var/lib/postgresql/data", {"imagePullPolicy": "IfNotPresent"}) == set()
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"},
		"spec": {"containers": [{"name": "postgres", "image": "postgres:16", "imagePullPolicy": "Always", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}], "volumes": [{"name": "data", "emptyDir": {}}]},
	}}}
	found == set()
}
