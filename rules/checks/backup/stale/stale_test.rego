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
		"message": "The last base backup completed at 2026-06-01T01:00:00Z, more than 192 hours ago. Find out why there is none since, and take one now.",
		"path": ["spec", "plugins"],
	}}
}

test_recent if findings(archiving("on"), finished(["2026-05-30T01:00:00Z", "2026-06-08T01:00:00Z"])) == set()

test_silent_without_evidence if {
	findings(archiving("on"), []) == set()
	findings(archiving("off"), finished(["2020-01-01T00:00:00Z"])) == set()
	findings({}, finished(["2020-01-01T00:00:00Z"])) == set()
}

scheduled := {"finished": "2026-06-15T01:00:00Z", "from": "primary", "name": "b", "schedule": "nightly"}

by_schedules(schedules, backups, complete) := found if {
	found := check.findings with model.cluster as object.union(cluster, archiving("on"))
		with model.backups as backups
		with model.schedules as schedules
		with model.complete as complete
		with input as {"review": {"object": {}}, "now": "2026-06-15T12:00:00Z"}
}

test_schedule_gone if {
	by_schedules([], [scheduled, object.union(scheduled, {"schedule": "hourly"}), scheduled], true) == {{
		"message": "The backup schedule (hourly and nightly) was deleted and there is no other, so the last base backup gets older and older. Schedule backups again.",
		"path": ["spec", "plugins"],
	}}
}

test_schedule_there_or_elsewhere if {
	by_schedules([{"method": "full", "path": []}], [scheduled], true) == set()
	by_schedules([], [scheduled], false) == set()
	by_schedules([], finished(["2026-06-15T01:00:00Z"]), true) == set()
}
