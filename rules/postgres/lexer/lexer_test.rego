package walguard.postgres.lexer_test

import data.walguard.postgres.lexer

# [line, name, value]; tests/postgres gives a thousand lines to a real server.
settings := [
	[`work_mem = '4MB' # each`, "work_mem", "4MB"],
	[`  FSYNC off`, "fsync", "off"],
	[`Port=5432`, "port", "5432"],
	[`work_mem'8MB'`, "work_mem", "8MB"],
	[`fsync+0`, "fsync", "+0"],
	[`log_line_prefix = '%m ''q'' \'x\' \\ \101\n\t\z'`, "log_line_prefix", "%m 'q' 'x' \\ A\n\tz"],
	[`a = '\1\377\b\0'`, "a", "\u0001?\b?"],
	[`a = ''`, "a", ""],
	[`auto_explain.log_min_duration = 250ms`, "auto_explain.log_min_duration", "250ms"],
	["foo.bar = 'x'\r", "foo.bar", "x"],
	[`b = 0.5e3`, "b", "0.5e3"],
	[`c = .`, "c", "."],
	[`d=-5min`, "d", "-5min"],
	[`e = 0x1Fkb`, "e", "0x1Fkb"],
	[`log_timezone = Europe/Berlin`, "log_timezone", "Europe/Berlin"],
	[`synchronous_standby_names = a.b.c`, "synchronous_standby_names", "a.b.c"],
	[`cluster_name = é # name`, "cluster_name", "é"],
	[`include_if_exists 'more.conf'`, "include_if_exists", "more.conf"],
]

errors := [`work_mem`, `= 3`, `a = 1e3`, `a = 1.5GB`, `a = 'x' 'y'`, `a = 'open`, `a.b.c = 1`, `work_mem-4`, `fsync.5`, `5 = a`, `a = "x"`, `a == 1`]

test_settings if {
	wrong := [[line, read] |
		some [line, name, value] in settings
		read := lexer.settings(line)
		read != [{"name": name, "value": value, "line": 1}]
	]
	wrong == []
}

test_errors if {
	wrong := [[line, read] |
		some line in errors
		read := lexer.settings(line)
		read != [{"error": sprintf("syntax error: %s", [line]), "line": 1}]
	]
	wrong == []
}

test_qualified_value if {
	lexer.settings("search_path = a.b") == [{"error": "syntax error: the value needs quotes: search_path = a.b", "line": 1}]
}

test_lines if {
	lexer.settings("\n# a\n  \t\na = 1\n\nb = 2") == [{"name": "a", "value": "1", "line": 4}, {"name": "b", "value": "2", "line": 6}]
}
