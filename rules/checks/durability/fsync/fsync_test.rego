package walguard.checks.durability.fsync_test

import data.walguard.checks.durability.fsync as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_off if {
	findings({"fsync": "no"}) == {{
		"message": "CloudNativePG prod/orders runs with fsync=no: PostgreSQL does not wait until the disk has what it wrote, and when the node fails the database is corrupt beyond crash recovery. Turn it on; where commits are too slow and the last 0.6 seconds of them may be lost, synchronous_commit=off is safe",
		"path": ["spec", "postgresql", "parameters", "fsync"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/fsync", "value": "on"}],
	}}
}

test_on if {
	findings({}) == set()
	findings({"fsync": "on"}) == set()
}

test_left_to_the_check_of_values if findings({"fsync": "perhaps"}) == set()
