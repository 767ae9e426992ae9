package walguard.checks.parameters.out_of_range_test

import data.walguard.checks.parameters.out_of_range as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

under_patroni(parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}},
	}}}
}

# No image is named: the operator's own choice, which the manifest does not tell.
of_any_major(parameters) := found if {
	found := check.findings with input as manifests.review(parameters, {"imageName": ""})
}

test_beyond_the_limit if {
	findings({"autovacuum_vacuum_scale_factor": "200"}) == {{
		"message": "autovacuum_vacuum_scale_factor=200: 200 is outside the valid range 0 .. 100, and the server does not start. Write a value within the range.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "autovacuum_vacuum_scale_factor"],
	}}
}

test_moved_by_patroni if {
	under_patroni({"autovacuum_vacuum_scale_factor": "200"}) == {{
		"message": "autovacuum_vacuum_scale_factor=200: 200 is outside the valid range 0 .. 100, and Patroni uses the nearest limit instead. Write a value within the range.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "autovacuum_vacuum_scale_factor"],
	}}
}

test_unit_counts if {
	{f.path[3] | some f in findings({"checkpoint_timeout": "2d"})} == {"checkpoint_timeout"}
	findings({"checkpoint_timeout": "1d"}) == set()
}

test_within_some_version if {
	of_any_major({"effective_io_concurrency": "100"}) == set()
	count(of_any_major({"effective_io_concurrency": "100000"})) == 1
}

test_left_to_the_check_of_values if findings({"work_mem": "64mb", "jit": "perhaps"}) == set()
