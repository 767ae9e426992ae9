package walguard.checks.replication.slot_shared_test

import data.walguard.checks.replication.slot_shared as check

cluster := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"instances": 1},
}

connector(name, spec, config) := {
	"apiVersion": "kafka.strimzi.io/v1",
	"kind": "KafkaConnector",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": object.union(
		{"class": "io.debezium.connector.postgresql.PostgresConnector", "config": object.union({"database.hostname": "orders-rw"}, config)},
		spec,
	),
}

server(name, env) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "debezium", "image": "quay.io/debezium/server:3.1", "env": [{"name": variable, "value": value} | some variable, value in object.union(
		{"DEBEZIUM_SOURCE_CONNECTOR_CLASS": "io.debezium.connector.postgresql.PostgresConnector", "DEBEZIUM_SOURCE_DATABASE_HOSTNAME": "orders-rw"},
		env,
	)]}]}}},
}

found(connectors, servers) := findings if {
	findings := check.findings with input as {
		"review": {"object": cluster},
		"inventory": {"namespace": {"prod": {
			"kafka.strimzi.io/v1": {"KafkaConnector": {sprintf("%d", [n]): one | some n, one in connectors}},
			"apps/v1": {"Deployment": {one.metadata.name: one | some one in servers}},
		}}},
	}
}

test_the_default_of_both if {
	found([connector("billing", {}, {}), connector("orders", {}, {})], []) == {{
		"message": "KafkaConnector orders uses the replication slot debezium (the default) of KafkaConnector billing: a slot serves one of them, and the other one fails (\"replication slot is active\"). Set another slot.name.",
		"path": ["spec", "config", "slot.name"],
		"resource": {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector", "name": "orders", "namespace": "prod"},
	}}
}

test_a_name_of_both if {
	messages := {f.message | some f in found([connector("billing", {}, {"slot.name": "cdc"}), connector("orders", {}, {"slot.name": "cdc"}), connector("stock", {}, {"slot.name": "cdc"})], [])}
	messages == {sprintf("KafkaConnector %s uses the replication slot cdc of KafkaConnector billing: a slot serves one of them, and the other one fails (\"replication slot is active\"). Set another slot.name.", [name]) | some name in ["orders", "stock"]}
}

test_servers if {
	{[f.resource.name, f.path] | some f in found([connector("billing", {}, {})], [server("cdc", {"DEBEZIUM_SOURCE_SLOT_NAME": "debezium"})])} == {["billing", ["spec", "config", "slot.name"]]}
	found([connector("billing", {}, {})], [server("cdc", {"DEBEZIUM_SOURCE_SLOT_NAME": "server"})]) == set()
	count(found([], [server("cdc", {}), server("cdc2", {})])) == 1
}

test_a_slot_each if {
	found([connector("billing", {}, {}), connector("orders", {}, {"slot.name": "orders"})], []) == set()
	found([connector("billing", {}, {})], []) == set()
}

test_one_that_does_not_run if {
	found([connector("billing", {"state": "stopped"}, {}), connector("orders", {}, {})], []) == set()
	found([connector("billing", {}, {}), connector("orders", {"state": "paused"}, {})], []) == set()
}

test_another_server if {
	found([connector("billing", {}, {"database.hostname": "other"}), connector("orders", {}, {})], []) == set()
}

test_the_same_connector_of_two_environments if {
	found([connector("orders", {}, {}), connector("orders", {}, {})], []) == set()
}
