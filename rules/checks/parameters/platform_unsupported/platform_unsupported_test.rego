package walguard.checks.parameters.platform_unsupported_test

import data.walguard.checks.parameters.platform_unsupported as check
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

test_of_another_platform if {
	findings({"wal_sync_method": "fsync_writethrough"}) == {{
		"message": "wal_sync_method=fsync_writethrough does not exist on Linux, and the server does not start. Remove it.",
		"severity": "error",
		"path": ["spec", "postgresql", "parameters", "wal_sync_method"],
		"fix": [{"op": "remove", "path": "/spec/postgresql/parameters/wal_sync_method"}],
	}}
	{f.path[3] | some f in findings({"shared_memory_type": "Windows", "bonjour": "on"})} == {"shared_memory_type", "bonjour"}
	{f.severity | some f in under_patroni({"dynamic_shared_memory_type": "windows"})} == {"warning"}
}

test_of_some_builds if {
	check.findings == {{
		"message": "io_method=io_uring needs a server built with liburing and a seccomp profile that allows io_uring, which those of containerd and Docker do not; without them the server does not start. Test it on this image and these nodes, or use worker.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters", "io_method"],
	}} with input as manifests.review({"io_method": "io_uring"}, {"imageName": "postgresql:18.1"})
}

test_of_this_platform if findings({"wal_sync_method": "fdatasync", "bonjour": "off", "io_method": "worker"}) == set()

test_plainly_wrong_is_not_for_this_check if findings({"wal_sync_method": "none"}) == set()
