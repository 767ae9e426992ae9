package walguard.checks.parameters.autovacuum_slots_test

import data.walguard.checks.parameters.autovacuum_slots as check
import data.walguard.lib.manifest_test as manifests

findings(image, parameters) := found if found := check.findings with input as manifests.review(parameters, {"imageName": image})

test_too_many if {
	findings("x:18.4", {"autovacuum_max_workers": "20"}) == {{
		"message": "autovacuum_max_workers=20, but there are slots for 16: the rest is never started. Set autovacuum_worker_slots to 20, or lower autovacuum_max_workers to 16.",
		"path": ["spec", "postgresql", "parameters", "autovacuum_max_workers"],
		"facts": {"autovacuum_max_workers": 20, "autovacuum_worker_slots": 16},
		"fix": [{"op": "add", "path": "/spec/postgresql/parameters/autovacuum_worker_slots", "value": "20"}],
	}}
	count(findings("x:19", {"autovacuum_max_workers": "6", "autovacuum_worker_slots": "4"})) == 1
}

test_enough if {
	findings("x:18.4", {"autovacuum_max_workers": "16"}) == set()
	findings("x:18.4", {"autovacuum_max_workers": "20", "autovacuum_worker_slots": "20"}) == set()
	findings("x:18.4", {}) == set()
}

test_before_there_were_slots if findings("x:17.6", {"autovacuum_max_workers": "20"}) == set()

test_version_not_known if findings("x:latest", {"autovacuum_max_workers": "20"}) == set()

test_what_the_server_refuses if findings("x:18.4", {"autovacuum_max_workers": "many"}) == set()
