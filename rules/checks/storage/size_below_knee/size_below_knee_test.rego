package walguard.checks.storage.size_below_knee_test

import data.walguard.checks.storage.size_below_knee as check
import data.walguard.lib.disk_test as manifests

pl1 := {
	"provisioner": "diskplugin.csi.alibabacloud.com",
	"parameters": {"type": "cloud_essd", "performanceLevel": "PL1"},
	"size": "300Gi",
	"cpu": "12",
	"settings": {
		"storage/bandwidth_below_demand": {"mbps_per_core": 17},
		"storage/size_below_knee": {"calm_mbps_per_core": 39},
	},
}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_between_stall_and_calm if {
	findings(pl1) == {{
		"message": "Data volume: 300Gi of ESSD PL1 gives 270 MB/s, 22.5 MB/s per core on 12 cores. A write benchmark stalled at 16.9 and ran calmly at 39; bandwidth grows with size up to 460Gi (350 MB/s).",
		"path": ["spec", "storage", "size"],
		"facts": {"base_bytes_per_second": 120000000, "bytes_per_second_per_gib": 500000, "calm_mbps_per_core": 39, "cores_thousandths": 12000, "demand_bytes_per_second": 204000000, "figures_as_of": "2026-11", "figures_confidence": "verified", "iops": 16800, "most_bytes_per_second": 350000000, "size_bytes": 322122547200, "size_gib": 300, "throughput_bytes_per_second": 270000000, "volumes": 1},
	}}
}

test_calm if findings(object.union(pl1, {"cpu": "6"})) == set()

test_at_the_knee if findings(object.union(pl1, {"size": "460Gi"})) == set()

test_left_to_bandwidth_below_demand if findings(object.union(pl1, {"cpu": "16"})) == set()

test_left_to_the_stated_demand if findings(object.union(pl1, {"throughput": "100M"})) == set()

# Two volumes: each gives its own.
test_wal_volume_shares if findings(object.union(pl1, {"wal": "300Gi", "cpu": "14"})) != set()

test_wal_volume_calm if findings(object.union(pl1, {"wal": "300Gi"})) == set()

test_left_to_other_checks if {
	findings(object.union(pl1, {"parameters": {"type": "cloud_efficiency"}, "size": "100Gi", "cpu": "5"})) == set()
	findings(object.union(pl1, {"provisioner": "ebs.csi.aws.com", "parameters": {"type": "gp2"}, "cpu": "8"})) == set()
	findings(object.union(pl1, {"parameters": {"type": "cloud_essd", "performanceLevel": "PL2"}})) == set()
}

test_silent_without_cores if findings(object.remove(pl1, ["cpu"])) == set()

test_silent_without_size if findings(object.remove(pl1, ["size"])) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(pl1)
}
