# Generated from repositories.json by "make generate". Do not edit.
package walguard.lib.image

repositories := {"title": "Images that moved", "rows": [{"repositories": ["docker.io/bitnami/postgresql", "docker.io/bitnami/postgresql-repmgr", "docker.io/bitnami/pgpool"], "kept_tags": ["latest"], "state": "gone", "since": "2025-08-28", "now": "docker.io/bitnamilegacy", "source": "https://github.com/bitnami/containers/issues/83267", "date": "2026-11-22"}, {"repositories": ["docker.io/bitnamilegacy/postgresql", "docker.io/bitnamilegacy/postgresql-repmgr"], "state": "frozen", "since": "2025-08-28", "source": "https://github.com/bitnami/containers/issues/83267", "date": "2026-11-22"}]}
