package walguard.lib.owner_test

import data.walguard.lib.owner

asked_by(user) := {"review": {"operation": "CREATE", "userInfo": {"username": user}}}

test_controllers_of_kubernetes if {
	every user in ["system:kube-controller-manager", "system:serviceaccount:kube-system:statefulset-controller", "system:node:n1"] {
		owner.by_kubernetes with input as asked_by(user)
	}
	every user in ["system:serviceaccount:prod:statefulset-controller", "system:nodes", "ops", ""] {
		not owner.by_kubernetes with input as asked_by(user)
	}
	not owner.by_kubernetes with input as {"review": {"object": {}}}
}

owned(reference, found) := count(owners) if {
	owners := owner.in_sight("apps/v1", "StatefulSet") with input as {
		"review": {"object": {"kind": "Pod", "metadata": {"name": "db-0", "namespace": "prod", "ownerReferences": [3, object.union({"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "1"}, reference)]}}},
		"inventory": {"namespace": {"prod": {"apps/v1": {"StatefulSet": {"db": object.union({"kind": "StatefulSet", "metadata": {"name": "db", "uid": "1"}}, found)}}}}},
	}
}

# By group, kind, name and uid; what is on its way out, or left to itself, owns nothing.
test_owners if {
	owned({}, {}) == 1
	owned({"apiVersion": "apps/v1beta1"}, {}) == 1
	every reference in [{"apiVersion": "example.com/v1"}, {"kind": "Deployment"}, {"name": "other"}, {"uid": "2"}] {
		owned(reference, {}) == 0
	}
	owned({"uid": "2"}, {"metadata": {"uid": null}}) == 1
	owned({}, {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}) == 0
	owned({}, {"spec": {"unmanaged": true}}) == 0
	owned({}, {"spec": {"unmanaged": false}}) == 1
}
