package walguard.checks.wal.removed_not_recycled_test

import data.walguard.checks.wal.removed_not_recycled as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {
	"wal/removed_not_recycled": {"settings": {"buffers_times": 4, "fill_seconds": 60}},
	"storage/bandwidth_below_demand": {"settings": {"mbps_per_core": 17}},
}}}

findings(parameters, annotations) := found if {
	found := check.findings with input as object.union(settings, manifests.annotated(parameters, {}, annotations))
}

test_small_against_buffers if {
	findings({"shared_buffers": "16GB"}, {}) == {{
		"message": "max_wal_size=1GB (the default) is small for shared_buffers of 16GB: under load WAL forces checkpoints, and new segments are written twice. Raise max_wal_size to 4GB.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters"],
		"facts": {"buffers_times": 4, "max_wal_size_bytes": 1073741824, "shared_buffers_bytes": 17179869184},
		"fix": [{"op": "add", "path": "/spec/postgresql/parameters/max_wal_size", "value": "4GB"}],
	}}
}

test_below_the_default if {
	{[f.severity, f.fix[0].value] | some f in findings({"shared_buffers": "4GB", "max_wal_size": "256MB"}, {})} == {["info", "1GB"]}
}

test_small_against_demand if {
	findings({"max_wal_size": "2GB"}, {"walguard.dev/required-throughput": "200M"}) == {{
		"message": "max_wal_size=2GB lasts 10 s at the stated 200 MB/s: WAL forces checkpoints, and new segments are written twice. Raise max_wal_size to 12GB.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"demand_bytes_per_second": 200000000, "fill_seconds": 10, "least_fill_seconds": 60, "max_wal_size_bytes": 2147483648},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_wal_size", "value": "12GB"}],
	}}
}

test_left_to_the_check_of_frequent_checkpoints if findings({"max_wal_size": "1GB"}, {"walguard.dev/required-throughput": "200M"}) == set()

test_suitable if {
	findings({"shared_buffers": "16GB", "max_wal_size": "4GB"}, {}) == set()
	findings({"shared_buffers": "2GB", "max_wal_size": "256MB"}, {}) == set()
	findings({"max_wal_size": "12GB"}, {"walguard.dev/required-throughput": "200M"}) == set()
}

test_silent_without_buffers_and_demand if findings({}, {}) == set()

test_silent_for_a_change_of_one_alone if {
	check.findings == set() with input as object.union(settings, manifests.change({"shared_buffers": "64GB"}))
}

# The volume cannot spare what the load wants: nothing to paste.
test_volume_too_small if {
	reviewed := manifests.annotated({"max_wal_size": "2GB"}, {"storage": {"size": "10Gi"}}, {"walguard.dev/required-throughput": "200M"})
	found := check.findings with input as object.union(settings, reviewed)
	found == {{
		"message": "max_wal_size=2GB lasts 10 s at the stated 200 MB/s: WAL forces checkpoints, and new segments are written twice. Raise max_wal_size to 12GB, once the data volume is 50Gi.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"demand_bytes_per_second": 200000000, "fill_seconds": 10, "least_fill_seconds": 60, "max_wal_size_bytes": 2147483648},
	}}
}

test_silent_beyond_the_time_of_recovery if {
	count(findings({"shared_buffers": "48GB", "max_wal_size": "4GB"}, {"walguard.dev/rto": "10min"})) == 1
	every objective in ["110s", "150s"] {
		findings({"shared_buffers": "51GB", "max_wal_size": "4GB"}, {"walguard.dev/rto": objective}) == set()
	}
}
