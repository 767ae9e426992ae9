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
	every spec in [{"paused": true}, {"crVersion": "latest"}] {
		owned({}, {"spec": spec}) == 0
	}
	every spec in [{"paused": false}, {"crVersion": "2.7.0"}, {"crVersion": "3.1.0-rc1"}] {
		owned({}, {"spec": spec}) == 1
	}
}

annotated(key, value) if owner.left_alone({"apiVersion": "apps.kubeblocks.io/v1alpha1", "metadata": {"annotations": {key: value}}})

# By annotation, whatever it says beyond what is known to mean nothing.
test_left_alone_by_annotation if {
	every pair in [
		["acid.zalan.do/controller", "second"], ["stackgres.io/reconciliation-pause", "true"], ["stackgres.io/reconciliation-pause", "True"],
		["cnpg.io/reconciliationLoop", "disabled"], ["kubeblocks.io/crd-api-version", "apps.kubeblocks.io/v9"],
	] {
		annotated(pair[0], pair[1])
	}
	every pair in [
		["stackgres.io/reconciliation-pause", "false"], ["cnpg.io/reconciliationLoop", "enabled"], ["kubeblocks.io/crd-api-version", "apps.kubeblocks.io/v1"],
		["kubeblocks.io/crd-api-version", "apps.kubeblocks.io/v1alpha1"], ["example.com/note", "paused"],
	] {
		not annotated(pair[0], pair[1])
	}
	not owner.left_alone({"metadata": {}})
}
