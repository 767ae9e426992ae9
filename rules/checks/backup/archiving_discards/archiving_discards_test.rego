package walguard.checks.backup.archiving_discards_test

import data.walguard.checks.backup.archiving_discards as check
import data.walguard.model

cluster := {"operator": "CloudNativePG", "namespace": "prod", "name": "orders", "parameters": []}

archiving(value) := {"archiving": {"value": value, "origin": "written", "path": ["spec", "plugins"]}}

schedule := {"method": "full", "path": ["spec", "schedule"], "text": "0 0 2 * * *", "needs_wal": true}

findings(value, schedules) := found if {
	found := check.findings with model.cluster as object.union(cluster, archiving(value)) with model.schedules as schedules
}

test_backups_without_their_wal if {
	findings("discards", [schedule]) == {{
		"message": "CloudNativePG prod/orders schedules backups (\"0 0 2 * * *\") and throws the WAL away that they need: archiving looks on and its command does nothing, so that backups complete and cannot be restored. Configure the archive",
		"path": ["spec", "plugins"],
	}}
}

test_nobody_needs_wal if {
	findings("discards", []) == set()
	findings("discards", [object.union(schedule, {"needs_wal": false})]) == set()
	findings("discards", [object.union(schedule, {"suspended": true})]) == set()
	findings("discards", [object.union(schedule, {"unconfigured": "plugin"})]) == set()
}

test_archived if findings("on", [schedule]) == set()

test_silent_when_unknown if {
	check.findings == set() with model.cluster as cluster with model.schedules as [schedule]
}
