package walguard.checks.wal.segment_size_small_test

import data.walguard.checks.wal.segment_size_small as check
import data.walguard.lib.disk_test as manifests

fast := {
	"provisioner": "ebs.csi.aws.com",
	"parameters": {"type": "gp3", "throughput": "1000", "iops": "16000"},
	"size": "500Gi",
	"wal": "100Gi",
	"settings": {"wal/segment_size_small": {"minimum_mbps": 500}},
}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

segments(megabytes) := {"spec": {"bootstrap": {"initdb": {"walSegmentSize": megabytes}}}}

test_usual_segments_on_a_fast_volume if {
	findings(fast) == {{
		"message": "WAL segments of 16 MB on a volume of 1000 MiB/s: up to 62 segments a second to switch, recycle and archive. For heavy writes create the cluster with 64 MB or more; it cannot be changed later.",
		"path": ["spec", "bootstrap", "initdb", "walSegmentSize"],
		"facts": {"segment_bytes": 16777216, "segments_per_second": 62, "throughput_bytes_per_second": 1048576000},
	}}
}

test_larger_segments if findings(object.union(fast, segments(64))) == set()

test_shared_volume if findings(object.remove(fast, ["wal"])) == set()

test_slow_volume if findings(object.union(fast, {"parameters": {"type": "gp3", "throughput": "250"}})) == set()

test_too_late if {
	review := manifests.review(fast).review
	found := check.findings with input as object.union(
		manifests.review(fast),
		{"review": {"operation": "UPDATE", "object": review.object, "oldObject": review.object}},
	)
	found == set()
}

test_silent_without_class if {
	found := check.findings with input as manifests.blind(fast)
	found == set()
}

test_silent_without_segment_size if findings(object.union(fast, {"spec": {"bootstrap": {"recovery": {"source": "old"}}}})) == set()
