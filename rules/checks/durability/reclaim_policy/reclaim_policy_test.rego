package walguard.checks.durability.reclaim_policy_test

import data.walguard.checks.durability.reclaim_policy as check
import data.walguard.lib.disk_test as manifests

deleted := {"provisioner": "ebs.csi.aws.com", "size": "100Gi", "class": {"reclaimPolicy": "Delete"}}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_delete_without_backups if {
	findings(deleted) == {{
		"message": "StorageClass fast deletes disks with their claims (reclaimPolicy Delete), and nothing is backed up: deleting the cluster deletes the only copies of its data. Configure backups, or use a class with reclaimPolicy Retain",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_by_default if {
	some f in findings(object.remove(deleted, ["class"]))
	contains(f.message, "(reclaimPolicy Delete by default)")
}

test_kept if findings(object.union(deleted, {"class": {"reclaimPolicy": "Retain"}})) == set()

test_archived if findings(object.union(deleted, {"spec": {"backup": {"barmanObjectStore": {"destinationPath": "s3://b"}}}})) == set()

test_snapshots if findings(object.union(deleted, {"spec": {"backup": {"volumeSnapshot": {"className": "s"}}}})) == set()

test_one_instance if findings(object.union(deleted, {"spec": {"instances": 1}})) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(deleted)
}
