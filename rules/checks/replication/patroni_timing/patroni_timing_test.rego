package walguard.checks.replication.patroni_timing_test

import data.walguard.checks.replication.patroni_timing as check

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

patroni(section) := zalando({"numberOfInstances": 3, "patroni": section})

test_short_lease if {
	check.findings == {{
		"message": "ttl=20 is less than loop_wait + 2 × retry_timeout (10 + 2 × 10 = 30 s): Patroni shortens the two by itself, or one slow request demotes a healthy primary. Set ttl to 30, or lower the two.",
		"path": ["spec", "patroni", "ttl"],
		"facts": {"ttl_seconds": 20, "loop_wait_seconds": 10, "retry_timeout_seconds": 10, "least_seconds": 30},
		"fix": [{"op": "replace", "path": "/spec/patroni/ttl", "value": 30}],
	}} with input as patroni({"ttl": 20})
}

test_long_requests if {
	found := check.findings with input as patroni({"retry_timeout": 20})
	{[f.path, f.facts.least_seconds, f.fix] | some f in found} == {[["spec", "patroni", "retry_timeout"], 50, [{"op": "add", "path": "/spec/patroni/ttl", "value": 50}]]}
}

test_below_the_minimum if {
	check.findings == {{
		"message": "ttl=15 is below Patroni's minimum: it uses 20. Write 20 or more.",
		"path": ["spec", "patroni", "ttl"],
		"facts": {"ttl_seconds": 15, "loop_wait_seconds": 5, "retry_timeout_seconds": 5, "least_seconds": 20},
		"fix": [{"op": "replace", "path": "/spec/patroni/ttl", "value": 20}],
	}} with input as patroni({"ttl": 15, "loop_wait": 5, "retry_timeout": 5})
}

test_crunchy if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders"},
		"spec": {"patroni": {"leaderLeaseDurationSeconds": 30, "syncPeriodSeconds": 10, "dynamicConfiguration": {"ttl": 10, "retry_timeout": 20}}},
	}}}
	{[f.path, f.facts.ttl_seconds] | some f in found} == {[["spec", "patroni", "leaderLeaseDurationSeconds"], 30]}
}

test_in_proportion if {
	check.findings == set() with input as patroni({"ttl": 30, "loop_wait": 10, "retry_timeout": 10})
	check.findings == set() with input as patroni({"ttl": 60})
	check.findings == set() with input as patroni({"loop_wait": 5})
}

test_silent_when_unknown if {
	check.findings == set() with input as patroni({})
	check.findings == set() with input as patroni({"ttl": "short"})
}
