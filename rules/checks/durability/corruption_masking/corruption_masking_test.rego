package walguard.checks.durability.corruption_masking_test

import data.walguard.checks.durability.corruption_masking as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_zero_damaged_pages if {
	findings({"zero_damaged_pages": "on"}) == {{
		"message": "zero_damaged_pages=on: a damaged page is emptied when it is read, and all its rows are gone at the next write. Turn it off.",
		"path": ["spec", "postgresql", "parameters", "zero_damaged_pages"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/zero_damaged_pages", "value": "off"}],
	}}
}

test_each_by_itself if {
	found := check.findings with input as manifests.change({"data_sync_retry": "on", "ignore_checksum_failure": "1", "ignore_invalid_pages": "yes", "fsync": "on"})
	{f.message | some f in found} == {
		"data_sync_retry=on: after a failed fsync the server goes on although the kernel has dropped the pages it could not write, so that committed changes are lost without a trace; off, it stops and recovers them from WAL. Turn it off.",
		"ignore_checksum_failure=1: pages with a wrong checksum are used, so that damage spreads to whatever is computed and copied from them. Turn it off.",
		"ignore_invalid_pages=yes: recovery steps over WAL for pages that should exist and do not, so that the server comes up with data missing. Turn it off.",
	}
}

# CloudNativePG sets data_sync_retry itself, whatever is written.
test_overwritten_by_the_operator if findings({"data_sync_retry": "on"}) == set()

test_off if {
	findings({}) == set()
	findings({"zero_damaged_pages": "off"}) == set()
}
