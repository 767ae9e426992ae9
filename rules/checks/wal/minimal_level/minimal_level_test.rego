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

test_silent_for_a_change_alone if {
	check.findings == set() with input as manifests.change({"wal_level": "minimal"})
}

test_replaced_by_patroni if {
	check.findings == set() with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"wal_level": "minimal"}}},
	}}}
}
