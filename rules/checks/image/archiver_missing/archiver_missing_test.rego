package walguard.checks.image.archiver_missing_test

import data.walguard.checks.image.archiver_missing as check
import data.walguard.lib.manifest_test as manifests

store := {"backup": {"barmanObjectStore": {"destinationPath": "s3://backups/orders"}}}

findings(image, spec) := found if found := check.findings with input as manifests.review({}, object.union(spec, {"imageName": image}))

test_missing if {
	findings("ghcr.io/cloudnative-pg/postgresql:17.9-standard-trixie", store) == {{
		"message": "The image ghcr.io/cloudnative-pg/postgresql:17.9-standard-trixie has no barman-cloud-wal-archive (standard images come without): WAL archiving fails and pg_wal fills the volume. Use the Barman Cloud plugin, or a system image.",
		"path": ["spec", "backup", "barmanObjectStore"],
	}}
	count(findings("ghcr.io/cloudnative-pg/postgresql:17-minimal-bookworm", store)) == 1
}

test_there if {
	findings("ghcr.io/cloudnative-pg/postgresql:17.9-system-trixie", store) == set()
	findings("ghcr.io/cloudnative-pg/postgresql:17.9", store) == set()
}

test_not_known if {
	findings("registry.example.com/postgresql:17-standard", store) == set()
	findings("", store) == set()
}

test_not_needed if {
	image := "ghcr.io/cloudnative-pg/postgresql:17.9-standard-trixie"
	findings(image, {}) == set()
	findings(image, object.union(store, {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true}]})) == set()
}
