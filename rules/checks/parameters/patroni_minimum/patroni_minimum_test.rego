package walguard.checks.parameters.patroni_minimum_test

import data.walguard.checks.parameters.patroni_minimum as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}},
	}}}
}

test_below if {
	findings({"max_connections": "20"}) == {{
		"message": "max_connections=20 is below Patroni's minimum of 25, so Patroni runs with 100 instead. Write at least 25.",
		"path": ["spec", "postgresql", "parameters", "max_connections"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_connections", "value": "25"}],
	}}
	{f.message | some f in findings({"wal_keep_size": "8MB", "max_wal_senders": "2"})} == {
		"wal_keep_size=8MB is below Patroni's minimum of 16MB, so Patroni runs with 128MB instead. Write at least 16MB.",
		"max_wal_senders=2 is below Patroni's minimum of 3, so Patroni runs with 10 instead. Write at least 3.",
	}
}

# 25 of which 60 are reserved would not start.
test_beside_what_is_reserved if {
	{[f.message, f.fix[0].value] | some f in findings({"max_connections": "10", "superuser_reserved_connections": "60"})} == {[
		"max_connections=10 is below Patroni's minimum of 25, so Patroni runs with 100 instead. Write at least 100.",
		"100",
	]}
	{f.fix[0].value | some f in findings({"max_connections": "10", "superuser_reserved_connections": "10"})} == {"25"}
}

test_enough if findings({"max_connections": "25", "wal_keep_size": "16MB", "max_worker_processes": "2"}) == set()

test_without_patroni if check.findings == set() with input as manifests.review({"max_connections": "20"}, {})

test_silent_when_unknown if findings({"max_connections": "${N}", "wal_keep_size": "1 GiB"}) == set()
