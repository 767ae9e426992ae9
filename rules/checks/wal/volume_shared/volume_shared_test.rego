package walguard.checks.wal.volume_shared_test

import data.walguard.checks.wal.volume_shared as check
import data.walguard.lib.manifest_test as manifests

settings := {"checks": {"wal/volume_shared": {"settings": {"from_gib": 100}}}}

findings(spec) := found if {
	found := check.findings with input as object.union({"parameters": settings}, manifests.review({}, spec))
}

test_shared if {
	findings({}) == {{
		"message": "WAL shares the data volume of 100Gi with the data: checkpoints and WAL compete for its bandwidth, and WAL that is not archived takes the data's room. Set spec.walStorage for a WAL volume of 10Gi or more.",
		"path": ["spec", "walStorage"],
	}}
}

test_split if findings({"walStorage": {"size": "20Gi"}}) == set()

test_small if findings({"storage": {"size": "99Gi"}}) == set()

test_silent_without_size if findings({"storage": {"size": null}}) == set()

test_operator_without_wal_volumes if {
	check.findings == set() with input as {"parameters": settings, "review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"numberOfInstances": 2, "volume": {"size": "1Ti"}},
	}}}
}

# What WAL takes is not known: the least that is of use.
test_limit_that_is_no_size if {
	found := check.findings with input as object.union({"parameters": settings}, manifests.review({"max_wal_size": "lots"}, {}))
	found == findings({})
}
