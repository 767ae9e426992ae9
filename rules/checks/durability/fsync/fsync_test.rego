package walguard.checks.durability.fsync_test

import data.walguard.checks.durability.fsync as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_off if {
	findings({"fsync": "no"}) == {{
		"message": "fsync=no: PostgreSQL does not wait for the disk, so that a crash of the node corrupts the database beyond recovery. Turn it on; where commits are too slow, synchronous_commit=off is safe and loses at most the last 0.6 seconds.",
		"path": ["spec", "postgresql", "parameters", "fsync"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/fsync", "value": "on"}],
	}}
}

test_on if {
	findings({}) == set()
	findings({"fsync": "on"}) == set()
}

test_left_to_the_check_of_values if findings({"fsync": "perhaps"}) == set()

# A library or a program in between.
test_nothing_reaches_the_disk if {
	found := check.findings with input as manifests.review({}, {"env": [{"name": "LD_PRELOAD", "value": "/usr/lib/libeatmydata.so"}, {"name": "LD_PRELOAD", "value": "libjemalloc.so.2"}]})
	{f.path | some f in found} == {["spec", "env", 0]}
	wrapped := check.findings with input as {"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"image": "postgres:17", "command": ["eatmydata", "postgres"]}]}}}}
	[f.message | some f in wrapped] == ["eatmydata makes every fsync of the server do nothing, so that a crash of the node corrupts the database beyond recovery, whatever fsync says. Take it out; where commits are too slow, synchronous_commit=off is safe and loses at most the last 0.6 seconds."]
}
