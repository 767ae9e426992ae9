package walguard.storage.ceph_test

import data.walguard.storage.ceph

claims := {
	"0/data": {"provisioner": "rook-ceph.rbd.csi.ceph.com", "parameters": {"csi.storage.k8s.io/fstype": "xfs"}},
	"0/wal": {"provisioner": "rbd.csi.ceph.com", "parameters": {}},
	"1/data": {"provisioner": "rook-ceph.cephfs.csi.ceph.com", "parameters": {}},
	"2/data": {"provisioner": "openshift-storage.nfs.csi.ceph.com", "parameters": {}},
	"3/data": {"provisioner": "kubernetes.io/rbd", "parameters": {"fstype": "ext4"}},
	"4/data": {"provisioner": "example.com/rbd", "parameters": {}},
}

test_disks if {
	d := ceph.disks with data.walguard.model.claims.claims as claims
	{id: [v.title, v.network] | some id, v in d} == {
		"0/data": ["Ceph RBD", false],
		"0/wal": ["Ceph RBD", false],
		"1/data": ["CephFS", true],
		"2/data": ["NFS of Ceph", true],
		"3/data": ["Ceph RBD", false],
	}
}

test_filesystems if {
	f := ceph.filesystems with data.walguard.model.claims.claims as claims
	{id: [v.name, v.origin] | some id, v in f} == {
		"0/data": ["xfs", "StorageClass"],
		"0/wal": ["ext4", "driver default"],
		"3/data": ["ext4", "StorageClass"],
	}
}
