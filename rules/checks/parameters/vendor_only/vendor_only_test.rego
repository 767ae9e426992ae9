package walguard.checks.parameters.vendor_only_test

import data.walguard.checks.parameters.vendor_only as check
import data.walguard.lib.manifest_test as manifests
import data.walguard.model

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

under_patroni(parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}},
	}}}
}

test_of_a_vendor if {
	findings({"autoprepare_threshold": "2"}) == {{
		"message": "autoprepare_threshold=2: only Postgres Pro Enterprise has this parameter; this is PostgreSQL, and the server does not start. Remove it.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "autoprepare_threshold"],
		"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/autoprepare_threshold"}],
	}}
	{f.severity | some f in under_patroni({"polar_enable_shm_aset": "on"})} == {"warning"}
}

test_of_this_vendor if {
	check.findings == set() with model.edition as "postgrespro-enterprise"
		with input as manifests.review({"autoprepare_threshold": "2"}, {})
}

test_of_nobody if findings({"xyzzy": "1", "work_mem": "4MB"}) == set()
