package walguard.checks.change.wal_level_lowered_test

import data.walguard.checks.change.wal_level_lowered as check
import data.walguard.lib.manifest_test as manifests

updated(old, new) := {"review": {"operation": "UPDATE", "object": new.review.object, "oldObject": old.review.object}}

level(text) := manifests.review({"wal_level": text}, {})

path := ["spec", "postgresql", "parameters", "wal_level"]

test_below_logical if {
	check.findings == {{
		"message": "wal_level goes from logical to replica: with a logical slot the server does not start. Set it to logical, or remove what uses it first.",
		"path": path,
	}} with input as updated(manifests.review({}, {}), level("replica"))
}

test_below_replica if {
	check.findings == {{
		"message": "wal_level goes from replica to minimal: archiving and standbys need replica, and backups made before cannot be rolled forward past this change. Set it to replica, or remove what uses it first.",
		"path": path,
	}} with input as updated(level("hot_standby"), level("minimal"))
}

test_raised_or_kept if {
	check.findings == set() with input as updated(level("replica"), level("logical"))
	check.findings == set() with input as updated(level("replica"), level("replica"))
}

test_silent_without_both if {
	check.findings == set() with input as level("minimal")
	check.findings == set() with input as updated(manifests.change({}), manifests.change({"wal_level": "minimal"}))
}
