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

block := "bootstrap:\n  initdb:\n  - set: jit=off\n  - data-checksums\n  dcs:\n    postgresql:\n      parameters:\n        work_mem: 8MB\n      recovery_conf:\n        restore_command: cp a b\n        fsync: \"off\"\npostgresql:\n  recovery_conf:\n    full_page_writes: off\n  parameters:\n    a: b\n"

test_what_standbys_get if {
	{[entry.name, entry.value] | some entry in patroni.parameters(block, {})} == {["jit", "off"], ["work_mem", "8MB"], ["fsync", "off"], ["full_page_writes", "off"], ["a", "b"]}
	not patroni.unread(block)
}

test_json if {
	patroni.parameters(`{"postgresql": {"parameters": {"fsync": "off"}, "recovery_conf": {"jit": "on", "restore_command": "x"}}}`, {"path": []}) == [
		{"name": "fsync", "value": "off", "path": []},
		{"name": "jit", "value": "on", "path": []},
	]
	not patroni.unread(`{"postgresql": {"parameters": {"fsync": "off"}}}`)
	patroni.unread(`{"postgresql": {"custom_conf": "/x"}}`)
}

test_other_styles if {
	every text in [
		"postgresql:\n  parameters: {fsync: \"off\"}\n",
		"postgresql:\n    parameters:\n        fsync: \"off\"\n",
		"postgresql: {parameters: {fsync: \"off\"}}\n",
		"\"postgresql\":\n  parameters:\n    a: b\n",
		"postgresql: # local\n  parameters:\n    a: b\n",
		"postgresql:\n  parameters:\n    <<: *x\n",
		"postgresql:\n  custom_conf: /x\n",
	] {
		patroni.unread(text)
	}
	not patroni.unread("# parameters: {a: b}\npostgresql:\n  listen: x\n")
}
