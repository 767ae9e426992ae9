package walguard.storage.network_test

import data.walguard.storage.network

test_protocols if {
	d := network.disks with data.walguard.model.claims.claims as {
		"0/data": {"provisioner": "efs.csi.aws.com", "parameters": {}},
		"1/data": {"provisioner": "file.csi.azure.com", "parameters": {"protocol": "NFS"}},
		"2/data": {"provisioner": "file.csi.azure.com", "parameters": {"protocol": "smb"}},
		"3/data": {"provisioner": "blob.csi.azure.com", "parameters": {}},
		"4/data": {"provisioner": "disk.csi.azure.com", "parameters": {}},
	}
	{id: [v.title, v.network, v.protocol] | some id, v in d} == {
		"0/data": ["Amazon EFS", true, "nfs"],
		"1/data": ["Azure Files", true, "nfs"],
		"2/data": ["Azure Files", true, "smb"],
		"3/data": ["Azure Blob storage", true, "fuse"],
	}
}

# A chart's provisioner is called after its release.
test_directories_of_a_server if {
	d := network.disks with data.walguard.model.claims.claims as {
		"0/data": {"provisioner": "cluster.local/media-nfs-subdir-external-provisioner", "parameters": {}},
		"1/data": {"provisioner": "efs.csi.aws.com", "parameters": {}},
		"2/data": {"provisioner": "fsx.openzfs.csi.aws.com", "parameters": {}},
		"3/data": {"provisioner": "example.com/unknown", "parameters": {}},
	}
	{id: [v.title, v.unlimited] | some id, v in d} == {
		"0/data": ["NFS", true],
		"1/data": ["Amazon EFS", true],
		"2/data": ["Amazon FSx for OpenZFS", false],
	}
}
