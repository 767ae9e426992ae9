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
		"message": "Archiving is on but throws WAL away, and the scheduled backups (\"0 0 2 * * *\") need that WAL: none of them can be restored. Configure the archive, or remove the schedule.",
		"path": ["spec", "plugins"],
	}}
}

# CloudNativePG keeps the WAL of a hot snapshot on the volumes that it takes.
test_snapshots_restore_without_an_archive if {
	snapshot := object.union(schedule, {"snapshot": true})
	findings("discards", [snapshot]) == {{
		"message": "WAL is not archived: the volume snapshots (\"0 0 2 * * *\") restore to the moment they were taken, and what is committed after the last one is lost. Configure an archive for point-in-time recovery.",
		"path": ["spec", "plugins"],
		"severity": "warning",
	}}
	{f.severity | some f in findings("discards", [snapshot, schedule]); f.severity} == set()
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

test_switched_off if {
	findings("off", [schedule]) == {{
		"message": "WAL archiving is switched off, and the scheduled backups (\"0 0 2 * * *\") need the WAL written meanwhile: none of them can be restored. Switch it on, or remove the schedule.",
		"path": ["spec", "plugins"],
	}}
	findings("off", [object.union(schedule, {"snapshot": true})]) == set()
	findings("off", [object.union(schedule, {"suspended": true})]) == set()
	findings("off", []) == set()
}

server(lines) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "db1"},
		"spec": {"configuration": [{"file": "postgresql.conf", "text": concat("\n", lines)}]},
	}}}
}

test_segments_for_nobody if {
	lines := ["archive_mode = on", "archive_command = '/bin/true'", "archive_timeout = 300"]
	server(lines) == {{
		"message": "archive_command=/bin/true throws the WAL away that archive_timeout=300 has closed for it: there is no point-in-time recovery, though archiving looks on. Write a command that copies %p, or set archive_timeout to 0.",
		"path": ["spec", "configuration", 0, "text"],
		"line": 2,
		"severity": "warning",
	}}

	# Ready to be switched on later, or off, or copied.
	server(array.slice(lines, 0, 2)) == set()
	server(["archive_mode = on", "archive_command = '/bin/true'", "archive_timeout = 0"]) == set()
	server(["archive_mode = off", "archive_command = '/bin/true'", "archive_timeout = 300"]) == set()
	server(["archive_mode = on", "archive_command = 'cp %p /archive/%f'", "archive_timeout = 300"]) == set()
	server(["archive_mode = on", "archive_command = 'wal-g backup-push %p'", "archive_timeout = 300"]) == set()
}
