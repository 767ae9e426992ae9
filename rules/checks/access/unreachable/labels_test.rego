package walguard.checks.access.unreachable_labels_test

import data.walguard.checks.access.unreachable as check

# The pods of CloudNativePG had the label postgresql until 1.18.
of_former_release(spec, objects) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": object.union({"v1": {"Service": {"lb": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "lb", "namespace": "prod"}, "spec": {"selector": {"postgresql": "orders", "role": "primary"}}}}}}, objects)}},
	}
	some f in found
}

test_label_of_former_releases if {
	of_former_release({}, {}) == {"Service lb selects postgresql=orders, and the pods carry cnpg.io/cluster=orders: it leads to no pod, and nobody reaches the server by its name. Write cnpg.io/cluster: orders."}
	of_former_release({"inheritedMetadata": {"labels": {"postgresql": "orders"}}}, {}) == set()
	of_former_release({}, {"apps/v1": {"StatefulSet": {"own": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "own", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"postgresql": "orders", "role": "primary"}}, "spec": {}}}}}}}) == set()
}
