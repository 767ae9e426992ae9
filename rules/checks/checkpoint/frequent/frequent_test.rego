package walguard.checks.checkpoint.frequent_test

import data.walguard.checks.checkpoint.frequent as check
import data.walguard.lib.manifest_test as manifests

settings := {"parameters": {"checks": {
	"checkpoint/frequent": {"settings": {"cores": 8}},
	"storage/bandwidth_below_demand": {"settings": {"mbps_per_core": 17}},
}}}

findings(parameters, spec, annotations) := found if {
	found := check.findings with input as object.union(settings, manifests.annotated(parameters, spec, annotations))
}

stated := {"walguard.dev/required-throughput": "200M"}

test_timeout if {
	findings({"checkpoint_timeout": "30s", "max_wal_size": "8GB"}, {}, {}) == {{
		"message": "checkpoint_timeout=30s: a checkpoint every 30 s, after each of which every changed page is logged whole again. Set it to 15min, or leave the default of 5min.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters", "checkpoint_timeout"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/checkpoint_timeout", "value": "15min"}],
	}}
}

# Seconds that are begun are none.
test_milliseconds if {
	{contains(f.message, "a checkpoint every 90 s,") | some f in findings({"checkpoint_timeout": "90500ms", "max_wal_size": "8GB"}, {}, {})} == {true}
}

test_stated_demand if {
	findings({}, {}, stated) == {{
		"message": "max_wal_size=1GB (the default) at a stated 200 MB/s: WAL forces checkpoints, after each of which every changed page is logged whole again (30 % of the throughput in a benchmark). Raise max_wal_size to 12GB or more.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters"],
		"fix": [{"op": "add", "path": "/spec/postgresql/parameters/max_wal_size", "value": "12GB"}],
	}}
}

test_many_cores if {
	findings({"max_wal_size": "512MB"}, {"resources": {"limits": {"cpu": "16"}}}, {}) == {{
		"message": "max_wal_size=512MB for 16 cores: WAL forces checkpoints, after each of which every changed page is logged whole again (30 % of the throughput in a benchmark). Raise max_wal_size to 4GB or more.",
		"severity": "info",
		"path": ["spec", "postgresql", "parameters", "max_wal_size"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/max_wal_size", "value": "4GB"}],
	}}
}

test_no_demand_in_sight if {
	findings({}, {}, {}) == set()
	findings({}, {"resources": {"limits": {"cpu": "4"}}}, {}) == set()
}

test_rare if {
	findings({"checkpoint_timeout": "5min", "max_wal_size": "4GB"}, {}, stated) == set()
}

# They have to be turned on: what that costs is reported together with it.
test_full_page_writes_to_be_turned_on if {
	{f.message | some f in findings({"checkpoint_timeout": "30s", "full_page_writes": "off"}, {}, stated)} == {
		"checkpoint_timeout=30s: a checkpoint every 30 s, after each of which every changed page is logged whole again once full_page_writes is on. Set it to 15min, or leave the default of 5min.",
		"max_wal_size=1GB (the default) at a stated 200 MB/s: WAL forces checkpoints, after each of which every changed page is logged whole again once full_page_writes is on (30 % of the throughput in a benchmark). Raise max_wal_size to 12GB or more.",
	}
}

test_without_full_page_writes_where_that_is_safe if {
	parameters := {"checkpoint_timeout": "30s", "full_page_writes": "off"}
	found := check.findings with input as object.union(settings, manifests.annotated(parameters, {}, stated))
		with data.walguard.model.pages.safe as true
	found == set()
}

test_left_to_the_check_of_values if findings({"checkpoint_timeout": "1s"}, {}, {}) == set()

test_operator_that_says_nothing_of_full_page_writes if {
	found := check.findings with input as manifests.change({"checkpoint_timeout": "30s"})
	{f.path | some f in found} == {["spec", "reconfigures", 0, "parameters", 0, "value"]}
}

# The volume cannot spare what the load wants: nothing to paste.
test_volume_too_small if {
	findings({}, {"storage": {"size": "10Gi"}}, stated) == {{
		"message": "max_wal_size=1GB (the default) at a stated 200 MB/s: WAL forces checkpoints, after each of which every changed page is logged whole again (30 % of the throughput in a benchmark). Raise max_wal_size to 12GB, once the data volume is 50Gi or more.",
		"severity": "warning",
		"path": ["spec", "postgresql", "parameters"],
	}}
}

# Slots that nothing bounds want four times as much, else the next finding would be theirs.
on_wal_volume(size) := {f.message | some f in found} if {
	checks := object.union(settings.parameters.checks, {"wal/slot_retention_unbounded": {"settings": {"small_times": 4}}})
	reviewed := object.union({"parameters": {"checks": checks}}, manifests.annotated({}, {"walStorage": {"size": size}}, stated))
	found := check.findings with input as reviewed
}

test_room_for_slots if {
	every size, clause in {"60Gi": "Raise max_wal_size to 12GB or more.", "40Gi": "Raise max_wal_size to 12GB, once the WAL volume is 50Gi or more."} {
		some message in on_wal_volume(size)
		endswith(message, clause)
	}
}
