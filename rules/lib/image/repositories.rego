# Generated from repositories.json by "make generate". Do not edit.
package walguard.lib.image

repositories := {
	"rows": [
		{"date": "2026-11-28", "repositories": ["docker.io/bitnami/postgresql", "docker.io/bitnami/postgresql-repmgr", "docker.io/bitnami/pgpool", "docker.io/bitnami/pgbouncer", "docker.io/bitnami/postgres-exporter", "docker.io/bitnamilegacy/postgresql", "docker.io/bitnamilegacy/postgresql-repmgr", "docker.io/bitnamilegacy/pgpool", "docker.io/bitnamilegacy/pgbouncer", "docker.io/bitnamilegacy/postgres-exporter"], "since": "2025-08-28", "source": "https://github.com/bitnami/charts/issues/36229", "state": "gone", "tags": "-(debian-([89]|10)|centos-7|ol-7)(-|$)"},
		{"date": "2026-11-29", "repositories": ["docker.io/bitnami/postgresql", "docker.io/bitnami/postgresql-repmgr"], "since": "2025-08-28", "source": "https://github.com/bitnami/containers/issues/83267", "state": "gone", "tags": "^(13\\.2[3-9]|14\\.[2-9][0-9]|15\\.(1[5-9]|[2-9][0-9])|16\\.(1[1-9]|[2-9][0-9])|17\\.([7-9]|[1-9][0-9])|(1[89]|[2-9][0-9])(\\.|$))"},
		{"date": "2026-11-22", "kept_tags": ["latest"], "now": "docker.io/bitnamilegacy", "repositories": ["docker.io/bitnami/postgresql", "docker.io/bitnami/postgresql-repmgr", "docker.io/bitnami/pgpool", "docker.io/bitnami/pgbouncer", "docker.io/bitnami/postgres-exporter", "docker.io/bitnami/os-shell", "docker.io/bitnami/kubectl"], "since": "2025-08-28", "source": "https://github.com/bitnami/containers/issues/83267", "state": "gone"},
		{"date": "2026-11-27", "now": "docker.io/bitnamilegacy/os-shell", "repositories": ["docker.io/bitnami/bitnami-shell"], "since": "2025-06-19", "source": "https://github.com/bitnami/containers/issues/82491", "state": "gone"},
		{"date": "2026-11-22", "repositories": ["docker.io/bitnamilegacy/postgresql", "docker.io/bitnamilegacy/postgresql-repmgr"], "since": "2025-08-28", "source": "https://github.com/bitnami/containers/issues/83267", "state": "frozen"},
	],
	"title": "Images that moved",
}
