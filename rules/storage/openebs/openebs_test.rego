package walguard.storage.openebs_test

import data.walguard.storage.openebs

of(provisioner, parameters) := {"0/data": {"provisioner": provisioner, "parameters": parameters}}

filesystem(provisioner, parameters) := f if {
	f := openebs.filesystems["0/data"] with data.walguard.model.claims.claims as of(provisioner, parameters)
}

test_zfs_dataset if {
	filesystem("zfs.csi.openebs.io", {"fstype": "zfs"}) == {"name": "zfs", "origin": "StorageClass", "copy_on_write": true, "recordsize_bytes": 131072}
}

test_zfs_dataset_with_recordsize if {
	filesystem("zfs.csi.openebs.io", {"fstype": "zfs", "recordsize": "16k"}).recordsize_bytes == 16384
	filesystem("zfs.csi.openebs.io", {"fstype": "zfs", "recordsize": "4096"}).recordsize_bytes == 4096
}

# A record size that cannot be read says nothing of the volume.
test_zfs_dataset_with_unreadable_recordsize if not filesystem("zfs.csi.openebs.io", {"fstype": "zfs", "recordsize": "large"})

test_zvol_is_judged_by_its_filesystem if {
	filesystem("zfs.csi.openebs.io", {}) == {"name": "ext4", "origin": "driver default", "copy_on_write": false, "zvol": true}
	filesystem("zfs.csi.openebs.io", {"fstype": "xfs"}) == {"name": "xfs", "origin": "StorageClass", "copy_on_write": false, "zvol": true}
}

test_lvm if filesystem("local.csi.openebs.io", {"fstype": "xfs"}) == {"name": "xfs", "origin": "StorageClass", "copy_on_write": false}

test_hostpath_is_unknown if not filesystem("openebs.io/local", {"fstype": "xfs"})

test_disks if {
	d := openebs.disks with data.walguard.model.claims.claims as {
		"0/data": {"provisioner": "zfs.csi.openebs.io", "parameters": {}},
		"0/wal": {"provisioner": "openebs.io/local", "parameters": {}},
		"1/data": {"provisioner": "example.com/other", "parameters": {}},
	}
	{id: [v.title, v.local, v.expandable, v.network] | some id, v in d} == {
		"0/data": ["OpenEBS ZFS LocalPV", true, true, false],
		"0/wal": ["OpenEBS hostpath", true, false, false],
	}
}
