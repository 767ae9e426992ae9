package walguard.checks.backup.snapshot_deleted_test

import data.walguard.checks.backup.snapshot_deleted as check
import data.walguard.lib.manifest_test as manifests

findings(owner) := found if {
	found := check.findings with input as manifests.review({}, {"backup": {"volumeSnapshot": {"className": "csi", "snapshotOwnerReference": owner}}})
}

test_with_the_cluster if {
	findings("cluster") == {{
		"message": "Volume snapshots belong to the Cluster object, so deleting the cluster deletes its backups. Set snapshotOwnerReference to none.",
		"path": ["spec", "backup", "volumeSnapshot", "snapshotOwnerReference"],
		"fix": [{"op": "replace", "path": "/spec/backup/volumeSnapshot/snapshotOwnerReference", "value": "none"}],
	}}
}

test_kept if {
	findings("none") == set()
	findings("backup") == set()
}

test_silent_when_unknown if {
	findings("${OWNER}") == set()
	check.findings == set() with input as manifests.review({}, {})
}
