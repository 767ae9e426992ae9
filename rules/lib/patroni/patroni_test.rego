package walguard.lib.patroni_test

import data.walguard.lib.patroni

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

# Where a part ends, and the numbers of its lines.
test_ends_of_parts if {
	lines := concat("\n", [
		"postgresql:",
		"  listen: a",
		"bootstrap:",
		"  initdb:",
		"  - set: wal_level=logical",
		"  dcs:",
		"    ttl: 30",
		"    postgresql:",
		"      use_slots: yes",
		"      parameters:",
		"        jit: off",
		"      # fsync: off",
		"",
		"      pg_hba:",
		"        fsync: off",
		"    synchronous_mode: true",
		"  users:",
		"    fsync: off",
		"tags:",
		"  parameters:",
		"    fsync: off",
	])
	[[entry.name, entry.value, entry.line] | some entry in patroni.parameters(lines, {})] == [["wal_level", "logical", 5], ["jit", "off", 11]]
	[patroni.setting(lines, name) | some name in ["use_slots", "synchronous_mode", "ttl"]] == ["yes", "true", "30"]
	not patroni.setting(lines, "listen")
	not patroni.setting(lines, "fsync")
	last := "bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        jit: off"
	[[entry.name, entry.line] | some entry in patroni.parameters(last, {})] == [["jit", 5]]
	twice := concat("\n", [last, last])
	[entry.line | some entry in patroni.parameters(twice, {})] == [5]
}

test_values_as_they_are_written if {
	written := "bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        a: \"x # y\"\n        b: 'it''s'\n        c: x # y\n        d: |\n        e: *z\n        \"f\": 1\n        <<: *base\n        - g: 1\n         i: 1\n"
	[[entry.name, entry.value] | some entry in patroni.parameters(written, {})] == [["a", "x # y"], ["b", "it's"], ["c", "x"], ["d", null], ["e", null], ["f", "1"]]
}

test_what_a_member_does_not_decide if {
	every name in [
		"max_connections", "max_locks_per_transaction", "max_prepared_transactions", "max_replication_slots", "max_wal_senders", "max_worker_processes",
		"track_commit_timestamp", "wal_keep_segments", "wal_keep_size", "wal_level", "wal_log_hints",
	] {
		patroni.shared_only(name)
		patroni.parameters(sprintf("postgresql:\n  parameters:\n    %s: 1\n", [name]), {}) == []
		[entry.reason | some entry in patroni.misplaced(sprintf("postgresql:\n  parameters:\n    %s: 1\n", [name]), {}); entry.name == name] == ["Patroni takes it from bootstrap.dcs.postgresql.parameters, and not from the part of a single member"]
	}
	not patroni.shared_only("work_mem")
	"wal_level" in {entry.name | some entry in patroni.misplaced("bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        wal_level: replica\npostgresql:\n  parameters:\n    wal_level: logical\n", {})}
	not "wal_level" in {entry.name | some entry in patroni.misplaced("bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        wal_level: logical\npostgresql:\n  parameters:\n    wal_level: logical\n", {})}
}

of(written) := [[one.line, one.number] | some one in patroni.hba(written, {"path": ["data"]})]

test_lines_of_hba if {
	of("postgresql:\n  pg_hba:\n  - local all all trust\n  # of mine\n  - \"host all all all md5\"\n  listen: x\n") == [["local all all trust", 3], ["host all all all md5", 5]]
	of("bootstrap:\n  pg_hba:\n    - host all all all md5\n  dcs:\n    postgresql:\n      pg_hba:\n        - host all all all trust\n") == [["host all all all trust", 7]]
	of("bootstrap:\n  pg_hba:\n    - host all all all md5\n") == [["host all all all md5", 3]]
	of("postgresql:\n  listen: x\n") == []
	of("postgresql: {pg_hba: [x]}\n") == []
	[one.line | some one in patroni.hba(`{"postgresql": {"pg_hba": ["host all all all trust", 3]}}`, {"path": []})] == ["host all all all trust"]
}

test_said_twice_is_not_read if {
	patroni.unread("postgresql:\n  listen: x\npostgresql:\n  parameters:\n    fsync: off\n")
	patroni.unread("\ufeffpostgresql:\n  parameters:\n    fsync: off\n")
	not patroni.unread("bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        jit: off\npostgresql:\n  parameters:\n    jit: off\n")
}

test_places if {
	patroni.places("postgresql:\n  data_dir: /tmp/x\n  basebackup:\n  - waldir: '/w'\n  - wal-segsize: 32\nbootstrap:\n  initdb: [{waldir: /v}]\n") == [
		{"name": "data_dir", "value": "/tmp/x", "line": 2},
		{"name": "waldir", "value": "/w", "line": 4},
		{"name": "waldir", "value": "/v", "line": 7},
	]
	patroni.places("postgresql:\n  data_dir: ${PGDATA}\n") == []
}

# Patroni writes the items with their line breaks.
test_lines_in_one_item if {
	json_text := `{"postgresql": {"pg_hba": ["#\\nhost all all all trust", "host all all \\", " all md5"]}}`
	[entry.line | some entry in patroni.hba(json_text, {})] == ["#", "host all all all trust", "host all all  all md5"]
	[entry.line | some entry in patroni.hba("postgresql:\n  pg_hba:\n  - \"#\\nhost all all all trust\"\n", {})] == ["#", "host all all all trust"]
}

# In the next lines, or elsewhere.
test_items_of_hba_that_go_on if {
	written := "h: &h host a all all trust\npostgresql:\n  pg_hba:\n  - >-\n    host all all\n    all trust\n  - |\n    local all all md5\n    # x\n    host b all all trust\n  - *h\n  - *nowhere\n  - host all\n    all all md5\n  parameters:\n    a: b\n"
	[entry.line | some entry in patroni.hba(written, {})] == ["host all all all trust", "local all all md5", "host b all all trust", "host a all all trust", "host all all all md5"]
}

test_marks_at_either_end if {
	written := "bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        # fsync: off\n        a: x\"\n        b: x'\n        c: y#z\n        work_mem#: 1\n"
	[[entry.name, entry.value] | some entry in patroni.parameters(written, {})] == [["a", "x\""], ["b", "x'"], ["c", "y#z"], ["work_mem#", "1"]]
	[entry.line | some entry in patroni.hba("postgresql:\n  pg_hba:\n  - |-\n    local all all md5\n  - >\n    host a all\n    all md5\n", {})] == ["local all all md5", "host a all all md5"]
}

test_comments_behind_quotes if {
	written := "bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        a: 'off' # it's slow\n        b: \"on\" # \"x\"\n        c: 'x # y'\n        d: 'it''s' #\n        e: \"a\\\" # b\" # c\n        f: 'a'#b'\n"
	[[entry.name, entry.value] | some entry in patroni.parameters(written, {})] == [["a", "off"], ["b", "on"], ["c", "x # y"], ["d", "it's"], ["e", "a\" # b"], ["f", "a'#b"]]
}
