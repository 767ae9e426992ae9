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
	image.libc("postgres:17") == {"family": "glibc"}
	not image.libc("example.com/pg:17")
}

test_floating if {
	every reference in ["postgres", "postgres:latest", "postgres:alpine3.22", "example.com:5000/postgres", "crunchy-postgres:ubi9"] {
		image.floating(reference)
	}
}

test_fixed if {
	every reference in ["postgres:17", "postgres@sha256:0123abcd", "postgres:latest@sha256:0123abcd", "postgres:v2", "timescaledb:latest-pg17"] {
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
	"en_us.utf8" in image.locales("postgres:17.6")
	not image.locales("ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie")
	not image.locales("ghcr.io/cloudnative-pg/postgresql:17.6")
	not image.locales("postgres:17.6-alpine3.22")
	not image.locales("example.com/postgres:17")
}
