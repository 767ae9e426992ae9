package walguard.checks.parameters.worker_slots_test

import data.walguard.checks.parameters.worker_slots as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(object.union({"max_worker_processes": "8"}, parameters), {"imageName": "x:17.6"})

test_timescaledb if {
	findings({"timescaledb.max_background_workers": "16"}) == {{
		"message": "timescaledb.max_background_workers=16, but max_worker_processes=8: the rest is never started. Set max_worker_processes to 17 or more.",
		"path": ["spec", "postgresql", "parameters", "timescaledb.max_background_workers"],
		"facts": {"workers": 16, "max_worker_processes": 8},
	}}
}

test_logical_replication if {
	count(findings({"max_logical_replication_workers": "9"})) == 1
	findings({"max_logical_replication_workers": "8"}) == set()
}

test_enough if {
	findings({"timescaledb.max_background_workers": "16", "max_worker_processes": "27"}) == set()
	findings({"max_worker_processes": "2"}) == set()
}

test_silent_when_unknown if {
	findings({"timescaledb.max_background_workers": "${WORKERS}"}) == set()
	findings({"timescaledb.max_background_workers": "many"}) == set()
	findings({"timescaledb.max_background_workers": "16", "max_worker_processes": "${SLOTS}"}) == set()
}
