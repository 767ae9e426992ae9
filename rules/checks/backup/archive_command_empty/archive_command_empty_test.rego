package walguard.checks.backup.archive_command_empty_test

import data.walguard.checks.backup.archive_command_empty as check
import data.walguard.lib.manifest_test as manifests

found(text) := given if given := check.findings with input as manifests.server(text, {})

test_empty if {
	found("archive_mode = on\n") == {{
		"message": "archive_mode=on without archive_command or archive_library: every WAL segment is kept, until the volume is full and the server stops. Set archive_command, or archive_mode to off.",
		"path": ["spec", "configuration", 0, "text"],
		"line": 1,
	}}
	{f.severity | some f in found("archive_mode = always\narchive_command = ' '\n")} == {"error"}
}

test_archiving if {
	found("archive_mode = on\narchive_command = 'cp %p /archive/%f'\n") == set()
	found("archive_mode = on\narchive_library = 'basic_archive'\n") == set()
	found("archive_mode = off\n") == set()
	found("") == set()
}

test_silent_when_unknown if {
	found("archive_mode = on\narchive_command = '${COMMAND}'\n") == set()
	check.findings == set() with input as manifests.change({"archive_mode": "on"})
	check.findings == set() with input as manifests.review({}, {})
}
