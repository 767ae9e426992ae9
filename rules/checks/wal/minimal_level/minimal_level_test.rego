package walguard.checks.wal.minimal_level_test

import data.walguard.checks.wal.minimal_level as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, spec) := found if found := check.findings with input as manifests.review(parameters, spec)

test_minimal if {
	findings({"wal_level": "minimal"}, {}) == {{
		"message": "wal_level=minimal, but max_wal_senders is 10, WAL archiving is on and there are 3 instances: the server does not start. Set it to replica.",
		"path": ["spec", "postgresql", "parameters", "wal_level"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/wal_level", "value": "replica"}],
	}}
}

unarchived(parameters, spec) := found if {
	found := check.findings with input as manifests.annotated(parameters, spec, {"cnpg.io/skipWalArchiving": "enabled"})
}

test_standbys_alone if {
	{f.message | some f in unarchived({"wal_level": "minimal", "max_wal_senders": "0"}, {})} == {"wal_level=minimal, but there are 3 instances: standbys cannot follow it. Set it to replica."}
}

test_nothing_asks_for_more if unarchived({"wal_level": "minimal", "max_wal_senders": "0"}, {"instances": 1}) == set()

test_other_levels if {
	findings({}, {}) == set()
	findings({"wal_level": "replica"}, {}) == set()
}

bare(version, text) := found if {
	found := {f.message | some f in check.findings} with input as {"review": {"object": {"apiVersion": "walguard.dev/v1alpha1", "kind": "PostgresServer", "metadata": {"name": "db"}, "spec": {"version": version, "configuration": [{"text": text}]}}}}
}

test_slots_of_a_standby if {
	bare("18", "sync_replication_slots = on") == {"sync_replication_slots=on with wal_level=replica: the server does not start. Set wal_level to logical."}
	bare("17", "wal_level = 'replica'\nsync_replication_slots = on") == {"sync_replication_slots=on with wal_level=replica: no slot is synchronized, and before 17.6 the server shuts down. Set wal_level to logical."}
	bare("18", "wal_level = logical\nsync_replication_slots = on") == set()
	bare("18", "sync_replication_slots = off") == set()
	bare("19", "sync_replication_slots = on") == set()
}

test_summaries if {
	bare("18", "wal_level = minimal\nmax_wal_senders = 0\nsummarize_wal = on") == {"wal_level=minimal, but summarize_wal is on: the server does not start. Set it to replica."}
	bare("18", "wal_level = minimal\nmax_wal_senders = 0") == set()
	bare("18", "summarize_wal = on") == set()
}

test_silent_for_a_change_alone if {
	check.findings == set() with input as manifests.change({"wal_level": "minimal"})
}

by_sql(statement) := {"review": {"object": {
	"apiVersion": "batch/v1",
	"kind": "Job",
	"metadata": {"name": "tune", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": ["psql", "-h", "db", "-c", statement]}]}}},
}}}

first_start(statement) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "c", "mountPath": "/docker-entrypoint-initdb.d"}]}],
			"volumes": [{"name": "c", "configMap": {"name": "c"}}],
		}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "prod"}, "data": {"a.sql": statement}}}}}}},
}

test_by_sql if {
	check.findings == {{
		"message": "wal_level=minimal: the server does not start with it unless max_wal_senders is 0 (10 by default) and archive_mode is off. Set it to replica.",
		"path": ["spec", "template", "spec", "containers", 0],
		"severity": "warning",
	}} with input as by_sql("ALTER SYSTEM SET wal_level = minimal")
	check.findings == set() with input as by_sql("ALTER SYSTEM SET wal_level = replica")
	{f.severity | some f in check.findings} == {"warning"} with input as first_start("ALTER SYSTEM SET wal_level = minimal;")
}

test_replaced_by_patroni if {
	check.findings == set() with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"wal_level": "minimal"}}},
	}}}
}

# ---------------------------------------------------------------------------------------------------------- decoding

connector(namespace, host) := {
	"apiVersion": "kafka.strimzi.io/v1beta2",
	"kind": "KafkaConnector",
	"metadata": {"name": "cdc", "namespace": namespace},
	"spec": {"class": "io.debezium.connector.postgresql.PostgresConnector", "config": {"database.hostname": host, "plugin.name": "pgoutput"}},
}

server(image, args) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": image, "args": args}]}}},
}

decoded(reviewed, others) := found if {
	found := check.findings with input as {"review": {"object": reviewed}, "inventory": {"namespace": others}}
}

by_connector(reviewed, namespace, host) := decoded(reviewed, {namespace: {"kafka.strimzi.io/v1beta2": {"KafkaConnector": {"cdc": connector(namespace, host)}}}})

zalando(parameters, slots) := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}, "patroni": {"slots": slots}},
}

test_connector_of_debezium if {
	by_connector(zalando({}, {}), "kafka", "acid-orders.prod.svc.cluster.local") == {{
		"message": "wal_level=replica, and KafkaConnector cdc decodes it: the connector fails (\"logical decoding requires wal_level >= logical\"). Set it to logical and restart the server.",
		"path": ["spec", "config", "database.hostname"],
		"resource": {"apiVersion": "kafka.strimzi.io/v1beta2", "kind": "KafkaConnector", "name": "cdc", "namespace": "kafka"},
		"severity": "error",
	}}
	count(by_connector(server("postgres:17", []), "prod", "db")) == 1
	count(by_connector(server("example.com/postgres:17", ["-c", "wal_level=replica"]), "prod", "db")) == 1
}

test_connector_elsewhere if {
	by_connector(zalando({"wal_level": "logical"}, {}), "kafka", "acid-orders.prod") == set()
	by_connector(zalando({}, {}), "kafka", "acid-orders") == set()
	by_connector(zalando({}, {}), "kafka", "acid-orders.other.svc") == set()
	by_connector(zalando({}, {}), "prod", "${HOST}") == set()
	by_connector(server("debezium/postgres:17", []), "prod", "db") == set()
	by_connector(server("example.com/postgres:17", []), "prod", "db") == set()
	by_connector(server("postgres:17", ["-c", "wal_level=logical"]), "prod", "db") == set()
	by_connector(server("postgres:latest", []), "prod", "db") == set()
}

deployment(host) := {"prod": {"apps/v1": {"Deployment": {"cdc": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "cdc", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "debezium", "env": [
		{"name": "DEBEZIUM_SOURCE_CONNECTOR_CLASS", "value": "io.debezium.connector.postgresql.PostgresConnector"},
		{"name": "DEBEZIUM_SOURCE_DATABASE_HOSTNAME", "value": host},
	]}]}}},
}}}}}

test_debezium_server if {
	{f.message | some f in decoded(server("postgres:17", []), deployment("db"))} == {"wal_level=replica, and Deployment cdc decodes it: Debezium ends with an error (\"logical decoding requires wal_level >= logical\"). Set it to logical and restart the server."}
	decoded(server("postgres:17", []), deployment("others")) == set()
}

# The last of several variables of one name counts, whoever writes them into a Deployment of his own.
test_variables_of_one_name if {
	twice := json.patch(deployment("others"), [{"op": "add", "path": "/prod/apps~1v1/Deployment/cdc/spec/template/spec/containers/0/env/-", "value": {"name": "DEBEZIUM_SOURCE_DATABASE_HOSTNAME", "value": "db"}}])
	count(decoded(server("postgres:17", []), twice)) == 1
}

test_logical_slot_of_patroni if {
	{[f.path, f.severity] | some f in decoded(zalando({}, {"cdc": {"type": "logical", "database": "shop", "plugin": "pgoutput"}, "old": {"type": "physical"}}), {})} == {[["spec", "patroni", "slots", "cdc"], "warning"]}
	decoded(zalando({"wal_level": "logical"}, {"cdc": {"type": "logical"}}), {}) == set()
}

publication := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Publication", "metadata": {"name": "p", "namespace": "prod"}, "spec": {"name": "p", "dbname": "app", "cluster": {"name": "orders"}}}

published(parameters) := {[f.resource.kind, f.severity] | some f in found} if {
	found := check.findings with input as object.union(manifests.review(parameters, {}), {"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Publication": {"p": publication}}}}}})
}

test_publication if {
	published({"wal_level": "replica"}) == {["Publication", "warning"]}
	published({}) == set()
}

scripted(text, args) := {[f.path, f.severity] |
	some f in decoded(
		object.union(server("postgres:17", args), {"spec": {"template": {"spec": {
			"containers": [{"name": "postgres", "image": "postgres:17", "args": args, "volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}],
			"volumes": [{"name": "init", "configMap": {"name": "init"}}],
		}}}}),
		{"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"init.sql": text}}}}}},
	)
}

test_scripts_of_the_first_start if {
	scripted("SELECT pg_create_logical_replication_slot('cdc', 'pgoutput');", []) == {[["data", "init.sql"], "error"]}
	scripted("create publication p for all tables;", []) == {[["data", "init.sql"], "warning"]}
	scripted("create publication p for all tables;", ["-c", "wal_level=logical"]) == set()
	scripted("-- create publication p for all tables;", []) == set()
	scripted("alter system set wal_level = logical; create publication p for all tables;", []) == set()
}

decoder(image, env) := {"prod": {"apps/v1": {"Deployment": {"sync": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "sync", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "sync", "image": image, "env": [{"name": name, "value": value} | some name, value in env]}]}}},
}}}}}

test_other_decoders if {
	{f.message | some f in decoded(server("postgres:17", []), decoder("toluaina1/pgsync:4.0.0", {"PG_HOST": "db"}))} == {"wal_level=replica, and Deployment sync (PGSync) decodes it: PGSync ends with an error (\"logical decoding requires wal_level >= logical\"). Set it to logical and restart the server."}
	count(decoded(server("postgres:17", []), decoder("electricsql/electric:1.0.0", {"DATABASE_URL": "postgresql://u:p@db.prod.svc:5432/shop?sslmode=disable"}))) == 1
	count(decoded(server("postgres:17", []), decoder("rocicorp/zero:0.22", {"ZERO_UPSTREAM_DB": "postgres://db/shop"}))) == 1
	decoded(server("postgres:17", []), decoder("toluaina1/pgsync:4.0.0", {"PG_HOST": "others"})) == set()
	decoded(server("postgres:17", []), decoder("example.com/pgsync:4.0.0", {"PG_HOST": "db"})) == set()
	decoded(server("postgres:17", ["-c", "wal_level=logical"]), decoder("toluaina1/pgsync:4.0.0", {"PG_HOST": "db"})) == set()
}
