package walguard.checks.wal.slot_retention_unbounded_test

import data.walguard.checks.wal.slot_retention_unbounded as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {"wal/slot_retention_unbounded": {"settings": {"small_times": 4}}}}}

findings(parameters, spec) := found if {
	found := check.findings with input as object.union(settings, manifests.review(parameters, spec))
}

written := {"max_slot_wal_keep_size": "-1"}

test_written if {
	findings(written, {}) == {{
		"message": "max_slot_wal_keep_size=-1: a standby (3 instances) that stays away can fill the data volume of 100Gi with WAL and stop the primary. Set it to 24GB.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "max_slot_wal_keep_size"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_slot_wal_keep_size", "value": "24GB"}],
	}}
}

test_default_is_advice if {
	findings({}, {"walStorage": {"size": "40Gi"}}) == {{
		"message": "max_slot_wal_keep_size=-1 (the default): a standby (3 instances) that stays away can fill the WAL volume of 40Gi with WAL and stop the primary. Set it to 20GB.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters"],
		"fix": [{"op": "add", "path": "/spec/postgresql/parameters/max_slot_wal_keep_size", "value": "20GB"}],
	}}
}

test_logical_subscribers if {
	findings(object.union(written, {"wal_level": "logical"}), {"instances": 1}) == {{
		"message": "max_slot_wal_keep_size=-1: a logical subscriber (wal_level=logical) that stays away can fill the data volume of 100Gi with WAL and stop the primary. Set it to 24GB.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "max_slot_wal_keep_size"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_slot_wal_keep_size", "value": "24GB"}],
	}}
	findings(object.union(written, {"wal_level": "replica"}), {"instances": 1}) == set()
	{f.severity | some f in findings({"wal_level": "logical"}, {"instances": 1})} == {"warning"}
	{f.severity | some f in findings({"wal_level": "logical"}, {})} == {"info"}
	findings(object.union(written, {"wal_level": "logical"}), {"instances": 1, "replica": {"enabled": true}}) == set()
}

test_default_on_a_volume_that_is_small_for_its_wal if {
	findings({"max_wal_size": "12GB"}, {"walStorage": {"size": "40Gi"}}) == {{
		"message": "max_slot_wal_keep_size=-1 (the default): a standby (3 instances) that stays away can fill the WAL volume of 40Gi with WAL and stop the primary. Set it to 16GB.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters"],
		"fix": [{"op": "add", "path": "/spec/postgresql/parameters/max_slot_wal_keep_size", "value": "16GB"}],
	}}
}

test_a_sample_is_advised if {
	{f.severity | some f in findings({}, {"storage": {"size": "1Gi"}})} == {"info"}
}

test_small_volume if {
	{f.message | some f in findings(written, {"storage": {"size": "1Gi"}})} == {"max_slot_wal_keep_size=-1: a standby (3 instances) that stays away can fill the data volume of 1Gi with WAL and stop the primary. Set a bound, and grow the volume to 8Gi."}
}

test_bounded if findings({"max_slot_wal_keep_size": "20GB"}, {}) == set()

test_no_standby if findings(written, {"instances": 1}) == set()

test_no_slots if findings(written, {"replicationSlots": {"highAvailability": {"enabled": false}}}) == set()

test_silent_without_size if findings(written, {"storage": {"size": null}}) == set()

test_max_wal_size_unknown if {
	{f.message | some f in findings(object.union(written, {"max_wal_size": "${SIZE}"}), {})} == {"max_slot_wal_keep_size=-1: a standby (3 instances) that stays away can fill the data volume of 100Gi with WAL and stop the primary. Set a bound."}
}

archived := {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]}

test_wal_volume_that_a_quiet_server_fills if {
	findings({}, object.union(archived, {"walStorage": {"size": "4Gi"}})) == {{
		"message": "max_slot_wal_keep_size=-1 (the default): a standby (3 instances) that stays away can fill the WAL volume of 4Gi with WAL and stop the primary within a day: archive_timeout=5min (the operator's default) writes up to 4.5Gi. Set it to 1GB.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters"],
		"fix": [{"op": "add", "path": "/spec/postgresql/parameters/max_slot_wal_keep_size", "value": "1GB"}],
	}}
}

# The volume that holds what is kept would be filled in a day, too.
test_wal_volume_that_what_is_kept_fills if {
	severities({"wal_keep_size": "1GB"}, object.union(archived, {"walStorage": {"size": "1Gi"}})) == {"warning"}
	severities({"wal_keep_size": "512MB"}, object.union(archived, {"walStorage": {"size": "1Gi"}})) == {"info"}
}

severities(parameters, spec) := {f.severity | some f in findings(parameters, spec)}

test_wal_volume_for_longer if {
	severities({}, object.union(archived, {"walStorage": {"size": "5Gi"}})) == {"info"}
	severities({"archive_timeout": "1h"}, object.union(archived, {"walStorage": {"size": "2Gi"}})) == {"info"}
	severities({"archive_timeout": "0"}, object.union(archived, {"walStorage": {"size": "2Gi"}})) == {"info"}
	severities({}, {"storage": {"size": "2Gi"}}) == {"info"}
}

# What OpenEBS makes on the node has no quota.
test_directory_without_a_quota if {
	severities({"max_wal_size": "5GB"}, {"storage": {"size": "5Gi", "storageClass": "openebs-hostpath"}}) == {"info"}
	severities({"max_wal_size": "5GB"}, {"storage": {"size": "5Gi", "storageClass": "fast"}}) == {"warning"}
	severities(written, {"storage": {"size": "5Gi", "storageClass": "openebs-hostpath"}}) == {"warning"}
}

connector(host) := {
	"apiVersion": "kafka.strimzi.io/v1",
	"kind": "KafkaConnector",
	"metadata": {"name": sprintf("of-%s", [host]), "namespace": "prod"},
	"spec": {"class": "io.debezium.connector.postgresql.PostgresConnector", "config": {"database.hostname": host}},
}

beside_connectors(parameters, spec, hosts) := found if {
	reviewed := object.union(settings, manifests.review(parameters, spec))
	connectors := {host: connector(host) | some host in hosts}
	found := check.findings with input as object.union(reviewed, {"inventory": {"namespace": {"prod": {"kafka.strimzi.io/v1": {"KafkaConnector": connectors}}}}})
}

test_connectors_in_sight if {
	{[f.message, f.severity] | some f in beside_connectors({}, {"instances": 1}, ["orders-rw"])} == {[
		"max_slot_wal_keep_size=-1 (the default): KafkaConnector of-orders-rw, while away, can fill the data volume of 100Gi with WAL and stop the primary. Set it to 24GB.",
		"warning",
	]}
	{split(f.message, ", while")[0] | some f in beside_connectors({}, {}, ["orders-rw", "orders-r"])} == {"max_slot_wal_keep_size=-1 (the default): KafkaConnector of-orders-r or KafkaConnector of-orders-rw"}
	{f.severity | some f in beside_connectors({}, {"storage": {"size": "100Gi", "storageClass": "local-path"}, "instances": 1}, ["orders-rw"])} == {"info"}
}

test_connectors_elsewhere if {
	beside_connectors({}, {"instances": 1}, ["other-rw"]) == set()
	beside_connectors({}, {"instances": 1, "replica": {"enabled": true}}, ["orders-rw"]) == set()
	beside_connectors({"max_slot_wal_keep_size": "20GB"}, {"instances": 1}, ["orders-rw"]) == set()
}

test_subscriber_of_a_publication if {
	publication := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Publication", "metadata": {"name": "cdc", "namespace": "prod"}, "spec": {"cluster": {"name": "orders"}, "name": "p", "dbname": "app"}}
	given := object.union(manifests.review({}, {"walStorage": {"size": "20Gi"}}), {"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Publication": {"cdc": publication}}}}}})
	found := check.findings with input as object.union(settings, given)
	{f.severity | some f in found} == {"warning"}
	some f in found
	contains(f.message, "a subscriber of Publication cdc, while away,")
}

server(lines) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "db1"},
		"spec": {"configuration": [{"file": "postgresql.conf", "text": concat("\n", lines)}]},
	}}}
}

# Nothing is known of its disk.
test_of_a_configuration_alone if {
	{[f.severity, f.message] | some f in server(["wal_level = logical", "max_wal_size = 8GB"])} == {["warning", "max_slot_wal_keep_size=-1 (the default): a logical subscriber (wal_level=logical) that stays away can fill the disk with WAL and stop the server. Set a bound that the disk can spare."]}
	server(["wal_level = logical", "max_slot_wal_keep_size = 50GB"]) == set()
	server(["wal_level = replica"]) == set()
	partial := check.findings with input as {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "db1"},
		"spec": {"partial": true, "configuration": [{"file": "10-cdc.conf", "text": "wal_level = logical"}]},
	}}}
	partial == set()
	written_there := check.findings with input as {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "db1"},
		"spec": {"partial": true, "configuration": [{"file": "10-cdc.conf", "text": "wal_level = logical\nmax_slot_wal_keep_size = -1"}]},
	}}}
	count(written_there) == 1
}

declared(type) := {[f.severity, regex.match(`^max_slot_wal_keep_size=-1 \(the default\): the reader of patroni.slots.cdc, while away, can fill`, f.message)] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": {
			"numberOfInstances": 2,
			"volume": {"size": "200Gi"},
			"patroni": {"slots": {"cdc": {"type": type, "database": "orders", "plugin": "pgoutput"}}},
			"postgresql": {"version": "17", "parameters": {"wal_level": "logical"}},
		},
	}}}
}

test_slots_that_are_declared if {
	declared("logical") == {["warning", true]}
	declared("physical") == {["info", false]}
}
