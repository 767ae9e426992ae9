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
