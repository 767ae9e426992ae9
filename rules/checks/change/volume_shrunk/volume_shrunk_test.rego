package walguard.checks.change.volume_shrunk_test

import data.walguard.checks.change.volume_shrunk as check
import data.walguard.lib.manifest_test as manifests

updated(old, new) := {"review": {"operation": "UPDATE", "object": new.review.object, "oldObject": old.review.object}}

sized(size) := manifests.review({}, {"storage": {"size": size}})

test_smaller if {
	check.findings == {{
		"message": "The data volume goes from 200Gi to 100Gi: a claim never shrinks, and the change fails. Write 200Gi again.",
		"path": ["spec", "storage", "size"],
		"facts": {"old_bytes": 214748364800, "new_bytes": 107374182400},
	}} with input as updated(sized("200Gi"), sized("100Gi"))
}

test_same_or_larger if {
	check.findings == set() with input as updated(sized("100Gi"), sized("100Gi"))
	check.findings == set() with input as updated(sized("100Gi"), sized("200Gi"))
	check.findings == set() with input as updated(sized("1Ti"), sized("1024Gi"))
}

test_silent_without_both_sizes if {
	check.findings == set() with input as sized("100Gi")
	check.findings == set() with input as updated(sized("all"), sized("100Gi"))
	check.findings == set() with input as updated(sized("200Gi"), sized("all"))
}
