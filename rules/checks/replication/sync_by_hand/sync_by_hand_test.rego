package walguard.checks.replication.sync_by_hand_test

import data.walguard.checks.replication.sync_by_hand as check
import data.walguard.lib.manifest_test as manifests

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

cluster(instances, patroni) := zalando({"numberOfInstances": instances, "patroni": patroni, "postgresql": {"version": "17", "parameters": {"synchronous_standby_names": "*"}}})

test_by_hand if {
	check.findings == {{
		"message": "synchronous_standby_names=* without synchronous_mode: a failover may promote a standby that lacks confirmed commits. Set synchronous_mode: true in Patroni and remove the parameter.",
		"path": ["spec", "postgresql", "parameters", "synchronous_standby_names"],
	}} with input as cluster(3, {})
}

test_by_patroni if check.findings == set() with input as cluster(3, {"synchronous_mode": true})

# No server starts with it (parameters/invalid_value).
test_refused if {
	check.findings == set() with input as zalando({"numberOfInstances": 3, "postgresql": {"version": "17", "parameters": {"synchronous_standby_names": "ANY 1 (acid-orders-1)"}}})
}

test_alone if check.findings == set() with input as cluster(1, {})

test_silent_elsewhere if {
	check.findings == set() with input as manifests.review({"synchronous_standby_names": "*"}, {})
	check.findings == set() with input as manifests.server("synchronous_standby_names = '*'", {})
	check.findings == set() with input as zalando({"postgresql": {"parameters": {"synchronous_standby_names": "*"}}})
	check.findings == set() with input as zalando({"numberOfInstances": 3, "postgresql": {"parameters": {"synchronous_standby_names": "''"}}})
}

crunchy(dynamic) := {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {
		"postgresVersion": 17,
		"instances": [{"name": "main", "replicas": 3}],
		"patroni": {"dynamicConfiguration": object.union({"postgresql": {"parameters": {"synchronous_standby_names": "*"}}}, dynamic)},
	},
}}}

# Crunchy's operator hands the parameter to Patroni, which leaves it out with a mode of its own: another check says so.
test_handed_on if {
	found := check.findings with input as crunchy({})
	count(found) == 1
	check.findings == set() with input as crunchy({"synchronous_mode": true})
	check.findings == set() with input as crunchy({"synchronous_mode": "quorum"})
}
