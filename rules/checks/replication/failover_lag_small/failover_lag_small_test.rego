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

by_file(line) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "ts", "namespace": "prod"}, "spec": {"replicas": 3, "template": {"spec": {
			"containers": [{"name": "ts", "image": "timescale/timescaledb-ha:pg14.6-ts2.9.1-p1", "command": ["/bin/bash", "-c", "exec patroni /etc/timescaledb/patroni.yaml"], "volumeMounts": [{"name": "conf", "mountPath": "/etc/timescaledb"}]}],
			"volumes": [{"name": "conf", "configMap": {"name": "ts"}}],
		}}}}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"ts": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ts", "namespace": "prod"}, "data": {"patroni.yaml": sprintf("bootstrap:\n  dcs:\n    %s\n    postgresql:\n      parameters:\n        max_connections: 100\n", [line])}}}}}}},
	}
}

# Of a file there is no fix but by hand.
test_small_lag_in_a_file if {
	by_file("maximum_lag_on_failover: 0") == {{
		"message": "maximum_lag_on_failover=0: a standby that is 1 bytes behind is not promoted, and each is that far behind a primary that writes. Write 1048576 or more.",
		"path": ["data", "patroni.yaml"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "ts", "namespace": "prod"},
	}}
	every line in ["maximum_lag_on_failover: 1048576", "maximum_lag_on_failover: ${LAG}", "ttl: 30"] {
		by_file(line) == set()
	}
}
