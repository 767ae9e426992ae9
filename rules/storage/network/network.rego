# METADATA
# title: Network filesystems
# description: |
#   Shared filesystems and object stores behind a mount: NFS, SMB, Lustre, GlusterFS, FUSE. The filesystem is the server's; locks,
#   fsync and errors are what the protocol and the mount options make of them.
# related_resources:
#   - https://www.postgresql.org/docs/current/creating-cluster.html#CREATING-CLUSTER-NFS
# custom:
#   provisioners: [nfs.csi.k8s.io, k8s-sigs.io/nfs-subdir-external-provisioner, cluster.local/nfs-subdir-external-provisioner, "*-nfs-subdir-external-provisioner", cluster.local/nfs-client-provisioner, fuseim.pri/ifs, example.com/nfs, cluster.local/nfs-server-provisioner, openebs.io/nfsrwx, efs.csi.aws.com, openshift.org/aws-efs, fsx.csi.aws.com, fsx.openzfs.csi.aws.com, s3.csi.aws.com, file.csi.azure.com, kubernetes.io/azure-file, blob.csi.azure.com, filestore.csi.storage.gke.io, gcsfuse.csi.storage.gke.io, nasplugin.csi.alibabacloud.com, ossplugin.csi.alibabacloud.com, com.tencent.cloud.csi.cfs, com.tencent.cloud.csi.tcfs.cfs, com.tencent.cloud.csi.cosfs, nas.csi.everest.io, sfsturbo.csi.everest.io, obs.csi.everest.io, fss.csi.oraclecloud.com, nfs.manila.csi.openstack.org, cephfs.manila.csi.openstack.org, smb.csi.k8s.io, kubernetes.io/nfs, kubernetes.io/cephfs, kubernetes.io/glusterfs, gluster.org/glusterfs-simple, org.gluster.glusterfs, kubernetes.io/quobyte, ibm.io/ibmc-file, vpc.file.csi.ibm.io, csi.juicefs.com, seaweedfs-csi-driver]
package walguard.storage.network

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.model.claims

# Provisioner to [title, protocol].
drivers := {
	"nfs.csi.k8s.io": ["NFS", "nfs"],
	"k8s-sigs.io/nfs-subdir-external-provisioner": ["NFS", "nfs"],
	"cluster.local/nfs-subdir-external-provisioner": ["NFS", "nfs"],
	"cluster.local/nfs-client-provisioner": ["NFS", "nfs"],
	"fuseim.pri/ifs": ["NFS", "nfs"],
	"example.com/nfs": ["NFS", "nfs"],
	"cluster.local/nfs-server-provisioner": ["NFS", "nfs"],
	"openebs.io/nfsrwx": ["NFS of OpenEBS", "nfs"],
	"efs.csi.aws.com": ["Amazon EFS", "nfs"],
	"openshift.org/aws-efs": ["Amazon EFS", "nfs"],
	"fsx.openzfs.csi.aws.com": ["Amazon FSx for OpenZFS", "nfs"],
	"filestore.csi.storage.gke.io": ["Google Filestore", "nfs"],
	"nasplugin.csi.alibabacloud.com": ["Alibaba Cloud NAS", "nfs"],
	"com.tencent.cloud.csi.cfs": ["Tencent CFS", "nfs"],
	"com.tencent.cloud.csi.tcfs.cfs": ["Tencent CFS", "nfs"],
	"nas.csi.everest.io": ["Huawei SFS", "nfs"],
	"sfsturbo.csi.everest.io": ["Huawei SFS Turbo", "nfs"],
	"fss.csi.oraclecloud.com": ["Oracle File Storage", "nfs"],
	"nfs.manila.csi.openstack.org": ["Manila NFS", "nfs"],
	"cephfs.manila.csi.openstack.org": ["Manila CephFS", "ceph"],
	"fsx.csi.aws.com": ["Amazon FSx for Lustre", "lustre"],
	"file.csi.azure.com": ["Azure Files", "smb"],
	"kubernetes.io/azure-file": ["Azure Files", "smb"],
	"smb.csi.k8s.io": ["SMB", "smb"],
	"s3.csi.aws.com": ["Mountpoint for Amazon S3", "fuse"],
	"blob.csi.azure.com": ["Azure Blob storage", "fuse"],
	"gcsfuse.csi.storage.gke.io": ["Cloud Storage FUSE", "fuse"],
	"ossplugin.csi.alibabacloud.com": ["Alibaba Cloud OSS", "fuse"],
	"com.tencent.cloud.csi.cosfs": ["Tencent COS", "fuse"],
	"obs.csi.everest.io": ["Huawei OBS", "fuse"],
	"csi.juicefs.com": ["JuiceFS", "fuse"],
	"seaweedfs-csi-driver": ["SeaweedFS", "fuse"],
	"ibm.io/ibmc-file": ["IBM Cloud file storage", "nfs"],
	"vpc.file.csi.ibm.io": ["IBM Cloud file storage", "nfs"],
	"kubernetes.io/nfs": ["NFS", "nfs"],
	"kubernetes.io/cephfs": ["CephFS", "ceph"],
	"kubernetes.io/glusterfs": ["GlusterFS", "fuse"],
	"gluster.org/glusterfs-simple": ["GlusterFS", "fuse"],
	"org.gluster.glusterfs": ["GlusterFS", "fuse"],
	"kubernetes.io/quobyte": ["Quobyte", "fuse"],
}

disks[id] := found if {
	some id, claim in claims.claims
	driver := driver_of(claim.provisioner)
	found := disk.plain("network", driver[0], {
		"network": true,
		"protocol": protocol(claim, driver[1]),
		"unlimited": unlimited(claim.provisioner),
	})
}

driver_of(provisioner) := drivers[provisioner] if {
	drivers[provisioner]
} else := ["NFS", "nfs"] if {
	of_subdirectories(provisioner)
}

# The chart calls it after its release: "cluster.local/media-nfs-subdir-external-provisioner".
of_subdirectories(provisioner) if contains(provisioner, "nfs-subdir-external-provisioner")

# A directory of a server, without a quota, or a filesystem that grows by itself.
unlimited(provisioner) if {
	provisioner in {"nfs.csi.k8s.io", "cluster.local/nfs-client-provisioner", "fuseim.pri/ifs", "efs.csi.aws.com", "openshift.org/aws-efs"}
} else if {
	of_subdirectories(provisioner)
} else := false

# Some drivers speak NFS where the class asks for it.
protocol(claim, _) := "nfs" if asks_for_nfs(claim)

protocol(claim, usual) := usual if not asks_for_nfs(claim)

asks_for_nfs(claim) if get.lower_case(claim.parameters.protocol) == "nfs"
