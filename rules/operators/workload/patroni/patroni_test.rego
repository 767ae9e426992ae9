package walguard.operators.workload.patroni_test

import data.walguard.operators.workload.patroni

text := concat("\n", [
	"bootstrap:",
	"  dcs:",
	"    postgresql:",
	"      parameters:",
	"        # of the chart",
	"        archive_command: /scripts/archive.sh %p",
	"        log_line_prefix: '%t [it''s]: '",
	`        archive_mode: "on"`,
	"        max_connections: 100 # more than enough",
	"        search_path: |",
	"          public",
	"        temp_file_limit:",
	"",
	"        fsync: off",
	"      use_pg_rewind: true",
	"    synchronous_mode: false",
	"  method: initdb",
	"kubernetes:",
	"  parameters:",
	"    jit: off",
	"postgresql:",
	"  parameters:",
	"    fsync: on",
	"  listen: 0.0.0.0:5432",
	"",
])

test_parameters if {
	patroni.readable(text)
	patroni.parameters(text, {"path": ["data"]}) == [
		{"name": "archive_command", "value": "/scripts/archive.sh %p", "line": 6, "path": ["data"]},
		{"name": "log_line_prefix", "value": "%t [it's]: ", "line": 7, "path": ["data"]},
		{"name": "archive_mode", "value": "on", "line": 8, "path": ["data"]},
		{"name": "max_connections", "value": "100", "line": 9, "path": ["data"]},
		{"name": "search_path", "value": null, "line": 10, "path": ["data"]},
		{"name": "temp_file_limit", "value": null, "line": 12, "path": ["data"]},
		{"name": "fsync", "value": "off", "line": 14, "path": ["data"]},
		{"name": "fsync", "value": "on", "line": 23, "path": ["data"]},
	]
}

test_settings if {
	patroni.setting(text, "use_pg_rewind") == "true"
	patroni.setting(text, "synchronous_mode") == "false"
	not patroni.setting(text, "use_slots")
	not patroni.setting("", "use_slots")
}

test_another_style if {
	every other in ["", "bootstrap: {dcs: {}}", "a: b\nbootstrap:\n", null, 5] {
		not patroni.readable(other)
	}
	patroni.parameters("bootstrap:\n", {}) == []
}
