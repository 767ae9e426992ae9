package walguard.checks.replication.sync_blocks_writes_test

import data.walguard.checks.replication.sync_blocks_writes as check
import data.walguard.lib.manifest_test as manifests

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

required(number, instances, more) := manifests.review({}, {"instances": instances, "postgresql": {"synchronous": object.union({"method": "any", "number": number}, more)}})

path := ["spec", "postgresql", "synchronous", "number"]

test_the_only_standby if {
	check.findings == {{
		"message": "Every commit needs the only standby: while one is down or restarts, all writes wait. Run 3 instances, or set dataDurability: preferred to accept commits without it.",
		"path": path,
		"facts": {"required_standbys": 1, "standbys": 1},
	}} with input as required(1, 2, {})
}

test_all_standbys if {
	check.findings == {{
		"message": "Every commit needs all 2 standbys: while one is down or restarts, all writes wait. Run 4 instances, or set dataDurability: preferred to accept commits without it.",
		"path": path,
		"facts": {"required_standbys": 2, "standbys": 2},
	}} with input as required(2, 3, {"dataDurability": "required"})
}

test_strict_patroni if {
	check.findings == {{
		"message": "Every commit needs the only standby: while one is down or restarts, all writes wait. Run 3 instances, or set synchronous_mode_strict: false to accept commits without it.",
		"path": ["spec", "patroni", "synchronous_mode_strict"],
		"facts": {"required_standbys": 1, "standbys": 1},
	}} with input as zalando({"numberOfInstances": 2, "patroni": {"synchronous_mode": true, "synchronous_mode_strict": true}})
}

test_a_standby_to_spare if {
	check.findings == set() with input as required(1, 3, {})
	check.findings == set() with input as required(1, 2, {"dataDurability": "preferred"})
	check.findings == set() with input as required(1, 2, {"standbyNamesPost": ["elsewhere"]})
	check.findings == set() with input as manifests.review({}, {"instances": 2, "minSyncReplicas": 1, "maxSyncReplicas": 1})
	check.findings == set() with input as zalando({"numberOfInstances": 2, "patroni": {"synchronous_mode": true}})
	check.findings == set() with input as zalando({"numberOfInstances": 3, "patroni": {"synchronous_mode": true, "synchronous_mode_strict": true, "synchronous_node_count": 2}})
}

test_silent_when_unknown if {
	check.findings == set() with input as zalando({"patroni": {"synchronous_mode": true, "synchronous_mode_strict": true}})
	check.findings == set() with input as required("some", 2, {})
	check.findings == set() with input as manifests.change({"fsync": "on"})
}

bare(settings) := {f.message | some f in found} if found := check.findings with input as {"review": {"object": {
	"apiVersion": "walguard.dev/v1",
	"kind": "PostgresServer",
	"metadata": {"name": "db1"},
	"spec": {"version": "17", "configuration": [{"file": "postgresql.conf", "text": settings}]},
}}}

test_named_by_hand if {
	bare("synchronous_standby_names = 'db2'") == {"synchronous_standby_names=db2: every commit waits for db2, and while it is down all writes hang. Name one more than has to confirm, such as ANY 1 (db2, and another)."}
	bare("synchronous_standby_names = 'FIRST 2 (db2, \"db3\")'") == {"synchronous_standby_names=FIRST 2 (db2, \"db3\"): every commit waits for db2 and db3, and while one of them is down all writes hang. Name one more than has to confirm, such as ANY 2 (db2, db3, and another)."}
	count(bare("synchronous_standby_names = '1 (db2)'")) == 1
	every names in ["", "*", "walreceiver", "db2, db3", "ANY 1 (db2, db3)", "FIRST 3 (db2, db3)", "2 (*, db2)", "db2 db3 (", "ANY 1 (db-2)"] {
		bare(sprintf("synchronous_standby_names = '%s'", [names])) == set()
	}
	bare("synchronous_standby_names = 'db2'\nsynchronous_commit = local") == set()
}

test_named_and_settled_otherwise if {
	every spec in [
		{"numberOfInstances": 2, "patroni": {"synchronous_mode": true}, "postgresql": {"version": "17", "parameters": {"synchronous_standby_names": "db2"}}},
		{"numberOfInstances": 1, "postgresql": {"version": "17", "parameters": {"synchronous_standby_names": "db2"}}},
		{"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"synchronous_standby_names": "db2"}}},
	] {
		check.findings == set() with input as zalando(spec)
	}
	check.findings == set() with input as manifests.review({"synchronous_standby_names": "db2"}, {"instances": 3})
}
