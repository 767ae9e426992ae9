package walguard.checks.durability.data_checksums_test

import data.walguard.checks.durability.data_checksums as check
import data.walguard.lib.manifest_test as manifests

findings(spec) := found if found := check.findings with input as manifests.review({}, spec)

test_by_default if {
	findings({"bootstrap": {"initdb": {"database": "orders"}}}) == {{
		"message": "CloudNativePG prod/orders is made without data checksums (spec.bootstrap.initdb.dataChecksums does not ask for them, and initdb of PostgreSQL 17 makes none by default): a page that the disk damages is read as if it were good, and reaches replicas and backups. They are chosen when the cluster is created; turn them on there",
		"path": ["spec", "bootstrap", "initdb", "dataChecksums"],
		"severity": "info",
	}}
}

test_refused if {
	findings({"imageName": "postgresql:18.1", "bootstrap": {"initdb": {"options": ["--no-data-checksums"]}}}) == {{
		"message": "CloudNativePG prod/orders is made without data checksums (spec.bootstrap.initdb.options[0] asks for none): a page that the disk damages is read as if it were good, and reaches replicas and backups. They are chosen when the cluster is created; turn them on there",
		"path": ["spec", "bootstrap", "initdb", "options", 0],
		"severity": "warning",
	}}
}

test_on if {
	findings({"bootstrap": {"initdb": {"dataChecksums": true}}}) == set()
	findings({"imageName": "postgresql:18.1"}) == set()
}

test_silent_when_unknown if {
	findings({"imageName": "example.com/database"}) == set()
	findings({"bootstrap": {"recovery": {"source": "old"}}}) == set()
}

test_archived if {
	{f.severity | some f in findings({"backup": {"barmanObjectStore": {"destinationPath": "s3://b"}}})} == {"warning"}
}
