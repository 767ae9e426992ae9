package walguard.checks.policy.waiver_without_namespace_test

import data.walguard.checks.policy.waiver_without_namespace as check

waiver(resource) := {"check": "wal/a", "resource": resource, "reason": "migration", "owner": "dba", "expires": "2027-01-01"}

found(waivers, live) := findings if {
	findings := check.findings with input as {
		"now": "2026-06-15T12:00:00Z",
		"parameters": {"waivers": waivers},
		"inventory": {"live": live},
		"review": {"object": {
			"apiVersion": "walguard.dev/v1",
			"kind": "Configuration",
			"metadata": {"name": "walguard.yaml"},
			"waivers": waivers,
		}},
	}
}

test_found_in_a_cluster if {
	found([waiver({"namespace": "prod", "name": "users"}), waiver({"kind": "Cluster", "name": "orders"})], true) == {{
		"path": ["waivers", 1, "resource"],
		"message": "The waiver of wal/a for Cluster */orders names no namespace, so it covers nothing in a cluster. Add the namespace, or \"*\" for all of them.",
	}}
}

test_info_in_files if {
	{f.severity | some f in found([waiver({"kind": "Cluster", "name": "orders"})], false)} == {"info"}
}

test_silent_where_all_are_meant if found([waiver({"namespace": "*", "name": "orders"})], true) == set()

# What is of the cluster scope has no namespace.
test_silent_of_kinds_without_one if found([waiver({"kind": "Storage*", "name": "fast"}), waiver({"name": "fast"})], true) == set()

test_silent_of_one_that_has_expired if {
	found([object.union(waiver({"kind": "Cluster", "name": "orders"}), {"expires": "2026-01-01"})], true) == set()
}
