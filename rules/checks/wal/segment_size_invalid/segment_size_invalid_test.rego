package walguard.checks.wal.segment_size_invalid_test

import data.walguard.checks.wal.segment_size_invalid as check

findings(megabytes) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 1, "bootstrap": {"initdb": {"walSegmentSize": megabytes}}},
	}}}
}

finding(megabytes, advice) := {{
	"message": sprintf("WAL segments of %s MB: initdb takes a power of two from 1 to 1024 and fails, so that the cluster is never created. %s.", [megabytes, advice]),
	"path": ["spec", "bootstrap", "initdb", "walSegmentSize"],
}}

test_no_power_of_two if findings(48) == finding("48", "The nearest are 32 and 64")

test_too_large if findings(2048) == finding("2048", "The largest is 1024")

test_too_small if findings(0) == finding("0", "The smallest is 1")

test_no_number if findings("64MB") == finding("64MB", "Write a number")

test_sizes_that_there_are if {
	every megabytes in [1, 16, 64, 1024] { findings(megabytes) == set() }
}

test_silent_when_nothing_is_written if findings(null) == set()
