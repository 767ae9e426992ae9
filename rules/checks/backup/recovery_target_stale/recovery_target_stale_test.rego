package walguard.checks.backup.recovery_target_stale_test

import data.walguard.checks.backup.recovery_target_stale as check
import data.walguard.lib.manifest_test as manifests

findings(moment) := found if {
	spec := {"bootstrap": {"recovery": {"source": "origin", "recoveryTarget": {"targetTime": moment}}}}
	found := check.findings with input as object.union(manifests.review({}, spec), {"now": "2026-06-15T12:00:00Z"})
}

test_old if {
	findings("2026-01-02 03:04:05+00") == {{
		"message": "The recovery target is 2026-01-02 03:04:05+00, more than 7 days ago: creating this cluster again restores the data of that moment. Remove the target now that the restore is done.",
		"path": ["spec", "bootstrap", "recovery", "recoveryTarget", "targetTime"],
	}}
}

test_today if {
	findings("2026-06-15T03:04:05Z") == set()
	findings("2026-06-10 03:04:05") == set()
}

test_silent_when_unknown if {
	findings("${TARGET}") == set()
	findings("soon") == set()
	check.findings == set() with input as manifests.review({}, {})
}
