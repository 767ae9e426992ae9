package walguard.storage.longhorn_test

import data.walguard.storage.longhorn

claims := {
	"0/data": {"provisioner": "driver.longhorn.io", "parameters": {"fstype": "xfs"}},
	"0/wal": {"provisioner": "driver.longhorn.io", "parameters": {}},
	"1/data": {"provisioner": "example.com/other", "parameters": {}},
}

test_longhorn if {
	d := longhorn.disks with data.walguard.model.claims.claims as claims
	f := longhorn.filesystems with data.walguard.model.claims.claims as claims
	{id: [v.title, v.expandable, f[id].name] | some id, v in d} == {
		"0/data": ["Longhorn", true, "xfs"],
		"0/wal": ["Longhorn", true, "ext4"],
	}
}
