package walguard.postgres_test

import data.walguard.postgres

# [parameter, major, text, the value PostgreSQL makes of it]; tests/postgres compares thousands more with real servers.
accepted := [
	["fsync", 16, "of", false],
	["fsync", 16, "TRU", true],
	["work_mem", 16, "64MB", 65536],
	["work_mem", 16, "64 MB ", 65536],
	["work_mem", 16, "1.5GB", 1572864],
	["work_mem", 16, "0x100kB", 256],
	["max_wal_size", 16, "4", 4],
	["shared_buffers", 16, "1GB", 131072],
	["log_min_duration_statement", 16, "-1", -1],
	["autovacuum_vacuum_cost_delay", 16, "500us", 0.5],
	["random_page_cost", 16, "1.1", 1.1],
	["random_page_cost", 16, "0x10", 16],
	["wal_level", 16, "LOGICAL", "logical"],
	["wal_level", 16, "hot_standby", "replica"],
	["wal_compression", 14, "on", true],
	["wal_compression", 15, "on", "pglz"],
	["ssl_min_protocol_version", 16, "tlsv1.2", "TLSv1.2"],
	["ssl_min_protocol_version", 16, "TLSv1.2", "TLSv1.2"],
	["application_name", 16, " any text ", " any text "],
	["autovacuum_work_mem", 16, "1", 1024],
	["autovacuum_work_mem", 17, "1", 64],
	["autovacuum_work_mem", 17, "-1", -1],
	["autovacuum_work_mem", 17, "2GB", 2097152],
	["notify_buffers", 17, "32", 32],
	["vacuum_buffer_usage_limit", 17, "0", 0],
	["io_max_concurrency", 18, "-1", -1],
	["log_connections", 17, "yes", true],
	["log_connections", 18, "yes", "yes"],
	["log_connections", 18, "receipt, \"all\"", "receipt, \"all\""],
	["log_destination", 18, "", ""],
	["synchronous_standby_names", 16, "ANY 2 (a, \"b c\", *)", "ANY 2 (a, \"b c\", *)"],
	["synchronous_standby_names", 16, "", ""],
	["default_with_oids", 16, "off", false],
]

# [parameter, major, text, why PostgreSQL refuses it].
refused := [
	["fsync", 16, "o", `"o" is not a boolean: on, off, true, false, yes, no, 1, 0`],
	["default_with_oids", 16, "on", "the server cannot turn it on any more"],
	["bonjour", 16, "on", "no build for Linux supports it"],
	["work_mem", 16, "64mb", `"64mb" is not a number with or without one of the units B, kB, MB, GB, TB, in this spelling`],
	["checkpoint_timeout", 16, "5m", `"5m" is not a number with or without one of the units us, ms, s, min, h, d, in this spelling`],
	["work_mem", 16, "3TB", "3TB is outside the valid range 64 .. 2147483647, in units of kB"],
	["work_mem", 16, "1", "1 is outside the valid range 64 .. 2147483647, in units of kB"],
	["port", 16, "70000", "70000 is outside the valid range 1 .. 65535"],
	["port", 16, "5432B", `"5432B" is not a number, and this parameter takes no unit`],
	["random_page_cost", 16, "1,1", `"1,1" is not a number, and this parameter takes no unit`],
	["checkpoint_completion_target", 16, "90", "90 is outside the valid range 0 .. 1"],
	["random_page_cost", 16, "-1", "-1 is outside the valid range 0"],
	["wal_compression", 14, "lz4", `"lz4" is not a boolean: on, off, true, false, yes, no, 1, 0`],
	["wal_compression", 16, "gzip", `"gzip" is not one of pglz, off, lz4, zstd`],
	["notify_buffers", 17, "33", "33 is not a multiple of 16"],
	["vacuum_buffer_usage_limit", 17, "64kB", "64 is neither 0 nor at least 128"],
	["io_max_concurrency", 18, "0", "0 is not allowed"],
	["log_connections", 18, "some", `"some" is not a comma-separated list of receipt, authentication, authorization, setup_durations, all`],
	["log_destination", 14, "jsonlog", `"jsonlog" is not a comma-separated list of stderr, csvlog, syslog`],
	["log_destination", 16, "stderr,,syslog", `"stderr,,syslog" is not a comma-separated list of stderr, csvlog, jsonlog, syslog`],
	["synchronous_standby_names", 16, "ANY 0 (a)", `"ANY 0 (a)" is not a list of standbys such as ANY 1 (a, b)`],
	["unix_socket_directories", 16, ",/tmp", `",/tmp" is not a comma-separated list of directories`],
	["wal_consistency_checking", 16, "\"none\"", `"\"none\"" is not a comma-separated list of all, heap, btree and other kinds of WAL records with pages`],
	["wal_consistency_checking", 16, "heap btree", `"heap btree" is not a comma-separated list of names`],
	["recovery_target", 16, "latest", `"latest" is not "immediate" or empty`],
]

test_accepted if {
	wrong := [[name, major, text, result] |
		some [name, major, text, value] in accepted
		result := postgres.parse(postgres.entry(name, major), text)
		result != {"ok": true, "value": value}
	]
	wrong == []
	count([text | some [name, major, text, _] in accepted; postgres.parse(postgres.entry(name, major), text)]) == count(accepted)
}

test_refused if {
	wrong := [[name, major, text, result] |
		some [name, major, text, reason] in refused
		result := postgres.parse(postgres.entry(name, major), text)
		result != {"ok": false, "reason": reason}
	]
	wrong == []
	count([text | some [name, major, text, _] in refused; postgres.parse(postgres.entry(name, major), text)]) == count(refused)
}

work_mem := {"type": "integer", "unit": "kB", "context": "user", "default": "4096", "min": 64, "max": 2147483647}

test_entry if {
	postgres.entry("work_mem", 16) == work_mem
	postgres.entry("WORK_MEM", 13) == work_mem
	postgres.entry("sort_mem", 16) == work_mem
	postgres.entry("DateStyle", 16).name == "DateStyle"
	postgres.entry("log_connections", 17).type == "bool"
	postgres.entry("log_connections", 18).type == "string"
	postgres.entry("ssl_ecdh_curve", 17)["default"] == "prime256v1"
	postgres.entry("ssl_ecdh_curve", 18) == postgres.entry("ssl_groups", 18)
	postgres.entry("io_combine_limit", 17).max == 32
	postgres.entry("io_combine_limit", 18).max == 128
}

test_entry_of_other_majors if {
	not postgres.entry("wal_keep_segments", 13)
	postgres.entry("wal_keep_segments", 12)
	not postgres.entry("io_method", 17)
	postgres.entry("io_method", 18)
	not postgres.entry("io_combine_limit", 16)
	not postgres.entry("walls", 16)
}

test_majors_outside_the_catalogue if {
	postgres.entry("io_combine_limit", 19) == postgres.entry("io_combine_limit", postgres.major_max)
	postgres.entry("wal_keep_segments", 9) == postgres.entry("wal_keep_segments", postgres.major_min)
	postgres.entry("autovacuum_work_mem", 9).raised == 1024
}

test_entry_any if {
	postgres.entry_any("Work_Mem") == work_mem
	postgres.entry_any("vacuum_mem") == postgres.entry("maintenance_work_mem", 18)
	postgres.entry_any("wal_compression").type == "enum"
	postgres.entry_any("wal_keep_segments").removed == 13
	postgres.entry_any("ssl_ecdh_curve") == postgres.entry("ssl_groups", 18)
	not postgres.entry_any("walls")
}

test_known if {
	postgres.known("Wal_Keep_Segments")
	postgres.known("sort_mem")
	not postgres.known("walls")
}

test_settable if {
	postgres.settable(postgres.entry("fsync", 16))
	not postgres.settable(postgres.entry("wal_segment_size", 16))
	not postgres.settable(postgres.entry("data_checksums", 16))
}

test_defaults if {
	postgres.default_text("max_wal_size", 16) == "1024"
	postgres.default_value("max_wal_size", 16) == 1024
	postgres.default_text("checkpoint_completion_target", 13) == "0.5"
	postgres.default_value("checkpoint_completion_target", 14) == 0.9
	postgres.default_value("wal_compression", 14) == false
	postgres.default_value("wal_compression", 15) == "off"
	not postgres.default_text("io_method", 17)
	not postgres.default_value("unix_socket_directories", 17)
}

# A default that cannot be read would be a fault of the catalogue.
test_every_default_is_readable if {
	unreadable := {name |
		some name, _ in postgres.parameters
		parameter := postgres.entry_any(name)
		text := parameter["default"]
		not postgres.parse(parameter, text).ok
	}
	unreadable == set()
}

test_bytes if {
	postgres.bytes(postgres.entry("shared_buffers", 16), 16) == 131072
	postgres.bytes(postgres.entry("max_wal_size", 16), 1024) == 1073741824
	postgres.bytes(postgres.entry("max_slot_wal_keep_size", 16), -1) == -1
	not postgres.bytes(postgres.entry("checkpoint_timeout", 16), 300)
	not postgres.bytes(postgres.entry("checkpoint_timeout", 16), -1)
	not postgres.bytes(postgres.entry("port", 16), 5432)
}

test_milliseconds if {
	postgres.milliseconds(postgres.entry("checkpoint_timeout", 16), 300) == 300000
	postgres.milliseconds(postgres.entry("vacuum_cost_delay", 16), 0.5) == 0.5
	postgres.milliseconds(postgres.entry("log_rotation_age", 16), 60) == 3600000
	postgres.milliseconds(postgres.entry("log_min_duration_statement", 16), -1) == -1
	not postgres.milliseconds(postgres.entry("work_mem", 16), 64)
	not postgres.milliseconds(postgres.entry("work_mem", 16), -1)
}

test_raw_texts if {
	postgres.boolean("Yes") == true
	postgres.boolean("of") == false
	not postgres.boolean("o")
	postgres.memory_bytes("1GB", "8kB") == 1073741824
	postgres.memory_bytes("128", "8kB") == 1048576
	not postgres.memory_bytes("1g", "MB")
	not postgres.memory_bytes("1min", "MB")
	not postgres.memory_bytes("1MB", "min")
	not postgres.memory_bytes("2147483648", "B")
	postgres.time_milliseconds("5", "min") == 300000
	postgres.time_milliseconds("1h", "ms") == 3600000
	not postgres.time_milliseconds("1h", "MB")
}

test_extension if {
	postgres.extension("cron.database_name") == {"extension": "pg_cron", "preload": true}
	postgres.extension("Auto_Explain.log_min_duration") == {"extension": "auto_explain"}
	not postgres.extension("cron")
	not postgres.extension("nobody.knows")
}

test_vendor if {
	postgres.vendor("autoprepare_threshold") == {"edition": "Postgres Pro Enterprise"}
	postgres.vendor("CFS_gc_workers").edition == "Postgres Pro Enterprise"
	postgres.vendor("polar_vfs.localfs_mode").edition == "PolarDB for PostgreSQL"
	not postgres.vendor("work_mem")
	not postgres.vendor("walls")
}

test_nearest if {
	postgres.nearest("shared_bufers", 16) == ["shared_buffers", "shared_memory_type"]
	postgres.nearest("prot", 16) == ["port"]
	postgres.nearest("max-wal-Size", 16)[0] == "max_wal_size"
	postgres.nearest("wal_keep_segments", 16)[0] == "wal_keep_size"
	postgres.nearest("checkpoint_segments", 16)[0] == "max_wal_size"
	postgres.nearest("io_methods", 18)[0] == "io_method"
	not "io_method" in postgres.nearest("io_methods", 17)
	count(postgres.nearest("autovacuum", 16)) == 3
}

test_conf if {
	postgres.conf("# tuned\nwork_mem = '4MB' # each\n") == [{"name": "work_mem", "value": "4MB", "line": 2}]
	postgres.conf("") == []
}

# Whatever a manifest holds: an answer or none, never an error.
hostile := [null, true, 1, -1.5, "", "\u0000", "'", [], ["work_mem"], {}, {"type": "integer"}, {"type": 1, "unit": {}, "check": "lsn"}, {"type": "bool", "enum": 5}]

test_hostile_values if {
	some parameter in [postgres.entry("work_mem", 16), postgres.entry("fsync", 16), postgres.entry("random_page_cost", 16)]
	not postgres.parse(parameter, null)
	count({result | some value in hostile; result := postgres.parse(parameter, value)}) <= count(hostile)
	count([result | some one in hostile; some other in hostile; result := postgres.parse(one, other)]) >= 0
	count([result | some one in hostile; some other in hostile; result := postgres.entry(one, other)]) == 0
	count([result | some one in hostile; some other in hostile; result := postgres.bytes(one, other)]) == 0
	count([result | some one in hostile; some other in hostile; result := postgres.milliseconds(one, other)]) == 0
	count([result | some one in hostile; some other in hostile; result := postgres.memory_bytes(one, other)]) == 0
	count([result | some one in hostile; some other in hostile; result := postgres.time_milliseconds(one, other)]) == 0
	count([result | some one in hostile; result := postgres.boolean(one)]) == 0
	count([result | some one in hostile; result := postgres.entry_any(one)]) == 0
	count([result | some one in hostile; result := postgres.known(one)]) == 0
	count([result | some one in hostile; result := postgres.extension(one)]) == 0
	count([result | some one in hostile; result := postgres.vendor(one)]) == 0
	count([result | some one in hostile; result := postgres.nearest(one, 16)]) == 3
	count([result | some one in hostile; result := postgres.conf(one)]) == 3
}

test_nineteen if {
	not postgres.entry("io_workers", 19)
	postgres.entry("io_max_workers", 19).max == 32
	postgres.nearest("io_workers", 19)[0] == "io_max_workers"
	postgres.default_value("jit", 19) == false
	postgres.default_value("jit", 18) == true
	postgres.default_text("default_toast_compression", 19) == "lz4"
	postgres.default_value("max_locks_per_transaction", 19) == 128
	not postgres.entry("escape_string_warning", 19)
	postgres.parse(postgres.entry("max_connections", 19), "abc").ok == false
	postgres.parse(postgres.entry("wal_compression", 19), "on").value == "zstd"
	postgres.parse(postgres.entry("wal_compression", 18), "on").value == "pglz"
}

test_what_19_refuses if {
	postgres.parse(postgres.entry("standard_conforming_strings", 18), "off").ok
	postgres.parse(postgres.entry("standard_conforming_strings", 19), "off") == {"ok": false, "reason": "the server cannot turn it off any more"}
	postgres.parse(postgres.entry("standard_conforming_strings", 19), "on").ok
}

test_levels_by_process if {
	levels := postgres.entry("log_min_messages", 19)
	every text in ["warning", "DEBUG1", "error, autovacuum:debug1", "walsender:log,info", "warning,checkpointer:debug5 , startup:debug"] {
		postgres.parse(levels, text).ok
	}
	every text in ["", "loud", "autovacuum:debug1", "warning, error", "warning, cleaner:debug1", "warning, startup:loud", "warning, startup:log, startup:debug"] {
		postgres.parse(levels, text) == {"ok": false, "reason": sprintf("%q is not a level, or a list of one level and process:level pairs", [text])}
	}
}

# Read as the newest known major.
test_beyond_the_catalogue if {
	postgres.entry("io_max_workers", 99) == postgres.entry("io_max_workers", 19)
	not postgres.entry("io_workers", 99)
	postgres.default_value("jit", 99) == false
}

test_came_with_a_minor_release if {
	postgres.entry("output_plugin_libraries", 16).minors["16"] == 15
	not postgres.entry("output_plugin_libraries", 13)
}

test_releases if {
	every major in numbers.range(postgres.major_min, postgres.major_max) {
		postgres.releases.rows[sprintf("%d", [major])].catalogue
	}
}

# At both sides of each bound.
test_bounds if {
	row := {"type": "integer", "min": 1, "max": 5}
	every text in ["1", "5"] { postgres.parse(row, text) == {"ok": true, "value": to_number(text)} }
	every text in ["0", "6"] { not postgres.parse(row, text).ok }
	real := {"type": "real", "min": 0.5, "max": 1.5}
	every text in ["0.5", "1.5"] { postgres.parse(real, text) == {"ok": true, "value": to_number(text)} }
	every text in ["0.4", "1.6"] { not postgres.parse(real, text).ok }
	every value in [0, 128, 129] { not postgres.refusal({"check": "zero_or_128"}, value) }
	every value in [1, 127] { postgres.refusal({"check": "zero_or_128"}, value) }
	every value in [0, 16, 32] { not postgres.refusal({"check": "multiple_of_16"}, value) }
	every value in [1, 15, 17] { postgres.refusal({"check": "multiple_of_16"}, value) }
	postgres.refusal({"check": "not_zero"}, 0)
	not postgres.refusal({"check": "not_zero"}, 1)
	every value, raised in {-1: -1, 0: 3, 2: 3, 3: 3, 4: 4} { postgres.raised({"raised": 3}, value) == raised }
	postgres.raised({}, 2) == 2
	every value, bytes in {-1: -1, 0: 0, 2: 2048} { postgres.bytes({"unit": "kB"}, value) == bytes }
	every value, milliseconds in {-1: -1, 0: 0, 2: 2000} { postgres.milliseconds({"unit": "s"}, value) == milliseconds }
	every other in [null, "1", true] {
		not postgres.bytes({"unit": "kB"}, other)
		not postgres.milliseconds({"unit": "s"}, other)
	}
	not postgres.bytes({"unit": "s"}, 1)
	not postgres.bytes({}, -1)
	not postgres.milliseconds({"unit": "kB"}, 1)
	not postgres.milliseconds({}, -1)
	every major, name in {12: "a", 13: "a", 14: "b", 15: "b", 16: "c", 17: "c"} {
		postgres.in_own_name({"name": "a", "since": 12, "removed": 18, "changes": [{"from": 14, "name": "b"}, {"from": 16, "name": "c"}]}, major).name == name
	}
	every major in [11, 18] { not postgres.in_own_name({"name": "a", "since": 12, "removed": 18}, major) }
}
