package walguard.checks.parameters.too_new_test

import data.walguard.checks.parameters.too_new as check
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

test_newer_than_the_server if {
	findings({"io_method": "worker"}) == {{
		"message": "io_method=worker: new in PostgreSQL 18; with PostgreSQL 17 the server does not start. Remove it until the cluster runs 18.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "io_method"],
		"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/io_method"}],
	}}
	{f.severity | some f in under_patroni({"io_method": "worker"})} == {"warning"}
}

test_there_already if findings({"summarize_wal": "on"}) == set()

test_silent_when_the_version_is_not_known if of_any_major({"io_method": "worker"}) == set()
