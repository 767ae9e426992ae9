package walguard.checks.backup.recovery_target_zone_test

import data.walguard.checks.backup.recovery_target_zone as check
import data.walguard.lib.manifest_test as manifests

findings(moment, parameters, more) := found if {
	spec := object.union({"bootstrap": {"recovery": {"source": "origin", "recoveryTarget": {"targetTime": moment}}}}, more)
	found := check.findings with input as manifests.review(parameters, spec)
}

path := ["spec", "bootstrap", "recovery", "recoveryTarget", "targetTime"]

test_no_zone if {
	findings("2026-06-15 08:31:14", {}, {"env": [{"name": "TZ", "value": "Asia/Seoul"}]}) == {{
		"message": "The recovery target 2026-06-15 08:31:14 has no time zone and is taken for UTC, though TZ says Asia/Seoul. Write the offset, as in 2026-06-15 08:31:14+00.",
		"path": path,
		"severity": "warning",
	}}
	findings("2026-06-15T08:31:14.5", {}, {}) == {{
		"message": "The recovery target 2026-06-15T08:31:14.5 has no time zone and is taken for UTC. Write the offset, as in 2026-06-15T08:31:14.5+00.",
		"path": path,
		"severity": "info",
	}}
	{[contains(f.message, "though log_timezone says Europe/Berlin"), f.severity] | some f in findings("2026-06-15 08:31:14", {"log_timezone": "Europe/Berlin"}, {})} == {[true, "warning"]}
}

test_zone_of_utc if {
	{f.severity | some f in findings("2026-06-15 08:31:14", {"timezone": "Etc/UTC"}, {"env": [{"name": "TZ", "value": "UTC"}, {"name": "TZ", "valueFrom": {}}]})} == {"info"}
}

test_zone if {
	findings("2026-06-15 08:31:14+09", {}, {}) == set()
	findings("2026-06-15T08:31:14Z", {}, {}) == set()
	findings("2026-06-15 08:31:14.123 UTC", {}, {}) == set()
}

test_silent_when_unknown if {
	findings("${TARGET}", {}, {}) == set()
	{f.severity | some f in findings("2026-06-15 08:31:14", {"timezone": "${ZONE}"}, {"env": [{"name": "TZ", "value": "${ZONE}"}]})} == {"info"}
	check.findings == set() with input as manifests.review({}, {})
}
