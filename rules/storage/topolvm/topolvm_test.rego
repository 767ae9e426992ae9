package walguard.storage.topolvm_test

import data.walguard.storage.topolvm

claims := {
	"0/data": {"provisioner": "topolvm.io", "parameters": {"csi.storage.k8s.io/fstype": "xfs"}},
	"0/wal": {"provisioner": "topolvm.cybozu.com", "parameters": {}},
	"1/data": {"provisioner": "example.com/other", "parameters": {}},
}

test_topolvm if {
	d := topolvm.disks with data.walguard.model.claims.claims as claims
	f := topolvm.filesystems with data.walguard.model.claims.claims as claims
	{id: [v.local, v.expandable, f[id].name] | some id, v in d} == {
		"0/data": [true, true, "xfs"],
		"0/wal": [true, true, "ext4"],
	}
}
