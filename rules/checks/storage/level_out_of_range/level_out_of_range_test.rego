package walguard.checks.storage.level_out_of_range_test

import data.walguard.checks.storage.level_out_of_range as check
import data.walguard.lib.disk_test as manifests

pl2 := {
	"provisioner": "diskplugin.csi.alibabacloud.com",
	"parameters": {"type": "cloud_essd", "performanceLevel": "PL2"},
	"size": "300Gi",
}

gp3 := {"provisioner": "ebs.csi.aws.com", "parameters": {"throughput": "1000"}, "size": "300Gi"}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_size_below_the_level if {
	findings(pl2) == {{
		"message": "Data volume: provisioning fails: ESSD PL2 starts at 461Gi: grow to 461Gi, or take ESSD PL1, which gives 270 MB/s at 300Gi.",
		"severity": "error",
		"path": ["spec", "storage", "size"],
		"facts": {"figures_as_of": "2026-11", "figures_confidence": "documentation mirror", "iops": 16800, "size_bytes": 322122547200, "throughput_bytes_per_second": 270000000},
	}}
}

test_ratio if {
	[f] := [one | some one in findings(gp3)]
	f.message == "Data volume: provisioning fails: throughput: 1000 needs iops: 4000 at least, the disk has 3000."
	[f.path, f.severity] == [["spec", "storage", "storageClass"], "error"]
}

test_maximum_only_warns if {
	[f] := [one | some one in findings(object.union(gp3, {"size": "80Ti", "parameters": {"throughput": "500"}}))]
	f.message == "Data volume: 80Ti is more than 64Ti, the most that EBS gp3 had by 2026-11: provisioning fails unless the limit was raised."
	[f.path, f.severity] == [["spec", "storage", "size"], "warning"]
}

test_lowered_by_the_driver if {
	[f] := [one | some one in findings(object.union(gp3, {"size": "20Gi", "parameters": {"iops": "16000"}}))]
	f.message == "Data volume: iops: 16000 is lowered to 10000, since EBS gp3 allows 500 for each GiB."
	f.severity == "info"
}

# Lowered, and too slow for what is demanded.
test_lowered_below_the_demand if {
	[f] := [one | some one in findings(object.union(gp3, {"size": "20Gi", "cpu": "100", "parameters": {"iops": "16000"}}))]
	f.severity == "warning"
}

test_fault_of_the_class_is_told_once if count(findings(object.union(gp3, {"wal": "20Gi"}))) == 1

test_every_size_is_told if count(findings(object.union(pl2, {"wal": "20Gi"}))) == 2

test_within_limits if findings(object.union(gp3, {"parameters": {"throughput": "750"}})) == set()

test_level_fits if findings(object.union(pl2, {"size": "461Gi"})) == set()

test_silent_without_size if findings(object.remove(pl2, ["size"])) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(pl2)
}
