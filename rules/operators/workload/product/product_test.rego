package walguard.operators.workload.product_test

import data.walguard.operators.workload.product

test_majors_and_homes if {
	every reference, wanted in {
		"postgres:17.6": [17, "/var/lib/postgresql/data"],
		"postgres:18-alpine": [18, "/var/lib/postgresql/18/docker"],
		"registry.example:5000/library/postgres:16@sha256:ab": [16, "/var/lib/postgresql/data"],
		"postgis/postgis:16-3.4": [16, "/var/lib/postgresql/data"],
		"kartoza/postgis:16-3.4": [16, "/var/lib/postgresql/16/main"],
		"docker.io/kartoza/postgis:17-3.5--2024.12.01": [17, "/var/lib/postgresql/17/main"],
		"pgvector/pgvector:pg17": [17, "/var/lib/postgresql/data"],
		"pgvector/pgvector:0.8.0-pg18-trixie": [18, "/var/lib/postgresql/18/docker"],
		"timescale/timescaledb:2.18.0-pg15": [15, "/var/lib/postgresql/data"],
		"timescale/timescaledb-ha:pg17.2-ts2.18": [17, "/home/postgres/pgdata/data"],
		"docker.io/bitnami/postgresql:17.6.0-debian-12-r4": [17, "/bitnami/postgresql/data"],
		"bitnami/postgresql-repmgr:16": [16, "/bitnami/postgresql/data"],
	} {
		known := product.of(reference)
		[known.major, known.home] == wanted
	}
}

test_without_a_version if {
	product.of("postgres") == {"name": "postgres", "layout": "docker", "published": true}
	product.of("corp/postgres:latest") == {"name": "postgres", "layout": "docker"}
	not product.of("ghcr.io/zalando/spilo-17:4.0-p3").major
	product.of("ghcr.io/zalando/spilo-17:4.0-p3").layout == "spilo"
}

test_editions if {
	product.of("registry.postgrespro.ru/postgrespro-ent-16:16.6") == {"name": "postgrespro-ent-16", "layout": "other", "edition": "postgrespro-enterprise", "major": 16}
	product.of("apposha/appos:15").edition == "appos"
	product.of("polardb/polardb_pg_local_instance:15").edition == "polardb"
}

test_published if {
	every reference in ["postgres:17", "docker.io/library/postgres:17@sha256:ab", "public.ecr.aws/docker/library/postgres:17", "bitnamilegacy/postgresql:17", "timescale/timescaledb:2.20.0-pg17"] {
		product.of(reference).published
	}
	every reference in ["mirror.gcr.io/postgres:17", "registry.gitlab.com/team/dependency_proxy/containers/postgres:16", "harbor.example.com/dockerhub/postgres:15", "corp.example/proxy-cache/postgres:17"] {
		product.of(reference).published
	}
	not product.of("corp.example/postgres:17").published
	not product.of("docker.io/team/postgres:17").published
	not product.of("corp.example/proxysql/postgres:17").published
}

test_no_servers if {
	every reference in [
		"quay.io/prometheuscommunity/postgres-exporter:v0.17.1",
		"ghcr.io/zalando/postgres-operator:v1.14",
		"bitnami/pgbouncer:1",
		"edoburu/pgbouncer",
		"dpage/pgadmin4",
		"ghcr.io/cloudnative-pg/postgresql:17",
		"bitnami/postgres-exporter",
		"prodrigestivill/postgres-backup-local:17",
		"spilo-x",
		"",
	] {
		not product.of(reference)
	}
}

# By these repositories, and at a mirror by the names that they have there.
test_repositories_that_are_published if {
	every name in [
		"postgres", "library/postgres", "index.docker.io/library/postgres", "public.ecr.aws/docker/library/postgres", "supabase/postgres", "postgis/postgis", "pgvector/pgvector",
		"timescale/timescaledb", "timescale/timescaledb-ha", "bitnami/postgresql", "bitnami/postgresql-repmgr", "bitnamilegacy/postgresql", "bitnamilegacy/postgresql-repmgr",
		"quay.io/sclorg/postgresql-16-c9s",
	] {
		product.of(concat(":", [name, "16"])).published
	}
	every name in [
		"library/postgres", "postgis/postgis", "pgvector/pgvector", "timescale/timescaledb", "timescale/timescaledb-ha", "bitnami/postgresql", "bitnami/postgresql-repmgr",
	] {
		product.of(sprintf("mirror.example.com/%s:16", [name])).published
		product.of(sprintf("mirror:5000/proxy/%s@sha256:0123", [name])).published
	}
	every name in ["postgis/postgis", "pgvector/pgvector", "timescale/timescaledb", "bitnami/postgresql"] {
		not product.of(sprintf("mirror/proxy/%s:16", [name])).published
	}

	# Whoever calls a registry a mirror or a cache rebuilds nothing in it.
	every name in ["mirror.example.com/postgres", "mirror/proxy/library/postgres", "mirror.gcr.io/postgres", "registry.example.com/docker-hub/postgres"] {
		product.of(concat(":", [name, "16"])).published
	}
	every name in ["mine/postgres", "registry.example.com/postgres", "registry.example.com/mine/postgres", "registry.example.com/supabase/postgres"] {
		not product.of(concat(":", [name, "16"])).published
	}
}

# Red Hat names a repository after the major, without the dot that 9.6 has.
test_majors_of_repositories if {
	{name: product.of(sprintf("quay.io/sclorg/%s:latest", [name])).major | some name in ["postgresql-96-centos7", "postgresql-9-c9s", "postgresql-16-c9s"]} == {
		"postgresql-96-centos7": 9,
		"postgresql-9-c9s": 9,
		"postgresql-16-c9s": 16,
	}
}
