package walguard.checks.checkpoint.flush_exceeds_interval_test

import data.walguard.checks.checkpoint.flush_exceeds_interval as check
import data.walguard.lib.disk_test as manifests

gp3(parameters) := {"provisioner": "ebs.csi.aws.com", "size": "500Gi", "postgresql": parameters}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_too_slow if {
	findings(gp3({"shared_buffers": "48GB"})) == {{
		"message": "Writing all 48GB of shared_buffers takes 394 s on the data volume (500Gi of EBS gp3 gives 125 MiB/s (131.1 MB/s)); a checkpoint has 270 s (checkpoint_timeout 5min × 0.9). Raise checkpoint_timeout to 10min, or the bandwidth to 200 MB/s.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters", "shared_buffers"],
		"facts": {"checkpoint_timeout_seconds": 300, "completion_target_thousandths": 900, "figures_as_of": "2026-11", "figures_confidence": "verified", "flush_seconds": 394, "interval_seconds": 270, "iops": 3000, "shared_buffers_bytes": 51539607552, "size_bytes": 536870912000, "throughput_bytes_per_second": 131072000},
		"fix": [{"op": "add", "path": "/spec/postgresql/parameters/checkpoint_timeout", "value": "10min"}],
	}}
}

test_longer_interval if findings(gp3({"shared_buffers": "48GB", "checkpoint_timeout": "8min"})) == set()

test_fits if {
	findings(gp3({})) == set()
	findings(gp3({"shared_buffers": "32GB"})) == set()
}

test_nothing_spread if {
	{f.facts.interval_seconds | some f in findings(gp3({"shared_buffers": "8GB", "checkpoint_completion_target": "0"}))} == {1}
}

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(gp3({"shared_buffers": "480GB"}))
}

test_silent_when_a_value_is_refused if findings(gp3({"shared_buffers": "480 gigabytes"})) == set()

# With a stated load the buffers are known to get dirty.
test_stated_load_is_a_warning if {
	{f.severity | some f in findings(object.union(gp3({"shared_buffers": "48GB"}), {"throughput": "100M"}))} == {"warning"}
}
