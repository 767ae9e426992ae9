package walguard.checks.workload.cpu_parallel_test

import data.walguard.checks.workload.cpu_parallel as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, cpu) := found if found := check.findings with input as manifests.review(parameters, {"resources": {"limits": {"cpu": cpu}}})

test_one_core if {
	findings({"max_parallel_workers_per_gather": "8"}, "1") == {{
		"message": "max_parallel_workers_per_gather=8 under a CPU limit of one core: the workers take turns on it and make a query no faster. Set it to 0, or raise the limit.",
		"path": ["spec", "postgresql", "parameters", "max_parallel_workers_per_gather"],
		"facts": {"workers": 8, "cores_thousandths": 1000},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_parallel_workers_per_gather", "value": "0"}],
	}}
}

test_maintenance_on_half_a_core if {
	{f.message | some f in findings({"max_parallel_maintenance_workers": "4"}, "500m")} == {"max_parallel_maintenance_workers=4 under a CPU limit of 0.5 cores: the workers take turns on it and make a query no faster. Set it to 1, or raise the limit."}
}

test_enough_cores if findings({"max_parallel_workers_per_gather": "8"}, "2") == set()

test_few_workers if findings({"max_parallel_workers_per_gather": "2"}, "1") == set()

test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({"max_parallel_workers_per_gather": "8"}, {})
	check.findings == set() with input as manifests.change({"max_parallel_workers_per_gather": "8"})
}
