package walguard.storage.democratic_csi_test

import data.walguard.storage.democratic_csi

of(backend, parameters) := {"0/data": {"provisioner": concat("", ["org.democratic-csi.", backend]), "parameters": parameters}}

filesystem(backend, parameters) := f if {
	f := democratic_csi.filesystems["0/data"] with data.walguard.model.claims.claims as of(backend, parameters)
}

disk(backend) := d if {
	d := democratic_csi.disks["0/data"] with data.walguard.model.claims.claims as of(backend, {})
}

test_zvol if {
	filesystem("iscsi", {}) == {"name": "ext4", "origin": "driver default", "copy_on_write": false, "zvol": true}
	filesystem("nvmeof", {"fstype": "xfs"}) == {"name": "xfs", "origin": "StorageClass", "copy_on_write": false, "zvol": true}
}

test_dataset if {
	filesystem("zfs-local-dataset", {"csi.storage.k8s.io/fstype": "zfs"}) == {"name": "zfs", "origin": "StorageClass", "copy_on_write": true, "recordsize_bytes": 131072}
}

test_unknown_backend if not filesystem("local-hostpath", {})

test_network_has_no_filesystem_of_its_own if not filesystem("nfs", {"fstype": "zfs"})

test_disks if {
	[disk("nfs").network, disk("nfs").protocol, disk("smb").protocol] == [true, "nfs", "smb"]
	[disk("iscsi").network, disk("iscsi").expandable, disk("iscsi").local] == [false, true, false]
	[disk("local-hostpath").expandable, disk("local-hostpath").local] == [false, true]
}

test_other_provisioner if {
	democratic_csi.disks == {} with data.walguard.model.claims.claims as {"0/data": {"provisioner": "nfs.csi.k8s.io", "parameters": {}}}
}
