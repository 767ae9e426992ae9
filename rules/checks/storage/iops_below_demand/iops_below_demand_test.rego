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
		"message": "Data volume: 100Gi of EBS gp3 gives 3000 IOPS, and walguard.dev/required-iops states 6000. Provision more, or choose a larger volume or another class.",
		"path": ["spec", "storage", "size"],
		"facts": {"demand_iops": 6000, "figures_as_of": "2026-11", "figures_confidence": "verified", "iops": 3000, "size_bytes": 107374182400, "stated_iops": 6000, "throughput_bytes_per_second": 131072000, "volumes": 1},
	}}
}

test_half_for_each_volume if {
	messages := {f.message | some f in findings(object.union(gp3, {"wal": "20Gi"}), "8k")}
	messages == {"Data volume: 100Gi of EBS gp3 gives 3000 IOPS, and walguard.dev/required-iops states 8000, half of it (4000) on this volume. Provision more, or choose a larger volume or another class.", "WAL volume: 20Gi of EBS gp3 gives 3000 IOPS, and walguard.dev/required-iops states 8000, half of it (4000) on this volume. Provision more, or choose a larger volume or another class."}
}

test_without_a_size if {
	{f.message | some f in findings(object.remove(gp3, ["size"]), "6000")} == {"Data volume: EBS gp3 gives 3000 IOPS, and walguard.dev/required-iops states 6000. Provision more, or choose a larger volume or another class."}
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
