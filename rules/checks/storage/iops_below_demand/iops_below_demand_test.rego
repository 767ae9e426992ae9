package walguard.checks.storage.iops_below_demand_test

import data.walguard.checks.storage.iops_below_demand as check
import data.walguard.lib.disk_test as manifests

gp3 := {"provisioner": "ebs.csi.aws.com", "size": "100Gi"}

findings(what, iops) := found if {
	review := object.union(manifests.review(what), {"review": {"object": {"metadata": {"annotations": {"walguard.dev/required-iops": iops}}}}})
	found := check.findings with input as review
}

test_too_few if {
	findings(gp3, "6000") == {{
		"message": "CloudNativePG prod/orders, data volume: 100Gi of EBS gp3 gives 3000 IOPS; it needs 6000, as walguard.dev/required-iops states. Provision more, or take a larger volume or class",
		"path": ["spec", "storage", "size"],
		"facts": {
			"size_bytes": 107374182400,
			"throughput_bytes_per_second": 131072000,
			"iops": 3000,
			"figures_as_of": "2026-11",
			"figures_confidence": "verified",
			"stated_iops": 6000,
			"volumes": 1,
			"demand_iops": 6000,
		},
	}}
}

test_half_for_each_volume if {
	messages := {f.message | some f in findings(object.union(gp3, {"wal": "20Gi"}), "8k")}
	messages == {
		"CloudNativePG prod/orders, data volume: 100Gi of EBS gp3 gives 3000 IOPS; it needs 8000, of which 4000 is this volume's half, as walguard.dev/required-iops states. Provision more, or take a larger volume or class",
		"CloudNativePG prod/orders, WAL volume: 20Gi of EBS gp3 gives 3000 IOPS; it needs 8000, of which 4000 is this volume's half, as walguard.dev/required-iops states. Provision more, or take a larger volume or class",
	}
}

test_without_a_size if {
	{f.message | some f in findings(object.remove(gp3, ["size"]), "6000")} == {"CloudNativePG prod/orders, data volume: EBS gp3 gives 3000 IOPS; it needs 6000, as walguard.dev/required-iops states. Provision more, or take a larger volume or class"}
}

test_enough if {
	findings(gp3, "3000") == set()
	findings(object.union(gp3, {"parameters": {"iops": "6000"}}), "6000") == set()
}

test_silent_when_unknown if {
	findings(gp3, "") == set()
	findings(gp3, "many") == set()
	findings(object.union(gp3, {"provisioner": "example.com/disk"}), "6000") == set()
	check.findings == set() with input as manifests.review(gp3)
	check.findings == set() with input as manifests.blind(gp3)
}
