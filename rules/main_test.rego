package main_test

import data.main
import data.walguard.dependents_test

cluster := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {
		"instances": 1,
		"storage": {"size": "500Gi", "storageClass": "zfs"},
		"postgresql": {"parameters": {"full_page_writes": "off"}},
	},
}

zfs := {
	"apiVersion": "storage.k8s.io/v1",
	"kind": "StorageClass",
	"metadata": {"name": "zfs"},
	"provisioner": "zfs.csi.openebs.io",
	"allowVolumeExpansion": true,
	"parameters": {"fstype": "zfs"},
}

# Alone, the class is not in sight.
test_single_object if {
	{f.check | some f in main.findings; f.severity == "error"} == {"durability/full_page_writes"} with input as cluster
	some message in main.deny with input as cluster
	startswith(message.msg, "Cluster prod/orders: full_page_writes=off on ")
	endswith(message.msg, "(durability/full_page_writes)")
}

test_judgement if {
	judged := main.judgement with input as cluster
	judged.recognised
	{f.check | some f in judged.findings; f.severity == "error"} == {"durability/full_page_writes"}
	main.judgement.recognised == false with input as {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}}
}

# Together, each sees the other.
test_documents if {
	main.deny == set() with input as {"apiVersion": "v1", "kind": "List", "items": [cluster, zfs]}
	main.deny == set() with input as [{"path": "a.yaml", "contents": [cluster, zfs]}]
	count(main.deny) == 1 with input as [{"path": "a.yaml", "contents": cluster}]
	count(main.warn) >= 0 with input as cluster
}

test_silent_on_anything_else if {
	others := [null, 1, "x", [], {}, {"kind": "Deployment", "apiVersion": "apps/v1"}, {"kind": 1}, {"review": {}}, [{"path": "x"}, 5]]
	{f | some other in others; some f in main.findings with input as other} == set()
}

test_warnings if {
	slow := object.union(cluster, {"spec": {"postgresql": {"parameters": {"full_page_writes": "on", "checkpoint_timeout": "30s"}}}})
	warned := main.warn with input as slow
	some warning in warned
	startswith(warning.msg, "Cluster prod/orders: checkpoint_timeout=30s: ")
	endswith(warning.msg, "(checkpoint/frequent)")
	count([1 | some w in warned; w.action != "warn"]) == 0
}

# A second server in the pod, alone and among other documents.
test_several_servers if {
	pod := {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "two", "namespace": "prod"}, "spec": {"containers": [
		{"name": "main", "image": "postgres:17"},
		{"name": "copy", "image": "postgres:17", "args": ["-c", "full_page_writes=off"]},
	]}}
	every given in [pod, {"apiVersion": "v1", "kind": "List", "items": [pod]}, [{"path": "a.yaml", "contents": pod}]] {
		found := main.findings with input as given
		count([1 | some f in found; startswith(f.message, "For container copy: full_page_writes=off on ")]) == 1
	}
}

test_dependents if {
	lost := {
		"review": dependents_test.lost,
		"inventory": dependents_test.inventory_of([dependents_test.orders]),
		"now": dependents_test.now,
	}
	found := main.findings with input as lost
	{[f.check, f.resource.name] | some f in found} == {["durability/full_page_writes", "orders"]}
}
