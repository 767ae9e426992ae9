package walguard.lib.before_test

import data.walguard.lib.before

update := {"review": {"operation": "UPDATE", "object": {"kind": "Cluster"}, "oldObject": {"kind": "Cluster", "spec": {}}}}

test_the_same_surroundings if {
	before.review.review == {"object": {"kind": "Cluster", "spec": {}}, "namespace": "default", "operation": "UPDATE"} with input as update
	not before.review.inventory with input as update
	given := object.union(update, {"inventory": {"cluster": {}}, "now": "2026-11-21T00:00:00Z"})
	before.review.inventory == {"cluster": {}} with input as given
	before.review.now == "2026-11-21T00:00:00Z" with input as given
}

test_updates_only if not before.review with input as {"review": {"operation": "CREATE", "object": {"kind": "Cluster"}}}
