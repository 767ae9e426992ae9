package walguard.checks.replication.failover_lag_small_test

import data.walguard.checks.replication.failover_lag_small as check

zalando(instances, patroni) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": {"numberOfInstances": instances, "postgresql": {"version": "17"}, "patroni": patroni},
}}}

test_small_lag if {
	zalando(3, {"maximum_lag_on_failover": 339999}) == {{
		"message": "maximum_lag_on_failover=339999: a standby that is 340000 bytes behind is not promoted, and each is that far behind a primary that writes. Write 1048576 or more.",
		"path": ["spec", "patroni", "maximum_lag_on_failover"],
		"fix": [{"op": "replace", "path": "/spec/patroni/maximum_lag_on_failover", "value": 1048576}],
	}}
	count(zalando(2, {"maximum_lag_on_failover": 0})) == 1
	every patroni in [{}, {"maximum_lag_on_failover": 1048576}, {"maximum_lag_on_failover": "${LAG}"}] {
		zalando(3, patroni) == set()
	}
	zalando(1, {"maximum_lag_on_failover": 339999}) == set()
}

test_small_lag_of_others if {
	some kind in ["PostgresCluster", "PerconaPGCluster"]
	found := check.findings with input as {"review": {"object": {
		"apiVersion": {"PostgresCluster": "postgres-operator.crunchydata.com/v1beta1", "PerconaPGCluster": "pgv2.percona.com/v2"}[kind],
		"kind": kind,
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"postgresVersion": 17, "instances": [{"name": "main", "replicas": 2}], "patroni": {"dynamicConfiguration": {"maximum_lag_on_failover": 1000}}},
	}}}
	{f.path | some f in found} == {["spec", "patroni", "dynamicConfiguration", "maximum_lag_on_failover"]}
}
