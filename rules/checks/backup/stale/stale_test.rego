package walguard.checks.backup.stale_test

import data.walguard.checks.backup.stale as check
import data.walguard.model

cluster := {"operator": "CloudNativePG", "namespace": "prod", "name": "orders", "parameters": []}

archiving(value) := {"archiving": {"value": value, "origin": "written", "path": ["spec", "plugins"]}}

findings(facts, backups) := found if {
	found := check.findings with model.cluster as object.union(cluster, facts)
		with model.backups as backups
		with input as {"review": {"object": {}}, "now": "2026-06-15T12:00:00Z"}
}

finished(moments) := [{"finished": moment, "from": "primary", "name": "b"} | some moment in moments]

test_old if {
	findings(archiving("on"), finished(["2026-05-30T01:00:00Z", "2026-06-01T01:00:00Z"])) == {{
		"message": "CloudNativePG prod/orders completed its last base backup at 2026-06-01T01:00:00Z, more than 192 hours ago (backup/stale.window_hours). Find out why there was none since, and make one now",
		"path": ["spec", "plugins"],
	}}
}

test_recent if findings(archiving("on"), finished(["2026-05-30T01:00:00Z", "2026-06-08T01:00:00Z"])) == set()

test_silent_without_evidence if {
	findings(archiving("on"), []) == set()
	findings(archiving("off"), finished(["2020-01-01T00:00:00Z"])) == set()
	findings({}, finished(["2020-01-01T00:00:00Z"])) == set()
}
