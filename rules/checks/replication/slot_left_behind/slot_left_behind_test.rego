package walguard.checks.replication.slot_left_behind_test

import data.walguard.checks.replication.slot_left_behind as check

connector(host, config) := {
	"apiVersion": "kafka.strimzi.io/v1",
	"kind": "KafkaConnector",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"class": "io.debezium.connector.postgresql.PostgresConnector", "config": object.union({"database.hostname": host}, config)},
}

found(cluster, one) := findings if {
	findings := check.findings with input as {"review": {"object": cluster}, "inventory": {"namespace": {"prod": {"kafka.strimzi.io/v1": {"KafkaConnector": {"orders": one}}}}}}
}

cnpg(spec) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"instances": 3, "imageName": "ghcr.io/cloudnative-pg/postgresql:17.5"}, spec),
}

test_nothing_copies_it if {
	found(cnpg({}), connector("orders-rw", {})) == {{
		"message": "KafkaConnector orders reads slot debezium, which no other instance has when it takes over: changes are lost, and the old slot keeps WAL. Set synchronizeLogicalDecoding, sync_replication_slots and slot.failover.",
		"path": ["spec", "config", "slot.name"],
		"resource": {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector", "name": "orders", "namespace": "prod"},
	}}
	messages := {f.message | some f in found(cnpg({"imageName": "ghcr.io/cloudnative-pg/postgresql:16.9"}), connector("orders-rw", {"slot.name": "cdc"}))}
	messages == {"KafkaConnector orders reads slot cdc, which no other instance has when it takes over: changes are lost, and the old slot keeps WAL. Set synchronizeLogicalDecoding and preload pg_failover_slots."}
}

test_copied if {
	found(cnpg({"replicationSlots": {"highAvailability": {"synchronizeLogicalDecoding": true}}}), connector("orders-rw", {})) == set()
	found(cnpg({"postgresql": {"parameters": {"sync_replication_slots": "on"}}}), connector("orders-rw", {})) == set()
	found(cnpg({"postgresql": {"parameters": {"pg_failover_slots.synchronize_slot_names": "name_like:%"}}}), connector("orders-rw", {})) == set()
}

test_no_standby if {
	found(cnpg({"instances": 1}), connector("orders-rw", {})) == set()
}

test_unknown if {
	found(cnpg({}), connector("orders-rw", {"slot.name": "${SLOT}"})) == set()
	found(cnpg({}), connector("stock-rw", {})) == set()
}

zalando(patroni) := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"numberOfInstances": 2, "postgresql": {"version": "17"}, "patroni": patroni},
}

test_slots_of_patroni if {
	{f.message | some f in found(zalando({}), connector("orders", {"slot.name": "cdc"}))} == {"KafkaConnector orders reads slot cdc, which no other instance has when it takes over: changes are lost, and the old slot keeps WAL. Declare it in spec.patroni.slots."}
	found(zalando({"slots": {"cdc": {"type": "logical", "database": "orders", "plugin": "pgoutput"}}}), connector("orders", {"slot.name": "cdc"})) == set()
}

test_slots_of_crunchy if {
	every kind in [["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster"], ["pgv2.percona.com/v2", "PerconaPGCluster"]] {
		made := {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"postgresVersion": 17, "instances": [{"name": "a", "replicas": 2}]}}
		{f.message | some f in found(made, connector("orders-primary", {"slot.name": "cdc"}))} == {"KafkaConnector orders reads slot cdc, which no other instance has when it takes over: changes are lost, and the old slot keeps WAL. Declare it in spec.patroni.dynamicConfiguration.slots, with postgresql.use_slots: true."}
		every dynamic in [{"slots": {"cdc": {"type": "logical"}}}, "${CONFIGURATION}"] {
			found(object.union(made, {"spec": {"patroni": {"dynamicConfiguration": dynamic}}}), connector("orders-primary", {"slot.name": "cdc"})) == set()
		}
	}
}

# A single server, so that no other instance lacks the slot.
quiet(config, objects) := {[f.severity, f.message] | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": cnpg({"instances": 1, "bootstrap": {"initdb": {"database": "shop", "owner": "shop"}}})},
		"inventory": {"namespace": {"prod": object.union({"kafka.strimzi.io/v1": {"KafkaConnector": {"orders": connector("orders-rw", config)}}}, objects)}},
	}
}

another := {"postgresql.cnpg.io/v1": {"Database": {"customers": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Database", "metadata": {"name": "customers", "namespace": "prod"}, "spec": {"name": "customers", "owner": "shop", "cluster": {"name": "orders"}}}}}}

test_without_heartbeats if {
	quiet({"database.dbname": "customers", "table.include.list": "public.countries"}, another) == {["warning", "KafkaConnector orders reads 1 table without heartbeats: while nothing is written there, its slot keeps the WAL of database shop as well. Set heartbeat.interval.ms, and heartbeat.action.query, which writes to its own."]}
	of_the_application := {["info", "KafkaConnector orders reads 2 tables without heartbeats: while nothing is written there, its slot keeps the WAL of all others. Set heartbeat.interval.ms."]}
	quiet({"database.dbname": "shop", "table.include.list": "public.a, public.b", "heartbeat.interval.ms": 0}, another) == of_the_application
	quiet({"database.dbname": "elsewhere", "table.include.list": "public.a,public.b"}, another) == of_the_application
}

test_with_heartbeats if {
	quiet({"database.dbname": "customers", "table.include.list": "public.countries", "heartbeat.interval.ms": 10000}, another) == set()
	quiet({"database.dbname": "customers", "table.include.list": "public.countries", "heartbeat.interval.ms": "${BEAT}"}, another) == set()
	quiet({"database.dbname": "customers", "table.include.list": "${TABLES}"}, another) == set()
	quiet({"database.dbname": "customers"}, another) == set()
}
