# METADATA
# title: A parameter is set twice
# description: |
#   PostgreSQL takes the names of parameters in any case and of two lines of one name the last one. In a map of YAML work_mem and
#   Work_mem are two keys, and which of the two the operator writes last is its own business; in a postgresql.conf, or where
#   an operator reads two places, the reader of the first one believes what does not hold. Two that say the same are
#   no fault, and neither is a file that another one is included to override; where ALTER SYSTEM overrides one, it is info. It is an error where
#   a second shared_preload_libraries leaves out a library whose extension does not work without, as pg_cron and TimescaleDB.
#   S2 writes effective_cache_size twice in one configuration, 3GB and 773745MB; the second one holds.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-CONFIGURATION-FILE
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Keep one of the two.
#   sources: [S3]
package walguard.checks.parameters.duplicate

import data.walguard.lib.conf
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	count(model.cluster.parameters) > count(model.positions_by_name)
	some name, indices in model.positions_by_name
	count(indices) > 1
	all := [model.cluster.parameters[n] | some n in sort(indices)]
	some file in {file_of(setting) | some setting in all}
	settings := [setting | some setting in all; file_of(setting) == file]
	last := settings[count(settings) - 1]
	setting := settings[first_other(settings, get.text(last.value))]
	f := object.union(
		finding.with_removal(
			finding.at(setting, sprintf("%s is set %d times: %s here, %s at %s, and the last one wins. Keep one.", [
				name,
				count(settings),
				get.text(setting.value),
				get.text(last.value),
				place(setting, last),
			])),
			setting,
		),
		{"severity": "error" | name == "shared_preload_libraries"; count((libraries(setting) & in_no_other_way) - libraries(last)) > 0},
	)
}

libraries(setting) := {trim_suffix(regex.replace(trim(word, " '\""), `^.*/`, ""), ".so") | some word in split(get.text(setting.value), ",")}

# What was made with them does not work at all, or nobody gets into the database.
in_no_other_way := {"citus", "pg_cron", "pglogical", "timescaledb", "vchord", "vectors"}

findings contains f if {
	some name, indices in model.positions_by_name
	count(indices) > 1
	all := [model.cluster.parameters[n] | some n in sort(indices)]
	last := all[count(all) - 1]
	altered(last)
	written := [setting | some setting in all; not altered(setting)]
	setting := written[count(written) - 1]
	get.text(setting.value) != get.text(last.value)
	f := finding.with_severity(
		finding.at(setting, sprintf("%s is %s here, but ALTER SYSTEM sets it to %s (%s), which wins. Keep one.", [
			name,
			get.text(setting.value),
			get.text(last.value),
			conf.line(last),
		])),
		"info",
	)
}

# What stands in no file of its own stands in one place.
file_of(setting) := object.get(setting, "file", "")

altered(setting) if endswith(file_of(setting), "postgresql.auto.conf")

# The first that says something else than the last.
first_other(settings, said) := min([i | some i, setting in settings; get.text(setting.value) != said])

# Where the one stands that holds: of a file its line, of a text at the same path too, else both.
place(setting, last) := conf.line(last) if {
	last.file
	last.line
} else := conf.line(last) if {
	last.line
	last.path == setting.path
} else := sprintf("%s of %s", [conf.line(last), text.path(last.path)]) if {
	last.line
} else := text.path(last.path) if {
	last.path != setting.path
} else := "a later line"
