package walguard.checks.storage.bandwidth_below_demand_test

import data.walguard.checks.storage.bandwidth_below_demand as check
import data.walguard.lib.disk_test as manifests

settings := {"storage/bandwidth_below_demand": {"mbps_per_core": 17}}

pl1 := {
	"provisioner": "diskplugin.csi.alibabacloud.com",
	"parameters": {"type": "cloud_essd", "performanceLevel": "PL1"},
	"size": "300Gi",
	"cpu": "16",
	"settings": settings,
}

gp3 := {"provisioner": "ebs.csi.aws.com", "size": "500Gi", "cpu": 16, "settings": settings}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

messages(what) := {f.message | some f in findings(what)}

test_the_measured_case if {
	findings(pl1) == {{
		"message": "Data volume: 300Gi of ESSD PL1 gives 270 MB/s, 16.9 MB/s per core on 16 cores; plan for 272 MB/s (17 per core). Grow to 460Gi for 350 MB/s, or take ESSD AutoPL (provisionedIops: 1000, type: cloud_auto) for 285.6 MB/s.",
		"severity": "warning",
		"path": ["spec", "storage", "size"],
		"facts": {"base_bytes_per_second": 120000000, "bytes_per_second_per_gib": 500000, "cores_thousandths": 16000, "demand_bytes_per_second": 272000000, "figures_as_of": "2026-11", "figures_confidence": "verified", "iops": 16800, "mbps_per_core": 17, "most_bytes_per_second": 350000000, "size_bytes": 322122547200, "size_gib": 300, "throughput_bytes_per_second": 270000000, "volumes": 1},
		"related": [
			{"path": ["metadata", "name"], "resource": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "namespace": "", "name": "fast"}, "message": "ESSD PL1"},
			{"path": ["spec", "resources", "limits", "cpu"], "message": "16 cores"},
		],
		"suggestion": [{"op": "replace", "path": "/spec/storage/size", "value": "460Gi"}],
	}}
}

test_knee_is_enough if findings(object.union(pl1, {"size": "460Gi"})) == set()

test_fewer_cores if findings(object.union(pl1, {"cpu": "15500m"})) == set()

test_stated if {
	[f] := [one | some one in findings(object.union(pl1, {"throughput": "400M"}))]
	f.severity == "error"
	f.message == "Data volume: 300Gi of ESSD PL1 gives 270 MB/s, and it needs 400 MB/s (walguard.dev/required-throughput). Take ESSD AutoPL (provisionedIops: 9000, type: cloud_auto) for 410.6 MB/s."
}

# What its author says of the load; and the burst of a checkpoint explains the figure.
test_read_mostly if {
	reviewed := object.union(manifests.review(pl1), {"review": {"object": {"metadata": {"annotations": {"walguard.dev/workload": "read-mostly"}}}}})
	found := check.findings with input as reviewed
	{f.severity | some f in found} == {"info"}
}

test_burst_of_a_checkpoint if {
	[f] := [one | some one in findings(object.union(pl1, {"postgresql": {"shared_buffers": "16GB", "checkpoint_timeout": "15min"}}))]
	object.filter(f.facts, ["checkpoint_bytes", "checkpoint_seconds", "checkpoint_bytes_per_second"]) == {
		"checkpoint_bytes": 17179869184,
		"checkpoint_seconds": 810,
		"checkpoint_bytes_per_second": 21209716,
	}
}

test_stated_and_met if findings(object.union(pl1, {"throughput": "200M"})) == set()

test_other_unit if {
	messages(gp3) == {"Data volume: 500Gi of EBS gp3 gives 125 MiB/s (131.1 MB/s), 8.2 MB/s per core on 16 cores; plan for 272 MB/s (17 per core). Set throughput: 500 for 500 MiB/s, or take EBS io2 (iops: 3000, type: io2) for 750 MiB/s."}
}

test_attributes_class_counts if {
	review := object.union(manifests.review(object.union(gp3, {"spec": {"storage": {"pvcTemplate": {"volumeAttributesClassName": "quick"}}}})), {"inventory": {"cluster": {"storage.k8s.io/v1": {"VolumeAttributesClass": {"quick": {
		"driverName": "ebs.csi.aws.com",
		"parameters": {"throughput": "300"},
	}}}}}})
	check.findings == set() with input as review
}

# Each of two volumes carries half.
test_wal_volume if {
	messages(object.union(gp3, {"wal": "20Gi"})) == {"Data volume: 500Gi of EBS gp3 gives 125 MiB/s (131.1 MB/s), 8.2 MB/s per core on 16 cores; plan for 272 MB/s (17 per core, half of it on this volume). Set throughput: 250 for 250 MiB/s, or take EBS io2 (iops: 3000, type: io2) for 750 MiB/s.", "WAL volume: 20Gi of EBS gp3 gives 125 MiB/s (131.1 MB/s), 8.2 MB/s per core on 16 cores; plan for 272 MB/s (17 per core, half of it on this volume). Set throughput: 250 for 250 MiB/s, or take EBS io2 (iops: 3000, type: io2) for 750 MiB/s."}
}

test_out_of_reach if {
	messages(object.union(pl1, {"throughput": "5G"})) == {"Data volume: 300Gi of ESSD PL1 gives 270 MB/s, and it needs 5000 MB/s (walguard.dev/required-throughput). ESSD PL1 gives 350 MB/s at most, and no class known here gives enough: spread the load over more clusters, or write less."}
}

test_slow_class_speaks_for_itself if {
	pd := {"provisioner": "pd.csi.storage.gke.io", "size": "100Gi", "cpu": 8, "settings": settings}
	findings(pd) == set()
	count(findings(object.union(pd, {"throughput": "100M"}))) == 1
}

test_silent_when_it_cannot_be_made if {
	findings(object.union(pl1, {"parameters": {"type": "cloud_essd", "performanceLevel": "PL2"}})) == set()
}

test_silent_without_cores if findings(object.remove(pl1, ["cpu"])) == set()

test_silent_without_size if findings(object.remove(pl1, ["size"])) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(pl1)
}

test_silent_for_unknown_driver if findings(object.union(pl1, {"provisioner": "example.com/disk"})) == set()
