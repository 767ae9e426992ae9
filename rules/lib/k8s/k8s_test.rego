package walguard.lib.k8s_test

import data.walguard.lib.k8s

pod := {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}

cluster := {"apiVersion": "g.io/v1", "kind": "Cluster", "metadata": {"generateName": "a-", "namespace": "n"}}

test_envelopes if {
	given := pod
	k8s.object == given with input as given
	k8s.object == given with input as {"review": {"object": given}}
	k8s.object == given with input as {"request": {"uid": "1", "object": given}, "settings": {}}
	k8s.object == given with input as {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "object": given}}
}

test_documents if {
	[one, other] := [pod, cluster]
	list := {"apiVersion": "v1", "kind": "List", "items": [one, null, other]}
	k8s.documents == [one, other] with input as list
	k8s.documents == [one, other, one, other] with input as [
		{"path": "a", "contents": one},
		{"path": "b", "contents": [other, null, "x"]},
		{"path": "c", "contents": list},
		{"path": "d"},
		"junk",
	]
	k8s.documents == [] with input as one
	not k8s.review with input as list
}

test_no_object if {
	inputs := [null, 1, "x", [], {}, {"review": {"object": null}}, {"request": {"operation": "DELETE", "object": null}}, {"kind": 1}]
	count([1 | some i in inputs; k8s.object with input as i]) == 0
}

test_names if {
	k8s.name == "a" with input as pod
	k8s.name == "a-*" with input as cluster
	k8s.name == "" with input as {"apiVersion": "v1", "kind": "Pod"}
	k8s.namespace == "default" with input as pod
	k8s.namespace == "n" with input as cluster
	k8s.namespace == "r" with input as {"review": {"namespace": "r", "object": pod}}
	k8s.group == "" with input as pod
	k8s.group == "g.io" with input as cluster
	k8s.kind == "Cluster" with input as cluster
	k8s.annotations == {} with input as pod
	k8s.labels == {} with input as pod
}

test_reference if {
	k8s.reference(pod) == {"apiVersion": "v1", "kind": "Pod", "namespace": "", "name": "a"}
	k8s.reference({"metadata": 1}) == {"apiVersion": "", "kind": "", "namespace": "", "name": ""}
}

test_update if {
	update := {"review": {"operation": "UPDATE", "object": pod, "oldObject": cluster}}
	k8s.old_object == cluster with input as update
	not k8s.old_object with input as {"review": {"operation": "CREATE", "object": pod, "oldObject": cluster}}
	k8s.operation == "UPDATE" with input as update
}

test_deleting if {
	not k8s.deleting with input as pod
	leaving := {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "kind": "Pod", "spec": {"a": 1}}
	unlabelled := object.union(leaving, {"metadata": {"finalizers": []}})
	k8s.deleting with input as {"review": {"operation": "UPDATE", "object": unlabelled, "oldObject": leaving}}

	# Alive until its last finalizer is gone: what changes more than that is judged; and a file may say anything.
	changed := object.union(leaving, {"spec": {"a": 2}})
	not k8s.deleting with input as {"review": {"operation": "UPDATE", "object": changed, "oldObject": leaving}}
	not k8s.deleting with input as {"review": {"operation": "CREATE", "object": leaving}}
	not k8s.deleting with input as object.union(pod, leaving)
}

test_now if {
	k8s.now_nanoseconds == 1767225600000000000 with input as {"review": {"object": pod}, "now": "2026-01-01T00:00:00Z"}
	k8s.now_nanoseconds > 1767225600000000000 with input as pod
}

# The request of an API server has no kind in one word.
test_a_request_that_is_none if not k8s.review with input as {"request": {"kind": "Cluster", "object": pod}}

test_changes_and_removals if {
	every operation, expected in {"UPDATE": [true, false], "DELETE": [true, true], "CREATE": [false, false]} {
		reviewed := {"review": {"operation": operation, "object": pod, "oldObject": cluster}}
		count([1 | k8s.changed == cluster with input as reviewed]) == count([1 | expected[0]])
		count([1 | k8s.removed with input as reviewed]) == count([1 | expected[1]])
	}
	k8s.old_object == cluster with input as {"review": {"object": pod, "oldObject": cluster}}
	not k8s.removed with input as {"review": {"object": pod}}
	not k8s.changed with input as {"review": {"operation": "UPDATE", "object": pod, "oldObject": null}}
}

test_words_of_the_host if {
	reviewed := {"review": {"object": pod, "chosen": "container a", "notices": [1], "userInfo": {"username": "me", "groups": ["g"]}, "namespaceObject": {"metadata": {"name": "n"}}}}
	[k8s.chosen, k8s.notices, k8s.user, k8s.groups, k8s.namespace_object] == ["container a", [1], "me", ["g"], {"metadata": {"name": "n"}}] with input as reviewed
	not k8s.chosen with input as pod
	[k8s.notices, k8s.groups] == [[], []] with input as pod
	not k8s.namespace_object with input as {"review": {"object": pod, "namespaceObject": {}}}
}

test_created if {
	k8s.created == 1000000000 with input as {"review": {"object": {"kind": "Pod", "metadata": {"creationTimestamp": "1970-01-01T00:00:01Z"}}}}
	k8s.created == 0 with input as pod
	k8s.creation({"metadata": {"creationTimestamp": "1970-01-01T00:00:02Z"}}) == 2000000000
}

test_lists_by_their_kind if {
	[k8s.documents, k8s.object] == [[], {"kind": "Listing", "items": [1]}] with input as {"kind": "Listing", "items": [1]}
	k8s.documents == [pod] with input as {"kind": "PodList", "items": [pod]}
	k8s.object == {"kind": "PodList", "items": {}} with input as {"kind": "PodList", "items": {}}
	leaving := {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "kind": "Pod", "status": {"a": 1}}
	k8s.deleting with input as {"review": {"operation": "UPDATE", "object": leaving, "oldObject": object.union(leaving, {"status": {"a": 2}})}}
}
