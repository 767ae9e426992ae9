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
