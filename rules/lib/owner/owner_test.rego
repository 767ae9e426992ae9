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
