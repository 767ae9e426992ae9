package walguard.checks.parameters.not_settable_test

import data.walguard.checks.parameters.not_settable as check
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

test_shows_a_fact if {
	findings({"data_checksums": "on"}) == {{
		"message": "data_checksums=on cannot be set: the parameter only reports how the server was built or its data directory created, and the server does not start. Remove it.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "data_checksums"],
		"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/data_checksums"}],
	}}
	{f.severity | some f in under_patroni({"block_size": "8192"})} == {"warning"}
}

test_segment_size_has_its_own_check if findings({"wal_segment_size": "16MB", "work_mem": "4MB"}) == set()
