package walguard.checks.image.known_bad_minor_test

import data.walguard.checks.image.known_bad_minor as check
import data.walguard.lib.manifest_test as manifests

findings(image) := found if found := check.findings with input as manifests.review({}, {"imageName": image})

test_indexes if {
	findings("ghcr.io/cloudnative-pg/postgresql:14.2") == {{
		"message": "PostgreSQL 14.2: CREATE INDEX CONCURRENTLY and REINDEX CONCURRENTLY can leave out rows that are updated meanwhile. Update to 14.4 or newer, then REINDEX every index that was built CONCURRENTLY.",
		"path": ["spec", "imageName"],
	}}
}

test_regression if {
	findings("ghcr.io/cloudnative-pg/postgresql:18.2-standard-trixie") == {{
		"message": "PostgreSQL 18.2: a standby can stop replaying WAL of a primary of an older minor release, and substring() can fail on valid text. Update to 18.3 or newer.",
		"path": ["spec", "imageName"],
	}}
}

test_each_fault_ends_with_its_cure if {
	every row in data.walguard.postgres.releases.faults {
		bad := sprintf("x:%d.%d", [row.major, row.last])
		good := sprintf("x:%s", [row.fixed])
		count(findings(bad)) == 1
		findings(good) == set()
	}
}

test_healthy if {
	findings("x:17.9") == set()
	findings("x:17") == set()
	findings("x:latest") == set()
}

test_versions_of_operators if {
	found := check.findings with input as {"review": {"object": {"apiVersion": "stackgres.io/v1", "kind": "SGCluster", "metadata": {"name": "orders"}, "spec": {"postgres": {"version": "16.5"}}}}}
	{f.path | some f in found} == {["spec", "postgres", "version"]}
}
