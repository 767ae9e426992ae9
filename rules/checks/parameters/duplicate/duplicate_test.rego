package walguard.checks.parameters.duplicate_test

import data.walguard.checks.parameters.duplicate as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_two_spellings if {
	findings({"Work_mem": "64MB", "work_mem": "4MB"}) == {{
		"message": "CloudNativePG prod/orders sets work_mem 2 times, 64MB here and 4MB at spec.postgresql.parameters.work_mem: the last one holds. Keep one",
		"path": ["spec", "postgresql", "parameters", "Work_mem"],
	}}
}

test_the_same_twice if findings({"Work_mem": "4MB", "work_mem": "4MB"}) == set()

test_once if findings({"work_mem": "4MB", "jit": "on"}) == set()

test_two_lines_of_a_file if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "operations.kubeblocks.io/v1alpha1",
		"kind": "OpsRequest",
		"metadata": {"name": "tune", "namespace": "prod"},
		"spec": {"type": "Reconfiguring", "clusterName": "orders", "reconfigures": [{
			"componentName": "postgresql",
			"configurations": [{"name": "postgresql", "keys": [{"key": "postgresql.conf", "fileContent": "jit = on\njit = off\njit = off\n"}]}],
		}]},
	}}}
	found == {{
		"message": "KubeBlocks prod/orders sets jit 3 times, on here and off at a later line: the last one holds. Keep one",
		"path": ["spec", "reconfigures", 0, "configurations", 0, "keys", 0, "fileContent"],
	}}
}

test_no_value_is_not_for_this_check if findings({"Work_mem": null, "work_mem": "4MB"}) == set()
