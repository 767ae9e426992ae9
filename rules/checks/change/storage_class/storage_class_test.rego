package walguard.checks.change.storage_class_test

import data.walguard.checks.change.storage_class as check
import data.walguard.lib.manifest_test as manifests

updated(old, new) := {"review": {"operation": "UPDATE", "object": new.review.object, "oldObject": old.review.object}}

on(class) := manifests.review({}, {"storage": {"size": "100Gi", "storageClass": class}})

test_another_class if {
	check.findings == {{
		"message": "The StorageClass of the data volume goes from \"fast\" to \"cheap\", but existing volumes stay on \"fast\". Write \"fast\" again, or move to new instances one at a time.",
		"path": ["spec", "storage", "storageClass"],
	}} with input as updated(on("fast"), on("cheap"))
}

test_the_same if check.findings == set() with input as updated(on("fast"), on("fast"))

test_silent_without_both_classes if {
	check.findings == set() with input as on("fast")
	check.findings == set() with input as updated(on(null), on("fast"))
	check.findings == set() with input as updated(on("fast"), on(null))
}
