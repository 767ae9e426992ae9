# Generated from removals.json by "make generate". Do not edit.
package walguard.operators

removals := {"title": "Removals that operators announced", "rows": [{"operator": "cnpg", "field": "backup.barmanObjectStore", "what": "spec.backup.barmanObjectStore", "release": "CloudNativePG 1.31.0", "instead": "the Barman Cloud plugin (spec.plugins and an ObjectStore)", "source": "https://github.com/cloudnative-pg/cloudnative-pg/blob/main/docs/src/release_notes/v1.30.md", "date": "2026-11-22"}]}
