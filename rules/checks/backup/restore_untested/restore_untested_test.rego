package walguard.checks.backup.restore_untested_test

import data.walguard.checks.backup.restore_untested as check
import data.walguard.model

cluster := {"operator": "CloudNativePG", "namespace": "prod", "name": "orders", "parameters": []}

archiving(value) := {"archiving": {"value": value, "origin": "written", "path": ["spec", "plugins"]}}

backups := [{"finished": "2026-06-15T01:00:00Z", "from": "primary", "name": "b"}]

findings(facts, completed, restores) := found if {
	found := check.findings with model.cluster as object.union(cluster, facts)
		with model.backups as completed
		with model.restores as restores
		with input as {"review": {"object": {}}, "now": "2026-06-15T12:00:00Z"}
}

ready(moment) := [{"ready": moment, "cluster": "orders-restored"}]

untested := {{
	"message": "No restore from these backups was found within 30 days, so it is not known whether they can be restored. Recover a test cluster from them.",
	"path": ["spec", "plugins"],
}}

test_never_restored if findings(archiving("on"), backups, []) == untested

test_restored_long_ago if findings(archiving("on"), backups, ready("2026-05-01T00:00:00Z")) == untested

test_restored if findings(archiving("on"), backups, ready("2026-06-01T00:00:00Z")) == set()

test_silent_without_evidence if {
	findings(archiving("on"), [], []) == set()
	findings(archiving("off"), backups, []) == set()
}
