package walguard.checks.replication.slots_exhausted_test

import data.walguard.checks.replication.slots_exhausted as check
import data.walguard.lib.manifest_test as manifests

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

parameters_path := ["spec", "postgresql", "parameters"]

test_connections if {
	check.findings == {{
		"message": "max_wal_senders=2 allows 2 replication connections; 2 standbys and one new copy need 3. Set it to 10.",
		"path": array.concat(parameters_path, ["max_wal_senders"]),
		"facts": {"available": 2, "standbys": 2, "permanent_slots": 0, "needed": 3},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_wal_senders", "value": "10"}],
	}} with input as manifests.review({"max_wal_senders": "2"}, {})
}

test_slots if {
	check.findings == {{
		"message": "max_replication_slots=0 gives 0 slots; 1 standby need 1. Set it to 10.",
		"path": array.concat(parameters_path, ["max_replication_slots"]),
		"facts": {"available": 0, "standbys": 1, "permanent_slots": 0, "needed": 1},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_replication_slots", "value": "10"}],
	}} with input as manifests.review({"max_replication_slots": "0"}, {"instances": 2})
}

test_permanent_slots_and_patronis_minima if {
	slots := {name: {"type": "physical"} | some name in ["a", "b", "c"]}
	check.findings == {{
		"message": "max_replication_slots=2 gives 4 slots; 2 standbys and 3 permanent slots need 5. Set it to 10.",
		"path": array.concat(parameters_path, ["max_replication_slots"]),
		"facts": {"available": 4, "standbys": 2, "permanent_slots": 3, "needed": 5},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_replication_slots", "value": "10"}],
	}} with input as zalando({"numberOfInstances": 3, "patroni": {"slots": slots}, "postgresql": {"parameters": {"max_replication_slots": "2"}}})
	check.findings == set() with input as zalando({"numberOfInstances": 3, "postgresql": {"parameters": {"max_wal_senders": "1"}}})
}

test_enough if {
	check.findings == set() with input as manifests.review({"max_wal_senders": "3"}, {})
	check.findings == set() with input as manifests.review({"max_wal_senders": "0"}, {"instances": 1})
	check.findings == set() with input as manifests.review({}, {"instances": 5})
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({"max_wal_senders": "1"}, {"instances": "some"})
	check.findings == set() with input as manifests.change({"max_wal_senders": "1"})
	check.findings == set() with input as manifests.server("max_wal_senders = 1", {})
}

test_senders_of_permanent_slots if {
	slots := {name: {"type": "physical"} | some name in ["a", "b", "c"]}
	found := check.findings with input as zalando({"numberOfInstances": 3, "patroni": {"slots": slots}, "postgresql": {"parameters": {"max_wal_senders": "4"}}})
	{f.facts.needed | some f in found} == {6}
}

# ---------------------------------------------------------------------------------------------------------- connectors

connected(args, names) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db", "replicas": 1, "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17", "args": array.concat(["-c", "wal_level=logical"], args)}]}}},
		}},
		"inventory": {"namespace": {"prod": {"kafka.strimzi.io/v1beta2": {"KafkaConnector": {name: {
			"apiVersion": "kafka.strimzi.io/v1beta2",
			"kind": "KafkaConnector",
			"metadata": {"name": name, "namespace": "prod"},
			"spec": {"class": "io.debezium.connector.postgresql.PostgresConnector", "config": {"database.hostname": "db"}},
		} |
			some name in names
		}}}}},
	}
}

test_connectors_take_slots if {
	connected(["-c", "max_replication_slots=1"], ["a", "b"]) == {"max_replication_slots=1 gives 1 slots; 2 connectors need 2. Set it to 10."}
	connected(["-c", "max_wal_senders=1"], ["a", "b"]) == {"max_wal_senders=1 allows 1 replication connections; 2 connectors need 2. Set it to 10."}
	connected(["-c", "max_replication_slots=2", "-c", "max_wal_senders=2"], ["a", "b"]) == set()
	connected(["-c", "max_replication_slots=0"], []) == set()
	connected([], ["a", "b"]) == set()
}

copied(senders, command, env) := found if {
	found := {[f.severity, f.message] | some f in check.findings} with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "args": ["-c", "wal_level=minimal", "-c", sprintf("max_wal_senders=%s", [senders])]}]}}},
		}},
		"inventory": {"namespace": {"shop": {"batch/v1": {"CronJob": {"copy": {
			"apiVersion": "batch/v1",
			"kind": "CronJob",
			"metadata": {"name": "copy", "namespace": "shop"},
			"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "copy", "image": "postgres:17.6", "command": ["sh", "-c", command], "env": env}]}}}}},
		}}}}}},
	}
}

test_what_copies_a_server_without_senders if {
	copied("0", "pg_basebackup -h db -U backup -D /backup", []) == {["error", "max_wal_senders=0, and CronJob copy runs pg_basebackup: it is refused (\"number of requested standby connections exceeds max_wal_senders\"). Set max_wal_senders to 10 and wal_level to replica."]}
	count(copied("0", "pg_receivewal -D /wal", [{"name": "PGHOST", "value": "db.shop.svc"}])) == 1
	copied("10", "pg_basebackup -h db -U backup -D /backup", []) == set()
	copied("0", "pg_basebackup -h elsewhere -U backup -D /backup", []) == set()
	copied("0", "pg_dump -h db -U backup", []) == set()
}
