package walguard.checks.access.database_not_created_test

import data.walguard.checks.access.database_not_created as check

decoded(roles, config, spec, others) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "orders"},
			"spec": object.union({"instances": 1, "bootstrap": {"initdb": {"database": "orders", "owner": "orders"}}, "managed": {"roles": roles}}, spec),
		}},
		"inventory": {"namespace": {"default": object.union(
			{"kafka.strimzi.io/v1beta2": {"KafkaConnector": {"c": {
				"apiVersion": "kafka.strimzi.io/v1beta2",
				"kind": "KafkaConnector",
				"metadata": {"name": "c"},
				"spec": {
					"class": "io.debezium.connector.postgresql.PostgresConnector",
					"config": object.union({"database.hostname": "orders-rw", "database.user": "debezium", "plugin.name": "pgoutput"}, config),
				},
			}}}},
			others,
		)}},
	}
}

may_replicate := [{"name": "debezium", "login": true, "replication": true}]

test_stream_without_replication if {
	decoded([{"name": "debezium", "login": true}], {"publication.autocreate.mode": "disabled"}, {}, {}) == {{
		"message": "KafkaConnector c streams from a slot as debezium, who has no REPLICATION: it fails (\"must be superuser or replication role to start walsender\"). Give the role REPLICATION.",
		"path": ["spec", "config", "database.hostname"],
		"resource": {"apiVersion": "kafka.strimzi.io/v1beta2", "kind": "KafkaConnector", "name": "c", "namespace": ""},
		"severity": "error",
	}}
	count(decoded([], {"database.user": "orders", "publication.autocreate.mode": "filtered"}, {}, {})) == 1
	decoded(may_replicate, {"publication.autocreate.mode": "disabled"}, {}, {}) == set()
	decoded([{"name": "debezium", "superuser": true}], {}, {}, {}) == set()
	decoded([], {}, {}, {}) == set()
	decoded([], {"database.user": "${file:/etc/u:user}"}, {}, {}) == set()
	decoded([{"name": "debezium"}], {"publication.autocreate.mode": "disabled"}, {}, {"v1": {"ConfigMap": {"a": {"data": {"a.sql": "ALTER ROLE debezium REPLICATION;"}}}}}) == set()
}

test_publication_for_all_tables if {
	{[f.severity, f.message] | some f in decoded(may_replicate, {"publication.autocreate.mode": "all_tables"}, {}, {})} == {["error", "KafkaConnector c creates publication dbz_publication for all tables as debezium, and only a superuser may: it fails unless there is one. Create it, or set publication.autocreate.mode to filtered."]}
	{f.severity | some f in decoded(may_replicate, {"publication.name": "dbz"}, {}, {})} == {"warning"}
	decoded(may_replicate, {"publication.autocreate.mode": "filtered"}, {}, {}) == set()
	decoded(may_replicate, {"plugin.name": "decoderbufs"}, {}, {}) == set()
	decoded(may_replicate, {"publication.name": "${env:NAME}"}, {}, {}) == set()
	decoded(may_replicate, {}, {}, {"v1": {"ConfigMap": {"a": {"data": {"a.sql": "CREATE PUBLICATION dbz_publication FOR ALL TABLES;"}}}}}) == set()
	decoded(may_replicate, {}, {}, {"postgresql.cnpg.io/v1": {"Publication": {"p": {"spec": {"name": "dbz_publication"}}}}}) == set()
}

# Where it goes is not known then.
test_connector_of_another_namespace if {
	decoded([], {"database.user": "orders"}, {}, {}) != set()
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1}}},
		"inventory": {"namespace": {"default": {"kafka.strimzi.io/v1beta2": {"KafkaConnector": {"c": {
			"apiVersion": "kafka.strimzi.io/v1beta2",
			"kind": "KafkaConnector",
			"metadata": {"name": "c"},
			"spec": {"class": "io.debezium.connector.postgresql.PostgresConnector", "config": {"database.hostname": "orders-rw", "database.user": "app"}},
		}}}}}},
	}
	found == set()
}

test_user_of_a_secret if {
	of_secret := [{"name": "debezium", "login": true, "replication": true, "passwordSecret": {"name": "debezium-user"}}]
	{f.severity | some f in decoded(of_secret, {"database.user": "${secrets:default/debezium-user:username}"}, {}, {})} == {"warning"}
	decoded(of_secret, {"database.user": "${secrets:other/debezium-user:username}"}, {}, {}) == set()
	decoded(of_secret, {"database.user": "${secrets:default/other:username}"}, {}, {}) == set()
	decoded(of_secret, {"database.user": "${secrets:default/debezium-user:password}"}, {}, {}) == set()
}
