package walguard.checks.storage.burst_only_test

import data.walguard.checks.storage.burst_only as check
import data.walguard.lib.disk_test as manifests

gp2 := {
	"provisioner": "ebs.csi.aws.com",
	"parameters": {"type": "gp2"},
	"size": "100Gi",
	"cpu": "2",
	"settings": {"storage/bandwidth_below_demand": {"mbps_per_core": 17}},
}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_gp2 if {
	findings(gp2) == {{
		"message": "Data volume: 100Gi of EBS gp2 gives 75 MiB/s (78.6 MB/s) and 300 IOPS for good; 128 MiB/s and 3000 IOPS last about 33 minutes of full load. EBS gp3 (type: gp3) gives 125 MiB/s and 3000 IOPS without credits.",
		"path": ["spec", "storage", "size"],
		"facts": {"burst_bytes_per_second": 134217728, "burst_iops": 3000, "burst_seconds": 2000, "cores_thousandths": 2000, "demand_bytes_per_second": 34000000, "figures_as_of": "2026-11", "figures_confidence": "partial", "iops": 300, "size_bytes": 107374182400, "throughput_bytes_per_second": 78643200},
	}}
}

test_near_the_burst_is_advice if {
	count(findings(object.union(gp2, {"size": "800Gi"}))) == 1
}

test_premium if {
	{f.message | some f in findings({"provisioner": "disk.csi.azure.com", "parameters": {"skuName": "Premium_LRS"}, "size": "512Gi"})} == {"Data volume: 512Gi of Premium SSD gives 150 MB/s and 2300 IOPS for good; 170 MB/s and 3500 IOPS last about 30 minutes of full load."}
}

test_without_an_alternative if {
	found := check.findings with data.walguard.model.title as "CloudNativePG prod/orders"
		with data.walguard.model.volumes as {"0/data": {
			"role": "data",
			"set": "orders",
			"path": ["p"],
			"size_bytes": 107374182400,
			"disk": {
				"title": "disk",
				"unit": "MB/s",
				"throughput_text": "75 MB/s",
				"throughput_bytes_per_second": 75000000,
				"iops": 300,
				"rejections": [],
				"burst": {"throughput_text": "128 MB/s", "throughput_bytes_per_second": 128000000, "iops": 3000, "seconds": 2000},
			},
		}}
	{f.message | some f in found} == {"Data volume: 100Gi of disk gives 75 MB/s and 300 IOPS for good; 128 MB/s and 3000 IOPS last about 33 minutes of full load."}
}

test_large_enough if findings(object.union(gp2, {"size": "1Ti"})) == set()

test_left_to_bandwidth_below_demand if findings(object.union(gp2, {"cpu": "16"})) == set()

test_without_cores if count(findings(object.remove(gp2, ["cpu"]))) == 1

test_without_credits if findings(object.union(gp2, {"parameters": {"type": "gp3"}})) == set()

test_silent_without_size if findings(object.remove(gp2, ["size"])) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(gp2)
}
