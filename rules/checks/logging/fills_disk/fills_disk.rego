# METADATA
# title: Logs of every statement fill the data volume
# description: |
#   The logging collector writes below the data directory unless log_directory says otherwise, and PostgreSQL deletes no log file: it only overwrites
#   one whose name comes again (log_filename with a weekday or an hour, and log_truncate_on_rotation on). With every statement logged
#   that is gigabytes a day on a busy server; a full data volume stops it.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-logging.html
#   - https://www.postgresql.org/docs/current/logfile-maintenance.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Log to stderr (logging_collector off) and let the container runtime rotate, log less (log_min_duration_statement), or use log_filename 'postgresql-%a.log' with log_truncate_on_rotation on.
#   sources: []
package walguard.checks.logging.fills_disk

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	collector.value == true
	everything
	in_data
	not reused
	f := finding.at(everything, sprintf("%s with logging_collector=on: every statement is logged to the data volume, and nothing deletes old log files. Set logging_collector=off, or log less.", [shown]))
}

# A week of everything on a volume that is as small as that.
findings contains f if {
	collector.value == true
	everything
	in_data
	reused
	smallest := min([volume.size_bytes | some volume in model.data_volumes])
	smallest <= 5368709120
	f := finding.with_severity(
		finding.at(everything, sprintf("%s with logging_collector=on: every statement is logged to the data volume of %s, and a file is emptied only when its name comes again. Log less, or grow the volume.", [shown, disk.size_text(smallest)])),
		"info",
	)
}

# Whatever is logged, the files stay.
findings contains f if {
	collector.value == true
	collector.origin == "written"
	not everything
	in_data
	not reused
	f := finding.with_severity(
		finding.at(collector, sprintf("logging_collector=on with log_filename=%s: each start and each day begin a new file in the data volume, and none is deleted. Set log_filename=postgresql-%%a.log and log_truncate_on_rotation=on, or logging_collector=off.", [trim(model.parameter("log_filename").text, "'")])),
		"info",
	)
}

collector := model.changed("logging_collector")

everything := setting if {
	setting := model.changed("log_statement")
	setting.value == "all"
}

everything := setting if {
	not all_statements
	setting := model.changed("log_min_duration_statement")
	setting.value == 0
}

all_statements if model.changed("log_statement").value == "all"

shown := sprintf("%s=%s", [everything.name, everything.text])

# A relative directory is one below the data.
in_data if not startswith(trim(model.parameter("log_directory").text, "'"), "/")

# A name that comes again: a weekday, a day of the month or an hour, and no year.
reused if {
	model.parameter("log_truncate_on_rotation").value == true
	name := model.parameter("log_filename").text
	regex.match(`%[aAdHujw]`, name)
	not regex.match(`%[YyCGcDFsx]`, name)
}

# One name for ever is appended to, and emptied by somebody else.
reused if not contains(model.parameter("log_filename").text, "%")
