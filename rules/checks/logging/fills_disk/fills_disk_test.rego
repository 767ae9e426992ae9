package walguard.checks.logging.fills_disk_test

import data.walguard.checks.logging.fills_disk as check
import data.walguard.lib.manifest_test as manifests

test_every_statement if {
	check.findings == {{
		"message": "log_statement=all with logging_collector=on: every statement is logged to the data volume, and nothing deletes old log files. Set logging_collector=off, or log less.",
		"path": ["spec", "configuration", 0, "text"],
		"line": 2,
	}} with input as manifests.server("logging_collector = on\nlog_statement = all", {})
	found := check.findings with input as manifests.server("logging_collector = on\nlog_min_duration_statement = 0", {})
	{f.line | some f in found} == {2}
	short := check.findings with input as manifests.server("logging_collector = on\nlog_statement = all\nlog_filename = 'pg-%Y.log'\nlog_truncate_on_rotation = on", {})
	count(short) == 1
}

test_files_that_stay if {
	check.findings == {{
		"message": "logging_collector=on with log_filename=postgresql-%Y-%m-%d_%H%M%S.log: each start and each day begin a new file in the data volume, and none is deleted. Set log_filename=postgresql-%a.log and log_truncate_on_rotation=on, or logging_collector=off.",
		"severity": "info",
		"path": ["spec", "configuration", 0, "text"],
		"line": 1,
	}} with input as manifests.server("logging_collector = on\nlog_statement = ddl", {})
}

test_not_reported if {
	every text in [
		"log_statement = all",
		"logging_collector = on\nlog_filename = 'postgresql-%a.log'\nlog_truncate_on_rotation = on",
		"logging_collector = on\nlog_statement = all\nlog_directory = '/var/log/postgresql'",
		"logging_collector = on\nlog_statement = all\nlog_filename = 'postgresql-%a.log'\nlog_truncate_on_rotation = on",
		"logging_collector = on\nlog_statement = all\nlog_filename = 'postgresql.log'",
	] {
		check.findings == set() with input as manifests.server(text, {})
	}
}

# The operator's own log directory and rotation are not known.
test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({"log_statement": "all"}, {})
	check.findings == set() with input as manifests.change({"logging_collector": "on", "log_statement": "all"})
}

spilo(size, parameters) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"numberOfInstances": 2, "volume": {"size": size}, "postgresql": {"version": "17", "parameters": parameters}},
}}}

test_week_of_everything_on_a_small_volume if {
	spilo("1Gi", {"log_statement": "all"}) == {{
		"message": "log_statement=all with logging_collector=on: every statement is logged to the data volume of 1Gi, and a file is emptied only when its name comes again. Log less, or grow the volume.",
		"path": ["spec", "postgresql", "parameters", "log_statement"],
		"severity": "info",
	}}
	spilo("50Gi", {"log_statement": "all"}) == set()
	spilo("1Gi", {}) == set()
}
