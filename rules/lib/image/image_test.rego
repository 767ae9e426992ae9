package walguard.lib.image_test

import data.walguard.lib.image

test_major if {
	image.major("postgres:17") == 17
	image.major("ghcr.io/cloudnative-pg/postgresql:18.6-system-trixie") == 18
	image.major("registry.example.com:5000/pg/postgresql:14.2@sha256:0123abcd") == 14
}

test_no_version_in_the_tag if {
	not image.major("postgres")
	not image.major("registry.example.com:5000/postgres")
	not image.major("postgres@sha256:0123abcd")
	not image.major("postgres:latest")
	not image.major("postgres:2024.1")
	not image.major("postgres:v17")
	not image.major("team/postgres:1.4.2")
	not image.major("")
}

test_name if {
	image.name("registry.example.com:5000/pg/postgresql:14.2@sha256:0123abcd") == "postgresql"
	image.name("postgres") == "postgres"
}

test_repository if {
	image.repository("postgres") == "docker.io/library/postgres"
	image.repository("postgres:17") == "docker.io/library/postgres"
	image.repository("bitnami/postgresql:16") == "docker.io/bitnami/postgresql"
	image.repository("index.docker.io/bitnami/postgresql@sha256:0123abcd") == "docker.io/bitnami/postgresql"
	image.repository("ghcr.io/cloudnative-pg/postgresql:17") == "ghcr.io/cloudnative-pg/postgresql"
	image.repository("localhost:5000/postgres:17") == "localhost:5000/postgres"
}

test_digest if {
	image.digest("postgres:17@sha256:0123abcd") == "sha256:0123abcd"
	not image.digest("postgres:17")
}

test_minor if {
	every text, minor in {
		"17.6": 6,
		"17.6-bookworm": 6,
		"17.6.0-debian-12-r5": 6,
		"ubi9-17.6-2": 6,
		"pg17.6-ts2.22": 6,
		"17.0": 0,
	} {
		image.minor_of(text, 17) == minor
	}
}

test_no_minor if {
	every text in ["17", "17-3.4", "latest", "16.4", "2.17.6", ""] {
		not image.minor_of(text, 17)
	}
}

test_libc if {
	image.libc("postgres:17-bookworm") == {"family": "glibc", "version": "2.36", "distribution": "bookworm"}
	image.libc("example.com/pg:17-alpine3.22") == {"family": "musl", "distribution": "alpine"}
	image.libc("example.com/pg:ubi9-17.6-2") == {"family": "glibc", "version": "2.34", "distribution": "ubi9"}
	image.libc("bitnami/postgresql:16.4.0-debian-12-r9") == {"family": "glibc", "version": "2.36", "distribution": "bookworm"}
	image.libc("bitnamilegacy/postgresql:16.4.0-debian-11") == {"family": "glibc", "version": "2.31", "distribution": "bullseye"}
	image.libc("postgres:17") == {"family": "glibc"}
	not image.libc("example.com/pg:17")
}

test_floating if {
	every reference in ["postgres", "postgres:latest", "postgres:alpine3.22", "example.com:5000/postgres", "crunchy-postgres:ubi9"] {
		image.floating(reference)
	}
}

test_fixed if {
	every reference in ["postgres:17", "postgres@sha256:0123abcd", "postgres:latest@sha256:0123abcd", "postgres:v2", "timescaledb:latest-pg17", "POSTGRES"] {
		not image.floating(reference)
	}
}

test_gone if {
	image.gone("bitnami/postgresql:16").state == "gone"
	image.gone("bitnamilegacy/postgresql:16").state == "frozen"
	not image.gone("bitnami/postgresql")
	not image.gone("postgres:16")
}

test_repository_on_the_host_itself if {
	image.repository("localhost/pg:17") == "localhost/pg"
	image.repository("local/pg:17") == "docker.io/local/pg"
}

test_user if {
	image.server_user("postgres:17.6") == 999
	image.server_user("postgres:17.6-alpine3.22") == 70
	image.server_user("ghcr.io/cloudnative-pg/postgresql:17.6") == 26
	image.server_user("ghcr.io/ferretdb/postgres-documentdb:17-0.102.0-ferretdb-2.0.0") == 999
	image.server_user("ghcr.io/immich-app/postgres:16-vectorchord0.3.0-pgvectors0.3.0") == 999
	image.server_user("ghcr.io/tensorchord/cloudnative-vectorchord:17.5-0.4.2") == 26
	not image.server_user("ghcr.io/cloudnative-pg/postgresql-containers:17")
	not image.server_user("example.com/postgres:17")
}

test_timescale_moves if {
	every reference in ["timescale/timescaledb-ha:pg17", "timescale/timescaledb-ha:pg17.6-all", "timescale/timescaledb:latest-pg17"] {
		image.timescale_moves(reference)
	}
	every reference in ["timescale/timescaledb-ha:pg17.6-ts2.22.0", "timescale/timescaledb-ha:pg17@sha256:0123abcd", "timescale/timescaledb:2.22.0-pg17"] {
		not image.timescale_moves(reference)
	}
}

test_locales if {
	image.locales("ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie") == {"c", "posix", "c.utf8"}
	every reference in ["postgres:17.6", "postgis/postgis:17-3.5", "pgvector/pgvector:0.8.0-pg17"] {
		"en_us.utf8" in image.locales(reference)
	}
	not image.locales("ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie")
	not image.locales("ghcr.io/cloudnative-pg/postgresql:17.6")
	not image.locales("postgres:17.6-alpine3.22")
	not image.locales("example.com/postgres:17")
}

# Docker Hub has several names, and its own images stand in "library".
test_repositories_of_docker_hub if {
	every host in ["docker.io", "index.docker.io", "registry-1.docker.io"] {
		image.repository(concat("/", [host, "postgres:17"])) == "docker.io/library/postgres"
		image.repository(concat("/", [host, "bitnami/postgresql:17"])) == "docker.io/bitnami/postgresql"
	}
	image.repository("registry-2.docker.io/postgres:17") == "registry-2.docker.io/postgres"
}

test_libraries_of_c if {
	every reference in ["postgres:17", "postgres", "public.ecr.aws/docker/library/postgres:17"] {
		image.libc(reference) == {"family": "glibc"}
	}
	not image.libc("postgis/postgis:17-3.5")
}

test_programs_that_an_image_lacks if {
	every tag in ["17.6-minimal-trixie", "17-standard-bookworm"] {
		kind := split(tag, "-")[1]
		every name in ["postgresql", "postgis"] {
			image.without(sprintf("ghcr.io/cloudnative-pg/%s:%s", [name, tag]), "barman-cloud-wal-archive") == kind
		}
		not image.without(sprintf("ghcr.io/cloudnative-pg/postgresql:%s", [tag]), "wal-g")
		not image.without(sprintf("ghcr.io/cloudnative-pg/postgresql:%s", [tag]), "wal-barman-")
		not image.without(sprintf("ghcr.io/cloudnative-pg/pgbouncer:%s", [tag]), "barman-cloud-restore")
		not image.without(sprintf("example.com/ghcr.io/cloudnative-pg/postgresql:%s", [tag]), "barman-cloud-restore")
	}
	not image.without("ghcr.io/cloudnative-pg/postgresql:17.6-system-trixie", "barman-cloud-restore")
}

test_images_with_no_manager if {
	every reference in [
		"bitnami/postgresql:17", "bitnamilegacy/postgresql:17", "bitnamisecure/postgresql:latest", "postgres:17", "pgvector/pgvector:pg17", "postgis/postgis:17-3.5",
		"timescale/timescaledb:2.22.0-pg17", "ghcr.io/cloudnative-pg/postgis:17", "ghcr.io/cloudnative-pg/postgresql:17.6", "public.ecr.aws/docker/library/postgres:17",
	] {
		image.postgres_alone(reference)
	}
	every reference in ["timescale/timescaledb-ha:pg17", "ghcr.io/zalando/spilo-17:4.0-p3", "bitnami/postgresql-repmgr:17", "example.com/postgres:17"] {
		not image.postgres_alone(reference)
	}
}

strange := [
	"age", "anon", "bg_mon", "citus", "credcheck", "hypopg", "orioledb", "pg_cron", "pg_documentdb", "pg_documentdb_core", "pg_duckdb", "pg_hint_plan", "pg_net",
	"pg_partman_bgw", "pg_qualstats", "pg_search", "pg_squeeze", "pg_stat_kcache", "pg_stat_monitor", "pg_textsearch", "pg_wait_sampling", "pgactive", "pgauditlogtofile",
	"pgextwlist", "pglogical", "pgnodemx", "pgsodium", "plan_filter", "plprofiler", "plrust", "powa", "repmgr", "set_user", "spock", "supabase_vault", "supautils",
	"timescaledb", "vchord", "vchord_bm25", "vectors", "wal2json",
]

# Libraries that the official image has not: those that CloudNativePG's has not either, and those that it has.
test_libraries_that_an_image_lacks if {
	every library in strange {
		every reference in ["postgres:17", "public.ecr.aws/docker/library/postgres:17", "postgis/postgis:17-3.5", "pgvector/pgvector:pg17", "ghcr.io/cloudnative-pg/postgresql:17", "ghcr.io/cloudnative-pg/postgis:17"] {
			image.lacks(reference, library)
		}
		not image.lacks("example.com/postgres:17", library)
	}
	every library in ["pgaudit", "pg_failover_slots", "vector"] {
		image.lacks("postgres:17", library)
		every place in ["ghcr.io/cloudnative-pg/postgresql", "ghcr.io/cloudnative-pg/postgis"] {
			not image.lacks(sprintf("%s:17.6-standard-trixie", [place]), library)
			image.lacks(sprintf("%s:17.6-minimal-trixie", [place]), library)
		}
		not image.lacks("example.com/postgres:17-minimal", library)
	}
	image.lacks("pgvector/pgvector:pg17", "pgaudit")
	not image.lacks("pgvector/pgvector:pg17", "vector")
	every library in ["auto_explain", "pg_stat_statements", "pg_prewarm", "auth_delay"] {
		not image.lacks("postgres:17", library)
	}
}

test_library_that_bitnami_leaves_out if {
	every reference in ["bitnami/postgresql:17", "bitnamilegacy/postgresql-repmgr:17", "bitnamisecure/postgresql:latest"] {
		image.lacks(reference, "pg_cron")
		not image.lacks(reference, "pgaudit")
	}
	every reference in ["bitnami/postgresql-exporter:1", "mine/postgresql:17", "example.com/bitnamiother/postgresql:17"] {
		not image.lacks(reference, "pg_cron")
	}
}

test_users_of_images if {
	every repository, user in {
		"tensorchord/pgvecto-rs": 999, "tensorchord/vchord-postgres": 999, "timescale/timescaledb": 70, "timescale/timescaledb-ha": 1000,
		"ghcr.io/cloudnative-pg/postgis": 26, "ghcr.io/cloudnative-pg/postgresql": 26, "ghcr.io/immich-app/postgres": 999,
		"ghcr.io/tensorchord/cloudnative-pgvecto.rs": 26, "ghcr.io/tensorchord/cloudnative-vectorchord": 26, "ghcr.io/tensorchord/vchord-postgres": 999,
		"postgres": 999, "pgvector/pgvector": 999, "postgis/postgis": 999, "public.ecr.aws/docker/library/postgres": 999,
	} {
		image.server_user(concat(":", [repository, "17"])) == user
	}
	every repository in ["postgres", "pgvector/pgvector", "postgis/postgis", "public.ecr.aws/docker/library/postgres"] {
		image.server_user(concat(":", [repository, "17-alpine"])) == 70
	}
}

test_majors_of_the_operators_images if {
	every reference, major in {
		"example.com/crunchy-postgres:ubi9-16.3-2": 16, "example.com/crunchy-postgres-gis:centos8-14.2-3.1-0": 14, "crunchy-postgres:rhel9-17.5-2": 17,
		"percona/percona-distribution-postgresql:17.5-2": 17, "percona/percona-postgresql-operator:2.4.0-ppg16.3-postgres": 16,
		"percona/percona-postgresql-operator:2.4.0-ppg15-postgres": 15,
	} {
		image.operators_major(reference) == major
	}
	every reference in [
		"example.com/crunchy-pgbouncer:ubi9-16.3-2", "example.com/crunchy-postgres:16.3", "percona/percona-distribution-postgresql:2.4.0-ppg16.3-postgres",
		"percona/percona-pgbouncer:17.5-2", "percona/percona-postgresql-operator:2.4.0", "example.com/postgres:2.4.0-ppg16.3-postgres",
	] {
		not image.operators_major(reference)
	}
}

test_all_locales if {
	every reference in ["postgres:17", "public.ecr.aws/docker/library/postgres:17"] {
		image.locales(reference) == {"c", "posix", "c.utf8", "en_us.utf8"}
	}
	not image.locales("ghcr.io/cloudnative-pg/postgis:17-minimal-trixie")
	not image.locales("ghcr.io/cloudnative-pg/postgresql:17-minimalist")
}

test_extensions_that_an_image_lacks if {
	every extension in ["postgis", "pg_partman", "vector"] {
		image.lacks_extension("postgres:17", extension)
		not image.lacks_extension("example.com/postgres:17", extension)
	}
	image.lacks_extension("timescale/timescaledb:2.23.0-pg17-oss", "vectorscale")
	image.lacks_extension("timescale/timescaledb:2.23.0-pg17", "postgis")
	not image.lacks_extension("timescale/timescaledb:2.23.0-pg17", "vector")
	not image.lacks_extension("timescale/timescaledb:2.0.0-pg12-bitnami", "pg_cron")
	not image.lacks_extension("timescale/timescaledb-ha:pg17.6-ts2.22.0", "vectorscale")
	image.lacks_extension("postgis/postgis:17-3.5", "vector")
	not image.lacks_extension("postgis/postgis:17-3.5", "postgis_topology")
	not image.lacks_extension("pgvector/pgvector:pg17", "vector")
	image.lacks_extension("pgvector/pgvector:pg17", "postgis")
	not image.lacks_extension("postgres:17", "pg_trgm")
}

test_images_of_extensions if {
	image.brought("ghcr.io/cloudnative-pg/pgvector:0.8.1-18-trixie") == ["vector"]
	"postgis" in image.brought("ghcr.io/cloudnative-pg/postgis-extension:3.6.4-18-trixie")
	not image.brought("example.com/pgvector:0.8.1-18-trixie")
	every tag, major in {
		"0.8.1-18-trixie": 18,
		"18.0-202601020304-18-bookworm": 18,
		"0.8.1-pg19": 19,
		"pg18-v1.0.0": 18,
		"v0.2-pg18-trixie": 18,
	} {
		image.extension_major(sprintf("ghcr.io/x/y:%s", [tag])) == major
	}
	every reference in ["ghcr.io/x/y", "ghcr.io/x/y:0.8.1", "ghcr.io/x/y:18.1", "ghcr.io/x/y:pg17-pg18", "ghcr.io/x/y@sha256:0123"] {
		not image.extension_major(reference)
	}
}

test_extensions_that_spilo_lacks if {
	image.lacks_extension("registry.opensource.zalan.do/acid/spilo-15:2.1-p9", "vector")
	image.lacks_extension("ghcr.io/zalando/spilo-15:3.0-p1", "vector")
	not image.lacks_extension("ghcr.io/zalando/spilo-16:3.1-p1", "vector")
	not image.lacks_extension("ghcr.io/zalando/spilo-17:4.0-p2", "vector")
	not image.lacks_extension("registry.example.org/acid/spilo-15:2.1-p9", "vector")
	image.lacks_extension("ghcr.io/zalando/spilo-17:4.0-p2", "gzip")
	image.lacks_extension("registry.opensource.zalan.do/acid/spilo-14:2.1-p3", "pg_bigm")
	not image.lacks_extension("ghcr.io/zalando/spilo-17:4.0-p2", "pg_partman")
	not image.lacks_extension("registry.example.org/acid/spilo-14:1", "gzip")
}
