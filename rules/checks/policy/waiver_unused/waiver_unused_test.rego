package walguard.checks.policy.waiver_unused_test

import data.walguard.checks.policy.waiver_unused as check

waiver(resource) := {"check": "wal/a", "resource": resource, "reason": "migration", "owner": "dba", "expires": "2027-01-01"}

orders := {"apiVersion": "g/v1", "kind": "Cluster", "namespace": "prod", "name": "orders"}

found(waivers, run) := findings if {
	findings := check.findings with input as {
		"now": "2026-06-15T12:00:00Z",
		"parameters": {"waivers": waivers},
		"review": object.union(run, {"object": {
			"apiVersion": "walguard.dev/v1",
			"kind": "Configuration",
			"metadata": {"name": "walguard.yaml"},
			"waivers": waivers,
		}}),
	}
}

exact := waiver({"namespace": "prod", "name": "orders"})

test_the_resource_was_judged if {
	found([waiver({"namespace": "prod", "name": "users"}), exact], {"judged": [orders]}) == {{
		"path": ["waivers", 1],
		"message": "The waiver of wal/a for prod/orders covers nothing: the resource was checked and has no such finding. Delete it.",
	}}
}

test_everything_was_judged if {
	found([waiver({"namespace": "pr*"})], {"judged": [], "used": [], "complete": true}) == {{
		"path": ["waivers", 0],
		"message": "The waiver of wal/a for pr*/* covers nothing: everything was checked and has no such finding. Delete it.",
	}}
}

test_used if {
	found([exact], {"judged": [orders], "used": [0]}) == set()
	found([exact], {"judged": [orders], "used": [0], "complete": true}) == set()
}

test_silent_where_not_all_is_in_sight if {
	found([exact], {}) == set()
	found([exact], {"judged": []}) == set()
	found([waiver({"namespace": "prod", "name": "order?"}), waiver({"namespace": "prod"}), waiver({})], {"judged": [orders]}) == set()
	found([object.union(exact, {"expires": "2026-01-01"})], {"judged": [orders]}) == set()
}

test_another_check_speaks_of_one_that_never_covers_anything if {
	nowhere := waiver({"kind": "Cluster", "name": "orders"})
	count(found([nowhere], {"judged": [], "used": [], "complete": true})) == 1
	found([nowhere], {"judged": [], "used": [], "complete": true, "operation": "UPDATE"}) == set()
}
