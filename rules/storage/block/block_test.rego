package walguard.storage.block_test

import data.walguard.storage.block

claims := {
	"0/data": {"provisioner": "csi.hetzner.cloud", "parameters": {}},
	"0/wal": {"provisioner": "csi.trident.netapp.io", "parameters": {}},
	"1/data": {"provisioner": "csi.trident.netapp.io", "parameters": {"fstype": "xfs"}},
	"2/data": {"provisioner": "example.com/other", "parameters": {}},
}

test_block if {
	d := block.disks with data.walguard.model.claims.claims as claims
	{id: [v.title, v.network, v.expandable] | some id, v in d} == {
		"0/data": ["Hetzner volume", false, true],
		"0/wal": ["NetApp Trident", false, true],
		"1/data": ["NetApp Trident", false, true],
	}
}

# Where the driver's default is not known, the filesystem is unknown.
test_filesystems if {
	f := block.filesystems with data.walguard.model.claims.claims as claims
	{id: [v.name, v.origin] | some id, v in f} == {
		"0/data": ["ext4", "driver default"],
		"1/data": ["xfs", "StorageClass"],
	}
}
