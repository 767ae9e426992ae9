package walguard.checks.wal.segment_size_vs_wal_size_test

import data.walguard.checks.wal.segment_size_vs_wal_size as check

findings(bootstrap, parameters) := stored({}, bootstrap, parameters)

stored(storage, bootstrap, parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 1, "storage": storage, "bootstrap": bootstrap, "postgresql": {"parameters": parameters}},
	}}}
}

segments(megabytes) := {"initdb": {"walSegmentSize": megabytes}}

test_limit_below_two_segments if {
	findings(segments(1024), {"max_wal_size": "1GB"}) == {{
		"message": "max_wal_size=1GB is less than two WAL segments of 1GB, and the server does not start. Set it to 64GB.",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"limit_bytes": 1073741824, "segment_bytes": 1073741824},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_wal_size", "value": "64GB"}],
	}}
	{f.path[3] | some f in findings(segments(64), {"min_wal_size": "80MB"})} == {"min_wal_size"}
}

test_room_for_two if findings(segments(1024), {"max_wal_size": "2GB", "min_wal_size": "2048"}) == set()

# initdb writes limits that fit.
test_defaults_fit if findings(segments(1024), {}) == set()

test_silent_when_the_size_is_not_known if {
	findings({"recovery": {"source": "old"}}, {"max_wal_size": "2MB"}) == set()
	findings(segments("large"), {"max_wal_size": "2MB"}) == set()
}

test_silent_when_the_limit_is_no_size if findings(segments(1024), {"max_wal_size": "1gb"}) == set()

test_small_volume if {
	{f.fix[0].value | some f in stored({"size": "40Gi"}, segments(1024), {"max_wal_size": "1GB"})} == {"8GB"}
}

# The server has to start, but a value that overfills the volume is no way to that.
test_nothing_fits if {
	stored({"size": "4Gi"}, segments(1024), {"max_wal_size": "1GB"}) == {{
		"message": "max_wal_size=1GB is less than two WAL segments of 1GB, and the server does not start. Raise max_wal_size to 6GB, once the data volume is 30Gi.",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"limit_bytes": 1073741824, "segment_bytes": 1073741824},
	}}
}

test_nothing_fits_beside_what_is_kept if {
	found := stored({"size": "100Gi"}, segments(1024), {"min_wal_size": "80MB", "wal_keep_size": "200GB"})
	{object.get(f, "fix", "none") | some f in found} == {"none"}
	{f.message | some f in found} == {"min_wal_size=80MB is less than two WAL segments of 1GB, and the server does not start. Set it to 2GB. Raise max_wal_size to 3GB, once the data volume is 850Gi."}
}

test_two_segments_are_more_than_the_volume if {
	found := stored({"size": "2Gi"}, segments(1024), {"min_wal_size": "512MB", "max_wal_size": "3GB"})
	{[f.message, object.get(f, "fix", "none")] | some f in found} == {["min_wal_size=512MB is less than two WAL segments of 1GB, and the server does not start. Set it to 2GB, on a volume that is larger than that.", "none"]}
}

# CloudNativePG refuses a min_wal_size that is not below the 1GB that it supposes.
test_min_wal_size_takes_max_wal_size_along if {
	findings(segments(1024), {"min_wal_size": "80MB"}) == {{
		"message": "min_wal_size=80MB is less than two WAL segments of 1GB, and the server does not start. Set it to 2GB, and max_wal_size to 64GB.",
		"path": ["spec", "postgresql", "parameters", "min_wal_size"],
		"facts": {"limit_bytes": 83886080, "segment_bytes": 1073741824},
		"fix": [
			{"op": "replace", "path": "/spec/postgresql/parameters/min_wal_size", "value": "2GB"},
			{"op": "add", "path": "/spec/postgresql/parameters/max_wal_size", "value": "64GB"},
		],
	}}
	{f.fix | some f in findings(segments(1024), {"min_wal_size": "80MB", "max_wal_size": "8GB"})} == {[{"op": "replace", "path": "/spec/postgresql/parameters/min_wal_size", "value": "2GB"}]}
}

# What a stated load writes in a minute is asked of the new value, too.
test_stated_load if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod", "annotations": {"walguard.dev/required-throughput": "250M"}},
		"spec": {"instances": 1, "storage": {"size": "40Gi"}, "bootstrap": segments(1024), "postgresql": {"parameters": {"max_wal_size": "1GB"}}},
	}}}
	{object.get(f, "fix", "none") | some f in found} == {"none"}
}
