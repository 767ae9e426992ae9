package walguard.checks.storage.slow_default_class_test

import data.walguard.checks.storage.slow_default_class as check
import data.walguard.lib.disk_test as manifests
import data.walguard.lib.manifest_test as servers

pd := {
	"provisioner": "pd.csi.storage.gke.io",
	"size": "500Gi",
	"cpu": "8",
	"settings": {"storage/bandwidth_below_demand": {"mbps_per_core": 17}},
}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

messages(what) := {f.message | some f in findings(what)}

test_pd_standard if {
	findings(pd) == {{
		"message": "Data volume: StorageClass fast provisions pd-standard, a hard disk with 1.5 write IOPS per GiB: 500Gi of pd-standard gives 60 MiB/s (62.9 MB/s), 7.9 MB/s per core on 8 cores. pd-balanced (type: pd-balanced) gives 280 MiB/s and 6000 IOPS.",
		"path": ["spec", "storage", "storageClass"],
		"facts": {"cores_thousandths": 8000, "demand_bytes_per_second": 136000000, "figures_as_of": "2026-11", "figures_confidence": "verified", "iops": 750, "size_bytes": 536870912000, "throughput_bytes_per_second": 62914560},
	}}
}

test_without_size_and_cores if {
	messages(object.remove(pd, ["size", "cpu"])) == {"Data volume: StorageClass fast provisions pd-standard, a hard disk with 1.5 write IOPS per GiB."}
}

test_azure_default if {
	messages({"provisioner": "disk.csi.azure.com", "size": "100Gi"}) == {"Data volume: StorageClass fast provisions Standard SSD, the entry SSD, with 500 IOPS up to 4Ti: 100Gi of Standard SSD gives 100 MB/s. Premium SSD v2 (skuName: PremiumV2_LRS) gives 125 MB/s and 3000 IOPS."}
}

test_told_once if count(findings(object.union(pd, {"wal": "50Gi"}))) == 1

test_left_to_the_stated_demand if findings(object.union(pd, {"throughput": "100M"})) == set()

test_stated_demand_met if count(findings(object.union(pd, {"throughput": "50M"}))) == 1

test_left_to_level_out_of_range if findings({"provisioner": "ebs.csi.aws.com", "parameters": {"type": "st1"}, "size": "10Gi"}) == set()

test_fast_class if findings(object.union(pd, {"parameters": {"type": "pd-ssd"}})) == set()

test_silent_for_unknown_driver if findings(object.union(pd, {"provisioner": "example.com/disk"})) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(pd)
}

test_on_a_machine if {
	found := check.findings with input as servers.server("jit = on", {"cpu": 2, "volumes": {"data": {"disk": "aws-sc1", "size": "1Ti"}}})
	some f in found
	startswith(f.message, "Data volume: the disk aws-sc1 is EBS sc1, ")
	f.path == ["spec", "volumes", "data", "disk"]
}
