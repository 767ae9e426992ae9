package walguard.checks.checkpoint.throughput_vs_latency_test

import data.walguard.checks.checkpoint.throughput_vs_latency as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, workload) := found if {
	found := check.findings with input as manifests.annotated(parameters, {}, {"walguard.dev/workload": workload})
}

test_rare if {
	findings({"max_wal_size": "64GB", "checkpoint_timeout": "30min"}, "latency") == {{
		"message": "max_wal_size=64GB and checkpoint_timeout=30min for a latency workload (walguard.dev/workload): in a measurement checkpoints that rare raised average throughput and worsened the 99th percentile. Measure smaller values too.",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
	}}
}

test_one_of_both if {
	{f.path[3] | some f in findings({"checkpoint_timeout": "1h"}, "latency")} == {"checkpoint_timeout"}
}

test_often if findings({"max_wal_size": "16GB", "checkpoint_timeout": "15min"}, "latency") == set()

test_other_workload if {
	findings({"max_wal_size": "64GB"}, "throughput") == set()
	check.findings == set() with input as manifests.review({"max_wal_size": "64GB"}, {})
}
