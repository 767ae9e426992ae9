package walguard.checks.wal.init_zero_stall_test

import data.walguard.checks.wal.init_zero_stall as check
import data.walguard.lib.disk_test as manifests

pl1 := {
	"provisioner": "diskplugin.csi.alibabacloud.com",
	"parameters": {"type": "cloud_essd", "performanceLevel": "PL1"},
	"size": "300Gi",
	"postgresql": {"max_wal_size": "4GB"},
	"spec": {"bootstrap": {"initdb": {"walSegmentSize": 1024}}},
	"settings": {"wal/init_zero_stall": {"stall_milliseconds": 500}},
}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

segments(megabytes) := {"spec": {"bootstrap": {"initdb": {"walSegmentSize": megabytes}}}}

test_gibibyte_segments if {
	findings(pl1) == {{
		"message": "Filling a new WAL segment of 1GB takes 4 s on the data volume (300Gi of ESSD PL1 gives 270 MB/s), and commits wait for it. Raise max_wal_size (now 4GB) to 8GB, so that segments are reused.",
		"path": ["spec", "bootstrap", "initdb", "walSegmentSize"],
		"facts": {"figures_as_of": "2026-11", "figures_confidence": "verified", "iops": 16800, "segment_bytes": 1073741824, "size_bytes": 322122547200, "stall_milliseconds": 3976, "throughput_bytes_per_second": 270000000},
	}}
}

test_usual_segments if findings(object.union(pl1, segments(16))) == set()

test_threshold if {
	findings(object.union(pl1, segments(128))) == set()
	count(findings(object.union(pl1, segments(256)))) == 1
}

test_wal_volume_decides if {
	{f.message | some f in findings(object.union(pl1, {"wal": "100Gi"}))} == {"Filling a new WAL segment of 1GB takes 6.3 s on the WAL volume (100Gi of ESSD PL1 gives 170 MB/s), and commits wait for it. Raise max_wal_size (now 4GB) to 8GB, so that segments are reused."}
}

test_without_zero_filling if findings(object.union(pl1, {"parameters": {"csi.storage.k8s.io/fstype": "xfs"}, "postgresql": {"wal_init_zero": "off"}})) == set()

# On ext4 it has to be turned on, and this comes with it.
test_zero_filling_to_be_turned_on if {
	{f.message | some f in findings(object.union(pl1, {"postgresql": {"wal_init_zero": "off"}}))} == {"Filling a new WAL segment of 1GB, once wal_init_zero is on, takes 4 s on the data volume (300Gi of ESSD PL1 gives 270 MB/s), and commits wait for it. Raise max_wal_size (now 4GB) to 8GB, so that segments are reused."}
}

test_left_to_slow_default_class if findings(object.union(pl1, {"parameters": {"type": "cloud_efficiency"}})) == set()

test_left_to_level_out_of_range if findings(object.union(pl1, {"parameters": {"type": "cloud_essd", "performanceLevel": "PL2"}})) == set()

test_silent_without_size if findings(object.remove(pl1, ["size"])) == set()

test_silent_without_segment_size if findings(object.union(pl1, segments("a lot"))) == set()

test_silent_for_a_recovered_cluster if {
	findings(object.union(object.remove(pl1, ["spec"]), {"spec": {"bootstrap": {"recovery": {"source": "old"}}}})) == set()
}

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(pl1)
}

test_max_wal_size_unknown if {
	found := check.findings with data.walguard.model.cluster as {
		"operator": "CloudNativePG",
		"namespace": "prod",
		"name": "orders",
		"parameters": [{"name": "wal_init_zero", "value": "on", "path": []}, {"name": "max_wal_size", "value": "lots", "path": []}],
		"segment": {"value": 1024, "unit": "MB", "path": ["s"]},
	}
		with data.walguard.model.volumes as {"0/data": {"role": "data", "set": "a", "shared": true, "disk": {
			"title": "disk",
			"unit": "MB/s",
			"throughput_text": "100 MB/s",
			"throughput_bytes_per_second": 100000000,
			"rejections": [],
		}}}
		with input as {"parameters": {"checks": {"wal/init_zero_stall": {"settings": {"stall_milliseconds": 500}}}}}
	{f.message | some f in found} == {"Filling a new WAL segment of 1GB takes 10.7 s on the data volume (disk gives 100 MB/s), and commits wait for it. Raise max_wal_size, so that segments are reused."}
}

test_volume_too_small if {
	{f.message | some f in findings(object.union(pl1, {"size": "20Gi"}))} == {"Filling a new WAL segment of 1GB takes 8.3 s on the data volume (20Gi of ESSD PL1 gives 130 MB/s), and commits wait for it. Grow the volume and raise max_wal_size (now 4GB), so that segments are reused."}
}

# 64 MB at 25 MB/s for good, and at 170 MB/s on credits.
test_credits_fill_it if {
	premium := {
		"provisioner": "disk.csi.azure.com",
		"parameters": {"skuName": "Premium_LRS"},
		"size": "20Gi",
		"settings": {"wal/init_zero_stall": {"stall_milliseconds": 500}},
	}
	findings(object.union(premium, segments(64))) == set()
	count(findings(object.union(premium, segments(256)))) == 1
}
