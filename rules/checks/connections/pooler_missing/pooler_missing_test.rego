package walguard.checks.connections.pooler_missing_test

import data.walguard.checks.connections.pooler_missing as check
import data.walguard.lib.manifest_test as manifests

settings := {"checks": {"connections/pooler_missing": {"settings": {"connections": 500}}}}

findings(connections, spec) := found if {
	found := check.findings with input as {
		"parameters": settings,
		"review": {"object": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "postgresql",
			"metadata": {"name": "acid-orders", "namespace": "prod"},
			"spec": object.union({"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"max_connections": connections}}}, spec),
		}},
	}
}

test_without_pooler if {
	findings("1000", {}) == {{
		"message": "1000 connections (max_connections) and no pooler: each is a process, and throughput falls long before so many are busy. Use a pooler (PgBouncer) and allow 100 to 200 connections.",
		"path": ["spec", "postgresql", "parameters", "max_connections"],
	}}
}

test_with_pooler if findings("1000", {"enableConnectionPooler": true}) == set()

test_as_many_as_the_primary if findings("1000", {"standby": {"standby_host": "primary"}}) == set()

test_few_connections if findings("499", {}) == set()

# The operator computes as many from the memory limit; nobody wrote them.
test_default_of_the_operator if findings(null, {"resources": {"limits": {"memory": "64Gi"}}}) == set()

test_silent_when_a_pooler_may_be_out_of_sight if {
	check.findings == set() with input as object.union({"parameters": settings}, manifests.review({"max_connections": "1000"}, {}))
}

test_none_in_a_complete_inventory if {
	found := check.findings with input as object.union(
		{"parameters": settings, "inventory": {"complete": true}},
		manifests.review({"max_connections": "1000"}, {}),
	)
	count(found) == 1
}
