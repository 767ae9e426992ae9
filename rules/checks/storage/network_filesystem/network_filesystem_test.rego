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

of_efs(more) := f.message if {
	[f] := [one | some one in findings(object.union(nfs, {"provisioner": "efs.csi.aws.com", "class": {"parameters": object.union({"provisioningMode": "efs-ap"}, more)}}))]
}

test_owner_of_an_access_point if {
	contains(of_efs({}), "initdb refuses a directory that is not the server's own")
	every more in [{"uid": "26", "gid": "26"}, {"provisioningMode": "other"}] {
		contains(of_efs(more), "unless it is mounted hard")
	}
}

test_smb if message("smb.csi.k8s.io") == "Data volume on a network filesystem (StorageClass fast is SMB): files do not get the owner and the mode that initdb demands, and locks and fsync are the server's."

# A class of Azure Files with the owner and the mode of its mount.
owned(options) := {[f.severity, contains(f.message, "locks and fsync are the server's, and where that")] |
	some f in findings(object.union(nfs, {"provisioner": "file.csi.azure.com", "class": {"mountOptions": options}}))
}

test_smb_owned_by_its_mount if {
	owned(["uid=70", "gid=70", "dir_mode=0750", "file_mode=0640"]) == {["warning", true]}
	owned(["uid=26", "dir_mode=0700"]) == {["warning", true]}
	owned(["uid=0", "dir_mode=0750"]) == {["error", false]}
	owned(["uid=70", "dir_mode=0777"]) == {["error", false]}
	owned(["dir_mode=0750"]) == {["error", false]}
}

test_cephfs if contains(message("rook-ceph.cephfs.csi.ceph.com"), "(StorageClass fast is CephFS): every fsync waits for a metadata server")

test_fuse if contains(message("blob.csi.azure.com"), "Azure Blob storage): it gives neither a final fsync")

test_lustre if contains(message("fsx.csi.aws.com"), "Amazon FSx for Lustre): every fsync waits")

# One class, two volumes, one fault.
test_told_once if count(findings(object.union(nfs, {"wal": "10Gi"}))) == 1

test_block_storage if findings(object.union(nfs, {"provisioner": "rook-ceph.rbd.csi.ceph.com"})) == set()

test_silent_for_unknown_driver if findings(object.union(nfs, {"provisioner": "example.com/files"})) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(nfs)
}

named(class) := json.patch(manifests.blind(object.union(nfs, {"wal": "10Gi"})), [
	{"op": "replace", "path": "/review/object/spec/storage/storageClass", "value": class},
	{"op": "replace", "path": "/review/object/spec/walStorage/storageClass", "value": class},
])

# Names that provisioners and providers give their classes.
test_by_the_name if {
	check.findings == {{
		"message": "Data volume on a network filesystem, to judge by the name of its class (nfs-client: NFS): unless it is mounted hard and exported synchronously, writes that PostgreSQL takes for durable are lost when the network or the server fails.",
		"severity": "warning",
		"path": ["spec", "storage", "storageClass"],
	}} with input as named("nfs-client")
	{f.severity | some f in check.findings} == {"error"} with input as named("azurefile-csi")
	count(check.findings) == 1 with input as named("azurefile-csi")
	count(check.findings) == 1 with input as named("nfs")
	count(check.findings) == 1 with input as named("ceph-filesystem")
	check.findings == set() with input as named("nfs-fast")
	check.findings == set() with input as named("ceph-block")
}

# The class itself knows better.
test_class_before_its_name if {
	ebs := json.patch(manifests.review(object.union(nfs, {"provisioner": "ebs.csi.aws.com"})), [
		{"op": "replace", "path": "/review/object/spec/storage/storageClass", "value": "nfs-client"},
		{"op": "move", "from": "/inventory/cluster/storage.k8s.io~1v1/StorageClass/fast", "path": "/inventory/cluster/storage.k8s.io~1v1/StorageClass/nfs-client"},
	])
	check.findings == set() with input as ebs
}

# ---------------------------------------------------------------------------------------------- volumes made by hand

deployment(volume) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"spec": {
		"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
		"volumes": [object.union({"name": "data"}, volume)],
	}}},
}

by_hand(claim, persistent) := found if {
	found := check.findings with input as {
		"review": {"object": deployment({"persistentVolumeClaim": {"claimName": "pg"}})},
		"inventory": {
			"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"pg": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "pg", "namespace": "prod"}, "spec": claim}}}}},
			"cluster": {"v1": {"PersistentVolume": persistent}},
		},
	}
}

volume(name, spec) := {name: {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}}

server := {"nfs": {"server": "10.0.0.1", "path": "/pg"}}

test_volume_of_the_pod if {
	found := check.findings with input as {"review": {"object": deployment(server)}}
	{f.message | some f in found} == {"Data volume on a network filesystem (the pod's volume is NFS): unless it is mounted hard and exported synchronously, writes that PostgreSQL takes for durable are lost when the network or the server fails."}
}

test_volume_that_the_claim_names if {
	{f.message | some f in by_hand({"storageClassName": "", "volumeName": "pg"}, volume("pg", server))} == {"Data volume on a network filesystem (PersistentVolume pg is NFS): unless it is mounted hard and exported synchronously, writes that PostgreSQL takes for durable are lost when the network or the server fails."}
}

test_volume_that_names_the_claim if {
	count(by_hand({}, volume("pg", object.union(server, {"claimRef": {"name": "pg", "namespace": "prod"}})))) == 1
	by_hand({}, volume("pg", object.union(server, {"claimRef": {"name": "pg", "namespace": "test"}}))) == set()
}

# The selector of the claim says which.
test_volumes_with_labels if {
	labelled := object.union(
		volume("a", object.union(server, {"storageClassName": "manual"})),
		{"b": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "b", "labels": {"vol": "pg"}}, "spec": object.union(server, {"storageClassName": "manual"})}},
	)
	found := by_hand({"storageClassName": "manual", "selector": {"matchLabels": {"vol": "pg"}}}, labelled)
	[contains(f.message, "PersistentVolume b is NFS") | some f in found] == [true]
	by_hand({"storageClassName": "manual", "selector": {"matchLabels": {"vol": "other"}}}, labelled) == set()
}

test_volumes_of_a_class_made_by_hand if {
	count(by_hand({"storageClassName": "manual"}, object.union(volume("a", object.union(server, {"storageClassName": "manual"})), volume("b", object.union(server, {"storageClassName": "manual"}))))) == 1
	by_hand({"storageClassName": "manual"}, object.union(volume("a", object.union(server, {"storageClassName": "manual"})), volume("b", {"storageClassName": "manual", "hostPath": {"path": "/pg"}}))) == set()
	by_hand({"storageClassName": "fast"}, volume("a", object.union(server, {"storageClassName": "manual"}))) == set()
}

test_volume_of_a_csi_driver if {
	count(by_hand({"volumeName": "pg"}, volume("pg", {"csi": {"driver": "efs.csi.aws.com"}}))) == 1
	by_hand({"volumeName": "pg"}, volume("pg", {"csi": {"driver": "ebs.csi.aws.com"}})) == set()
	{f.severity | some f in by_hand({"volumeName": "pg"}, volume("pg", object.union(server, {"mountOptions": ["hard"]})))} == {"warning"}
}
