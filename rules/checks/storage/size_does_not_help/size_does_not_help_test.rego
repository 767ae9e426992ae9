package walguard.checks.storage.size_does_not_help_test

import data.walguard.checks.storage.size_does_not_help as check
import data.walguard.lib.disk_test as manifests

gp3 := {
	"provisioner": "ebs.csi.aws.com",
	"parameters": {"type": "gp3"},
	"size": "2Ti",
	"cpu": "4",
	"settings": {
		"storage/bandwidth_below_demand": {"mbps_per_core": 17},
		"storage/size_does_not_help": {"restore_hours": 2},
	},
}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_large_gp3 if {
	findings(gp3) == {{
		"message": "Data volume: 2Ti of EBS gp3 gives 125 MiB/s (131.1 MB/s), as at any size: a restore or a new replica takes at least 4.6 hours. Set throughput, up to 2000 MiB/s.",
		"path": ["spec", "storage", "size"],
		"facts": {"cores_thousandths": 4000, "demand_bytes_per_second": 68000000, "figures_as_of": "2026-11", "figures_confidence": "verified", "iops": 3000, "rewrite_hours_tenths": 46, "size_bytes": 2199023255552, "throughput_bytes_per_second": 131072000},
	}}
}

# The demand need not be known.
test_without_cores if count(findings(object.remove(gp3, ["cpu"]))) == 1

test_premium_v2 if count(findings(object.union(gp3, {"provisioner": "disk.csi.azure.com", "parameters": {"skuName": "PremiumV2_LRS"}}))) == 1

test_small if findings(object.union(gp3, {"size": "500Gi"})) == set()

test_throughput_chosen if findings(object.union(gp3, {"parameters": {"throughput": "150"}})) == set()

test_left_to_bandwidth_below_demand if findings(object.union(gp3, {"cpu": "16"})) == set()

test_size_helps_elsewhere if findings(object.union(gp3, {"parameters": {"type": "gp2"}})) == set()

# The throughput of io2 follows its IOPS.
test_no_parameter_of_its_own if findings(object.union(gp3, {"parameters": {"type": "io2", "iops": "300"}})) == set()

test_silent_without_size if findings(object.remove(gp3, ["size"])) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(gp3)
}
