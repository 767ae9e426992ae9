package walguard.checks.change.bootstrap_test

import data.walguard.checks.change.bootstrap as check
import data.walguard.lib.manifest_test as manifests

findings(old, new) := found if {
	review := manifests.review({}, new).review
	found := check.findings with input as {"review": object.union(review, {
		"oldObject": object.union(object.remove(review.object, ["spec"]), {"spec": object.union(object.remove(review.object.spec, ["bootstrap", "externalClusters"]), old)}),
	})}
}

recovery(section) := {"bootstrap": {"recovery": section}}

test_recovery_added if {
	findings({"bootstrap": {"initdb": {"database": "app"}}}, recovery({"source": "old"})) == {{
		"message": "bootstrap.recovery is read only when a cluster is created, and this one exists: nothing is restored, and the operator refuses it beside the bootstrap.initdb of the cluster. Create a Cluster with another name.",
		"path": ["spec", "bootstrap", "recovery"],
	}}
	count(findings({}, recovery({"source": "old"}))) == 1
	{f.path | some f in findings({}, {"bootstrap": {"pg_basebackup": {"source": "old"}}})} == {["spec", "bootstrap", "pg_basebackup"]}
}

test_target_changed if {
	findings(recovery({"source": "old"}), recovery({"source": "old", "recoveryTarget": {"targetTime": "2026-06-15T06:31:14Z"}})) == {{
		"message": "bootstrap.recovery.recoveryTarget changes, which is read only when a cluster is created: nothing is restored. Create a Cluster with another name.",
		"path": ["spec", "bootstrap", "recovery"],
		"severity": "warning",
	}}
}

# What is left of a restore goes, and the webhook fills in names.
test_not_reported if {
	findings(recovery({"source": "old", "recoveryTarget": {"targetTime": "2026-06-15T06:31:14Z"}}), recovery({"source": "old", "database": "app"})) == set()
	findings(recovery({"source": "old"}), {}) == set()
	findings(recovery({"source": "old"}), {"bootstrap": {"initdb": {}}}) == set()
	findings({}, {"bootstrap": {"initdb": {"database": "app"}}}) == set()
}

# Both are refused as two ways at once, and another cluster may have been named without a bootstrap after a recovery from it.
test_silent_when_unknown if {
	findings({}, {"bootstrap": {"initdb": {}, "recovery": {"source": "old"}}}) == set()
	findings({"externalClusters": [{"name": "old"}]}, object.union(recovery({"source": "old"}), {"externalClusters": [{"name": "old"}]})) == set()
	findings(recovery({"source": "old"}), recovery({"source": "${SOURCE}"})) == set()
	check.findings == set() with input as manifests.review({}, recovery({"source": "old"}))
}
