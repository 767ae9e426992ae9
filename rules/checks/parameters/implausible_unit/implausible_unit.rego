# METADATA
# title: A number without its unit is not what was meant
# description: |
#   A bare number counts in the parameter's own unit, which is often not the one its author meant: shared_buffers=4096 is 4,096 pages of
#   8 kB, 32 MB; statement_timeout=300 cancels every statement after 0.3 s; work_mem=64 is 64 kB. PostgreSQL accepts them
#   silently. Reported are only values without a unit that no server is known to want.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-NAMES-VALUES
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the number with its unit.
#   sources: [S3]
package walguard.checks.parameters.implausible_unit

import data.walguard.lib.finding
import data.walguard.lib.quantity
import data.walguard.model

findings contains f if {
	some name, limit in least_bytes
	setting := bare[name]
	reading := model.readings[name]
	reading.bytes > 0
	reading.bytes < limit.below
	f := finding.at(setting, sprintf("%s=%s is only %s, because a bare number counts %s. Write the unit that is meant, such as %s=\"%s%s\".", [
		name,
		setting.text,
		size(reading.bytes),
		counted[reading.entry.unit],
		name,
		setting.text,
		limit.meant,
	]))
}

findings contains f if {
	some name, limit in least_milliseconds
	setting := bare[name]
	reading := model.readings[name]
	reading.milliseconds > 0
	reading.milliseconds < limit.below
	f := finding.at(setting, sprintf("%s=%s is only %s, because a bare number counts %s. Write the unit that is meant, such as %s=\"%s%s\".", [
		name,
		setting.text,
		sprintf("%d ms", [reading.milliseconds]),
		counted[reading.entry.unit],
		name,
		setting.text,
		limit.meant,
	]))
}

# Written without a unit.
bare[name] := setting if {
	some name in (object.keys(least_bytes) | object.keys(least_milliseconds))
	setting := model.written[name]
	trim_left(setting.text, quantity.digits) == ""
}

counted := {"B": "bytes", "kB": "kB", "8kB": "pages of 8 kB", "MB": "MB", "ms": "milliseconds", "s": "seconds", "min": "minutes"}

# Less than a MB in kB; in whole MB otherwise.
size(n) := sprintf("%d kB", [floor(n / 1024)]) if n < mebibyte

size(n) := sprintf("%d MB", [floor(n / mebibyte)]) if n >= mebibyte

mebibyte := 1048576

# Below these nobody sets them on purpose. Heuristics, well below PostgreSQL's own defaults.
least_bytes := {
	"effective_cache_size": {"below": 64 * mebibyte, "meant": "MB"},
	"maintenance_work_mem": {"below": 8 * mebibyte, "meant": "MB"},
	"shared_buffers": {"below": 64 * mebibyte, "meant": "MB"},
	"work_mem": {"below": mebibyte, "meant": "MB"},
}

least_milliseconds := {
	"idle_in_transaction_session_timeout": {"below": 5000, "meant": "s"},
	"idle_session_timeout": {"below": 5000, "meant": "s"},
	"max_standby_archive_delay": {"below": 1000, "meant": "s"},
	"max_standby_streaming_delay": {"below": 1000, "meant": "s"},
	"statement_timeout": {"below": 1000, "meant": "s"},
	"transaction_timeout": {"below": 1000, "meant": "s"},
	"wal_receiver_timeout": {"below": 1000, "meant": "s"},
	"wal_sender_timeout": {"below": 1000, "meant": "s"},
}
