package walguard.checks.replication.standby_below_primary_test

import data.walguard.checks.replication.standby_below_primary as check

set_of(name, env) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": {"replicas": 1, "template": {"spec": {"containers": [{"image": "docker.io/bitnami/postgresql:16", "env": [{"name": key, "value": value} | some [key, value] in env]}]}}},
}

replica(env) := set_of("orders-read", array.concat([["POSTGRES_REPLICATION_MODE", "slave"], ["POSTGRES_MASTER_HOST", "orders-primary"]], env))

reviewed(object, primary) := {"review": {"object": object}, "inventory": {"namespace": {"prod": {"apps/v1": {"StatefulSet": {"orders-primary": primary}}}}}}

limit(number) := [["POSTGRESQL_MAX_CONNECTIONS", number]]

test_lower if {
	check.findings == {{
		"message": "max_connections=100, and the primary orders-primary has 500: the standby does not start or stops replaying. Set it to 500 here too.",
		"path": ["spec", "template", "spec", "containers", 0, "args"],
		"facts": {"standby": 100, "primary": 500},
		"related": [{"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"], "resource": {"apiVersion": "apps/v1", "kind": "StatefulSet", "namespace": "prod", "name": "orders-primary"}, "message": "the primary's"}],
	}} with input as reviewed(replica([]), set_of("orders-primary", limit("500")))
}

test_written_lower if {
	found := check.findings with input as reviewed(replica(limit("200")), set_of("orders-primary", limit("500")))
	path := array.concat(["spec", "template", "spec", "containers", 0], ["env", 2, "value"])
	{[f.path, f.fix] | some f in found} == {[path, [{"op": "replace", "path": "/spec/template/spec/containers/0/env/2/value", "value": "500"}]]}
}

test_the_same_or_higher if {
	check.findings == set() with input as reviewed(replica(limit("500")), set_of("orders-primary", limit("500")))
	check.findings == set() with input as reviewed(replica(limit("500")), set_of("orders-primary", []))
}

test_silent_when_unknown if {
	check.findings == set() with input as {"review": {"object": replica([])}}
	check.findings == set() with input as reviewed(set_of("orders-primary", limit("500")), set_of("orders-primary", limit("500")))
}

cloudnativepg(name, spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": object.union({"instances": 1, "imageName": "ghcr.io/cloudnative-pg/postgresql:17.5"}, spec),
}

replica_cluster(external) := {
	"review": {"object": cloudnativepg("orders-dr", {
		"replica": {"enabled": true, "source": "orders"},
		"externalClusters": [{"name": "other"}, object.union({"name": "orders"}, external)],
	})},
	"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Cluster": {"orders": cloudnativepg("orders", {"postgresql": {"parameters": {"max_connections": "300"}}})}}}}},
}

test_replica_cluster if {
	check.findings == {{
		"message": "max_connections=100, and the primary orders has 300: the standby does not start or stops replaying. Set it to 300 here too.",
		"path": ["spec", "postgresql", "parameters"],
		"facts": {"standby": 100, "primary": 300},
		"related": [{"path": ["spec", "postgresql", "parameters", "max_connections"], "resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "namespace": "prod", "name": "orders"}, "message": "the primary's"}],
	}} with input as replica_cluster({"connectionParameters": {"host": "orders-rw.prod.svc"}})
	count(check.findings) == 1 with input as replica_cluster({"connectionParameters": {"host": "orders-rw"}})
	count(check.findings) == 1 with input as replica_cluster({"plugin": {"parameters": {"serverName": "orders"}}})
}

test_replica_cluster_of_another_place if {
	check.findings == set() with input as replica_cluster({"connectionParameters": {"host": "orders-rw.other.svc"}})
	check.findings == set() with input as replica_cluster({"connectionParameters": {"host": "db.example.com"}, "plugin": {"parameters": {"serverName": "orders"}}})
	check.findings == set() with input as replica_cluster({})
}

# Two workloads of the official image, and primary_conninfo between them.
one_of_two(name, args) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": {"template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "db", "image": "postgres:17", "args": [word | some arg in args; some word in ["-c", arg]]}]}}},
}

between(selector, args) := {f.message | some f in found} if {
	conninfo := "primary_conninfo=host=pg-primary port=5432 user=replicator"
	found := check.findings with input as {
		"review": {"object": one_of_two("standby", array.concat([conninfo], args))},
		"inventory": {"namespace": {"prod": {
			"apps/v1": {"StatefulSet": {"primary": one_of_two("primary", ["max_connections=200"])}},
			"v1": {"Service": {"pg-primary": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pg-primary", "namespace": "prod"}, "spec": {"selector": selector}}}},
		}}},
	}
}

test_primary_by_its_service if {
	between({"app": "primary"}, ["max_connections=100"]) == {"max_connections=100, and the primary primary has 200: the standby does not start or stops replaying. Set it to 200 here too."}
	between({"app": "primary"}, ["max_connections=300"]) == set()
	between({"app": "elsewhere"}, ["max_connections=100"]) == set()
}
