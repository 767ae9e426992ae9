package walguard.lib.disk_test

import data.walguard.lib.disk

# METADATA
# description: |
#   For the tests of checks: a review of a cluster of CloudNativePG called prod/orders, and its StorageClass "fast". what:
#   {"provisioner", "parameters"?, "class"? (more fields of the StorageClass), "size"?, "cpu"?, "wal"? (size of a WAL volume),
#   "spec"? (more fields of the Cluster), "postgresql"? (parameters), "throughput"? (stated), "settings"? {check: {name: value}},
#   "complete"?}.
review(what) := {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {
			"name": "orders",
			"namespace": "prod",
			"annotations": {"walguard.dev/required-throughput": object.get(what, "throughput", "")},
		},
		"spec": object.union_n([
			{"instances": 3, "storage": {"size": object.get(what, "size", null), "storageClass": "fast"}},
			{"postgresql": {"parameters": object.get(what, "postgresql", {})}},
			{"resources": {"limits": {"cpu": object.get(what, "cpu", null)}}},
			object.union_n([{"walStorage": {"size": what.wal, "storageClass": "fast"}} | what.wal]),
			object.get(what, "spec", {}),
		]),
	}},
	"parameters": {"checks": {check: {"settings": values} | some check, values in object.get(what, "settings", {})}},
	"inventory": {
		"complete": object.get(what, "complete", false),
		"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": object.union(
			{
				"apiVersion": "storage.k8s.io/v1",
				"kind": "StorageClass",
				"metadata": {"name": "fast"},
				"provisioner": what.provisioner,
				"parameters": object.get(what, "parameters", {}),
			},
			object.get(what, "class", {}),
		)}}},
	},
}

# METADATA
# description: The same without the StorageClass in sight.
blind(what) := json.remove(review(what), ["inventory/cluster"])

test_label if {
	one := {"0/data": {"role": "data", "set": "a"}, "0/wal": {"role": "wal", "set": "a"}}
	two := object.union(one, {"1/data": {"role": "data", "set": "b"}})
	disk.label(one, "0/data") == "data volume"
	disk.label(one, "0/wal") == "WAL volume"
	disk.label(two, "1/data") == "data volume of b"
}

test_leads if {
	volumes := {
		"0/data": {"class": {"metadata": {"name": "a"}}},
		"0/wal": {"class": {"metadata": {"name": "b"}}},
		"1/data": {"class": {"metadata": {"name": "a"}}},
		"1/wal": {"class_name": "c"},
	}
	{id | some id, _ in volumes; disk.leads(volumes, id)} == {"0/data", "0/wal"}
}

test_size_text if {
	disk.size_text(1261 * 1073741824) == "1261Gi"
	disk.size_text(2048 * 1073741824) == "2Ti"
	disk.size_text(300000000000) == "279.4Gi"
}

test_place if {
	disk.place({"path": ["a"], "size_path": ["b"]}, "size_path") == {"path": ["b"]}
	disk.place({"path": ["a"], "resource": {"name": "x"}}, "size_path") == {"path": ["a"], "resource": {"name": "x"}}
}

test_gives if {
	disk.gives({"disk": {"title": "ESSD PL1", "throughput_text": "270 MB/s", "unit": "MB/s"}, "size_bytes": 300 * 1073741824}) == "300Gi of ESSD PL1 gives 270 MB/s"
	disk.gives({"disk": {"title": "gp3", "throughput_text": "125 MiB/s", "throughput_bytes_per_second": 131072000, "unit": "MiB/s"}}) == "gp3 gives 125 MiB/s (131.1 MB/s)"
	not disk.gives({"disk": {"title": "gp3"}})
}

test_mount_options if disk.mount_options({"mount_options": ["noatime,nobarrier", " data=writeback"]}) == {"noatime", "nobarrier", "data=writeback"}
