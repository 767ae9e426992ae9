package walguard.checks.checkpoint.recovery_time_test

import data.walguard.checks.checkpoint.recovery_time as check
import data.walguard.lib.disk_test
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {"checkpoint/recovery_time": {"settings": {"replay_mbps": 100}}}}}

findings(parameters, objective) := found if {
	found := check.findings with input as object.union(settings, manifests.annotated(parameters, {}, {"walguard.dev/rto": objective}))
}

test_too_long if {
	findings({"max_wal_size": "64GB"}, "5min") == {{
		"message": "max_wal_size=64GB: replaying that much after a crash takes about 688 s at 100 MB/s; walguard.dev/rto states 5min. Lower max_wal_size to 24GB.",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"facts": {"max_wal_size_bytes": 68719476736, "objective_seconds": 300, "recovery_seconds": 688, "replay_bytes_per_second": 100000000},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_wal_size", "value": "24GB"}],
	}}
}

test_durations if {
	count(findings({"max_wal_size": "64GB"}, "5m")) == 1
	count(findings({"max_wal_size": "64GB"}, "300s")) == 1
	findings({"max_wal_size": "64GB"}, "1h") == set()
	findings({"max_wal_size": "64GB"}, "20m") == set()
}

test_slower_disk_decides if {
	review := disk_test.review({"provisioner": "diskplugin.csi.alibabacloud.com", "parameters": {"type": "cloud_efficiency"}, "size": "20Gi", "postgresql": {"max_wal_size": "16GB"}})
	found := check.findings with input as object.union(review, {"review": {"object": {"metadata": {"annotations": {"walguard.dev/rto": "1s"}}}}})
	{f.facts.recovery_seconds | some f in found} == {172}
}

test_short_enough if findings({}, "5min") == set()

test_silent_without_objective if {
	check.findings == set() with input as manifests.review({"max_wal_size": "64GB"}, {})
	findings({"max_wal_size": "64GB"}, "soon") == set()
	findings({"max_wal_size": "64GB"}, "-5") == set()
	findings({"max_wal_size": "64GB"}, "1ms") == set()
}

test_silent_when_unknown if findings({"max_wal_size": "lots"}, "1s") == set()

# Lowering max_wal_size alone would leave the volume to what is kept behind the checkpoint.
test_beside_what_the_volume_does_not_hold if {
	kept := {"max_wal_size": "64GB", "wal_keep_size": "12GB"}
	found := check.findings with input as object.union(settings, manifests.annotated(kept, {"storage": {"size": "40Gi"}}, {"walguard.dev/rto": "5min"}))
	{f.message | some f in found} == {"max_wal_size=64GB: replaying that much after a crash takes about 688 s at 100 MB/s; walguard.dev/rto states 5min. Lower wal_keep_size to what the volume holds, then max_wal_size to 24GB."}
	{f | some f in found; f.fix} == set()
}

test_no_larger_than_the_volume_holds if {
	found := check.findings with input as object.union(settings, manifests.annotated({"max_wal_size": "64GB"}, {"storage": {"size": "40Gi"}}, {"walguard.dev/rto": "5min"}))
	{f.fix[0].value | some f in found} == {"10GB"}
}
