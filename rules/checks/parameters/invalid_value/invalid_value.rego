# METADATA
# title: PostgreSQL cannot read the value
# description: |
#   PostgreSQL reads values strictly, and does not start when it cannot: units are case-sensitive and few (B, kB, MB, GB, TB; us, ms,
#   s, min, h, d), so that 16gb, 16G and 16Gi are refused; the decimal point is a point; a boolean is on, off, true,
#   false, yes, no, 1, 0 or an unambiguous beginning of these; a choice must be one of its words. Where the version is not known,
#   only what every version refuses is found. A time zone is one that the image knows: on Debian trixie the former names (US/Eastern) are not there,
#   and some that people write (CEST, Asia/Beijing) are nowhere.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-NAMES-VALUES
#   - https://github.com/docker-library/postgres/issues/1355
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the value as PostgreSQL spells it.
#   sources: [S3]
package walguard.checks.parameters.invalid_value

import data.walguard.checks.parameters.platform_unsupported
import data.walguard.checks.wal.compression_available
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.zones
import data.walguard.model
import data.walguard.postgres
import data.walguard.postgres.number
import data.walguard.postgres.similar

findings contains f if {
	some name, reading in model.refused
	not name in platform_unsupported.elsewhere
	not name in compression_available.too_new
	setting := model.written[name]
	not postgres.numeric(reading.entry, setting.text)
	candidates := readable(reading.entry, setting.text)
	rejection := model.rejection_of(reading.entry.type)
	f := object.union_n(array.concat(
		[
			finding.at(setting, sprintf("%s=%s: %s, and %s. %s.", [
				name,
				setting.text,
				reading.reason,
				rejection.consequence,
				cure(candidates),
			])),
			{"severity": rejection.severity},
		],
		fix(setting, candidates),
	))
}

# By the tag of the image, which has no tzdata-legacy.
findings contains f if {
	image.distribution(model.cluster.image.value) == "trixie"
	some name in ["log_timezone", "timezone"]
	setting := model.written[name]
	zone := zones.today(setting.text)
	rejection := model.rejection_of("string")
	f := object.union(
		finding.with_parameter(
			finding.at(setting, sprintf("%s=%s: Debian trixie has the former names of time zones in a package that the image lacks, and %s. Write %s.", [name, setting.text, rejection.consequence, zone])),
			setting,
			zone,
		),
		{"severity": rejection.severity},
	)
}

cure([]) := "Write a valid value, or remove the parameter"

cure(candidates) := sprintf("Write %s", [candidates[0]]) if count(candidates) > 0

fix(setting, candidates) := [finding.with_parameter({}, setting, candidates[0])] if count(candidates) > 0

fix(_, []) := []

# What was most likely meant, if PostgreSQL takes it.
readable(entry, text) := [candidate |
	some candidate in meant(entry, get.lower_case(trim_space(text)))
	postgres.parse(entry, candidate).ok
]

meant(entry, text) := [text, booleans[text]] if {
	entry.type == "bool"
	booleans[text]
}

meant(entry, text) := [text] if {
	entry.type == "bool"
	not booleans[text]
}

meant(entry, text) := similar.ranked(text, entry.enum) if entry.type == "enum"

meant(entry, _) := [] if entry.type == "string"

# 16 gb, 1,5: digits and the unit in PostgreSQL's spelling.
meant(entry, text) := [concat("", [figures, unit])] if {
	entry.type in {"integer", "real"}
	figures := replace(substring(text, 0, count(text) - count(trim_left(text, "0123456789.,"))), ",", ".")
	word := trim_space(trim_left(text, "0123456789.,"))
	unit := object.get(units[kind(entry)], word, word)
}

kind(entry) := number.kind(entry.unit) if entry.unit

kind(entry) := "none" if not entry.unit

booleans := {"enable": "on", "enabled": "on", "active": "on", "disable": "off", "disabled": "off", "none": "off", "never": "off", "always": "on"}

units := {
	"none": {},
	"memory": {
		"b": "B", "bytes": "B",
		"k": "kB", "kb": "kB", "ki": "kB", "kib": "kB",
		"m": "MB", "mb": "MB", "mi": "MB", "mib": "MB",
		"g": "GB", "gb": "GB", "gi": "GB", "gib": "GB",
		"t": "TB", "tb": "TB", "ti": "TB", "tib": "TB",
	},
	"time": {
		"msec": "ms", "millisecond": "ms", "milliseconds": "ms",
		"sec": "s", "secs": "s", "second": "s", "seconds": "s",
		"m": "min", "mins": "min", "minute": "min", "minutes": "min",
		"hr": "h", "hour": "h", "hours": "h", "day": "d", "days": "d",
	},
}
