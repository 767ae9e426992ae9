package walguard.checks.replication.quorum_bootstrap_test

import data.walguard.checks.replication.quorum_bootstrap as check
import data.walguard.lib.manifest_test as manifests

cluster(synchronous, probe, instances) := manifests.review({}, {"instances": instances, "postgresql": {"synchronous": object.union({"method": "any", "number": 1}, synchronous)}, "probes": {"startup": probe}})

preferred := {"dataDurability": "preferred", "failoverQuorum": true}

test_deadlock if {
	check.findings == {{
		"message": "A streaming startup probe with dataDurability: preferred and failoverQuorum: the standbys may never become ready (seen with CloudNativePG 1.28). Remove the type of the probe, or failoverQuorum.",
		"path": ["spec", "probes", "startup", "type"],
	}} with input as cluster(preferred, {"type": "streaming"}, 3)
}

test_annotation if {
	reviewed := object.union(
		cluster({"dataDurability": "preferred"}, {"type": "streaming"}, 3),
		{"review": {"object": {"metadata": {"annotations": {"cnpg.io/failoverQuorum": "true"}}}}},
	)
	found := check.findings with input as reviewed
	count(found) == 1
}

test_no_deadlock if {
	check.findings == set() with input as cluster(preferred, {}, 3)
	check.findings == set() with input as cluster(preferred, {"type": "streaming"}, 1)
	check.findings == set() with input as cluster({"failoverQuorum": true}, {"type": "streaming"}, 3)
	check.findings == set() with input as cluster({"dataDurability": "preferred"}, {"type": "streaming"}, 3)
}

test_silent_when_unknown if check.findings == set() with input as manifests.change({"fsync": "on"})
