# Generated from removals.json by "make generate". Do not edit.
package walguard.operators

removals := {
	"rows": [{"date": "2026-11-22", "field": "backup.barmanObjectStore", "group": "postgresql.cnpg.io", "instead": "the Barman Cloud plugin (spec.plugins and an ObjectStore)", "of": "backups", "release": "CloudNativePG 1.31.0", "source": "https://github.com/cloudnative-pg/cloudnative-pg/blob/main/docs/src/release_notes/v1.30.md", "what": "spec.backup.barmanObjectStore"}, {"date": "2026-11-29", "field": "monitoring.enablePodMonitor", "group": "postgresql.cnpg.io", "instead": "a PodMonitor of your own", "of": "metrics", "release": "a coming release of CloudNativePG", "source": "https://github.com/cloudnative-pg/cloudnative-pg/blob/main/config/crd/bases/postgresql.cnpg.io_clusters.yaml", "what": "spec.monitoring.enablePodMonitor"}],
	"title": "Removals that operators announced",
}
