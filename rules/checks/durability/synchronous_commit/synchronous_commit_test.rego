package walguard.checks.durability.synchronous_commit_test

import data.walguard.checks.durability.synchronous_commit as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, spec) := found if found := check.findings with input as manifests.review(parameters, spec)

test_off if {
	findings({"synchronous_commit": "off"}, {}) == {{
		"message": "synchronous_commit=off acknowledges commits before they are on disk: up to 600 ms of them are lost when the server or its node fails. Leave it on, and set it to off only in sessions whose loss is acceptable.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "synchronous_commit"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/synchronous_commit", "value": "on"}],
	}}
}

test_window_follows_the_wal_writer if {
	some f in findings({"synchronous_commit": "off", "wal_writer_delay": "1s"}, {})
	contains(f.message, "up to 3000 ms")
}

test_default_of_the_operator if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps.kubeblocks.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders"},
		"spec": {"clusterDef": "vanilla-postgresql", "componentSpecs": [{"name": "postgresql", "replicas": 2}]},
	}}}
	found == {{
		"message": "synchronous_commit=off (the operator's default) acknowledges commits before they are on disk: up to 600 ms of them are lost when the server or its node fails. Leave it on, and set it to off only in sessions whose loss is acceptable.",
		"severity": "info",
		"path": ["metadata", "annotations"],
		"default_of": "KubeBlocks",
	}}
}

test_local_beside_synchronous_standbys if {
	findings({"synchronous_commit": "local"}, {"postgresql": {"synchronous": {"method": "any", "number": 1}}}) == {{
		"message": "synchronous_commit=local does not wait for the synchronous standbys: a failover loses the commits they have not received. Leave it on, and set it to off only in sessions whose loss is acceptable.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "synchronous_commit"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/synchronous_commit", "value": "on"}],
	}}
}

# Without synchronous standbys "local" is what "on" does.
test_local_alone if findings({"synchronous_commit": "local"}, {}) == set()

test_other_values if {
	findings({}, {}) == set()
	findings({"synchronous_commit": "remote_write"}, {}) == set()
	findings({"synchronous_commit": "true"}, {}) == set()
}
