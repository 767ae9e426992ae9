package walguard.storage.local_test

import data.walguard.storage.local

claims := {
	"0/data": {"provisioner": "rancher.io/local-path", "parameters": {"fstype": "xfs"}},
	"0/wal": {"provisioner": "kubernetes.io/no-provisioner", "parameters": {}},
	"1/data": {"provisioner": "directpv-min-io", "parameters": {}},
}

test_disks if {
	d := local.disks with data.walguard.model.claims.claims as claims
	{id: [v.title, v.local, v.expandable] | some id, v in d} == {
		"0/data": ["local-path", true, false],
		"0/wal": ["local volume", true, false],
		"1/data": ["DirectPV", true, true],
	}
}

# A directory of the node: what the class says of filesystems is not what it is.
test_filesystems if {
	f := local.filesystems with data.walguard.model.claims.claims as claims
	f == {"1/data": {"name": "xfs", "origin": "driver default", "copy_on_write": false}}
}
