package walguard.checks.storage.expansion_disabled_test

import data.walguard.checks.storage.expansion_disabled as check
import data.walguard.lib.disk_test as manifests

fixed := {"provisioner": "ebs.csi.aws.com", "size": "100Gi"}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_absent if {
	findings(fixed) == {{
		"message": "StorageClass fast does not allow expansion: a full data volume stops PostgreSQL and cannot be grown. Set allowVolumeExpansion: true in the class.",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_false if count(findings(object.union(fixed, {"class": {"allowVolumeExpansion": false}}))) == 1

test_told_once if count(findings(object.union(fixed, {"wal": "10Gi"}))) == 1

test_allowed if findings(object.union(fixed, {"class": {"allowVolumeExpansion": true}})) == set()

# These drivers cannot grow a volume, whatever the class says.
test_driver_cannot if findings(object.union(fixed, {"provisioner": "rancher.io/local-path"})) == set()

test_left_to_network_filesystem if findings(object.union(fixed, {"provisioner": "cephfs.csi.ceph.com"})) == set()

test_silent_for_unknown_driver if findings(object.union(fixed, {"provisioner": "example.com/disk"})) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(fixed)
}
