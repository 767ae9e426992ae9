package walguard.checks.storage.network_filesystem_test

import data.walguard.checks.storage.network_filesystem as check
import data.walguard.lib.disk_test as manifests

nfs := {"provisioner": "nfs.csi.k8s.io", "size": "100Gi"}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

message(provisioner) := f.message if {
	[f] := [one | some one in findings(object.union(nfs, {"provisioner": provisioner}))]
	f.severity == "error"
}

test_nfs if {
	findings(nfs) == {{
		"message": "Data volume on a network filesystem (StorageClass fast is NFS): unless it is mounted hard and exported synchronously, writes that PostgreSQL takes for durable are lost when the network or the server fails.",
		"severity": "error",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_hard_nfs if {
	findings(object.union(nfs, {"class": {"mountOptions": ["nfsvers=4.1,hard"]}})) == {{
		"message": "Data volume on a network filesystem (StorageClass fast is NFS): the mount is hard, but unless the server exports it synchronously (sync) it acknowledges writes that its crash loses.",
		"severity": "warning",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_soft_nfs if {
	{f.severity | some f in findings(object.union(nfs, {"class": {"mountOptions": ["hard", "soft"]}}))} == {"error"}
}

test_smb if message("smb.csi.k8s.io") == "CloudNativePG prod/orders, data volume: StorageClass fast is SMB, a network filesystem: files do not get the owner and the mode that initdb demands, and locks and fsync are the server's"

test_cephfs if contains(message("rook-ceph.cephfs.csi.ceph.com"), "StorageClass fast is CephFS, a network filesystem: every fsync waits for a metadata server")

test_fuse if contains(message("blob.csi.azure.com"), "Azure Blob storage, a network filesystem: it gives neither a final fsync")

test_lustre if contains(message("fsx.csi.aws.com"), "Amazon FSx for Lustre, a network filesystem: every fsync waits")

# One class, two volumes, one fault.
test_told_once if count(findings(object.union(nfs, {"wal": "10Gi"}))) == 1

test_block_storage if findings(object.union(nfs, {"provisioner": "rook-ceph.rbd.csi.ceph.com"})) == set()

test_silent_for_unknown_driver if findings(object.union(nfs, {"provisioner": "example.com/files"})) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(nfs)
}
