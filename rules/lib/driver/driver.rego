# METADATA
# description: |
#   What is so of every volume of a CSI driver or provisioner, whatever its class says. What it gives for a size and a class stands in rules/storage.
#     block   its volumes are block devices with a filesystem of their own, whose root directory belongs to root and holds lost+found
#     single  it refuses ReadWriteMany with a filesystem (CreateVolume, or the old plugin of Kubernetes)
#     zonal   a volume can be attached in one zone only, or on one node
# related_resources:
#   - https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/pkg/driver/controller.go
#   - https://github.com/rancher/local-path-provisioner/blob/master/provisioner.go
package walguard.lib.driver

traits := {
	"cinder.csi.openstack.org": {"block"},
	"csi.hetzner.cloud": {"block", "single"},
	"csi.vsphere.vmware.com": {"block"},
	"disk.csi.azure.com": {"block", "single", "zonal"},
	"diskplugin.csi.alibabacloud.com": {"block", "zonal"},
	"dobs.csi.digitalocean.com": {"block", "single"},
	"driver.longhorn.io": {"block"},
	"ebs.csi.aws.com": {"block", "single", "zonal"},
	"ebs.csi.eks.amazonaws.com": {"block", "single"},
	"kubernetes.io/aws-ebs": {"block", "single"},
	"kubernetes.io/azure-disk": {"block", "single"},
	"kubernetes.io/gce-pd": {"block", "single"},
	"linodebs.csi.linode.com": {"block", "single"},
	"local.csi.openebs.io": {"zonal"},
	"pd.csi.storage.gke.io": {"block", "single", "zonal"},
	"rancher.io/local-path": {"single"},
	"rbd.csi.ceph.com": {"block"},
	"rook-ceph.rbd.csi.ceph.com": {"block"},
	"topolvm.io": {"zonal"},
	"zfs.csi.openebs.io": {"zonal"},
}

# METADATA
# description: True of a driver that is known and has a trait.
has(provisioner, trait) if trait in traits[provisioner]

# METADATA
# description: |
#   What a StorageClass is by its name alone, where a provisioner or a provider installs it with that name: of the charts of nfs-subdir-external-provisioner,
#   nfs-ganesha-server-and-external-provisioner, local-path-provisioner, OpenEBS and Rook, the examples of csi-driver-nfs, of Rook and of the driver of EFS, what AKS and MicroK8s bring. For classes that are not in sight.
#   {"title", "protocol"? (of a network filesystem), "unlimited"? (a directory without a quota), "local"? (of one node)}.
usual_classes := {
	"azurefile": {"title": "Azure Files", "protocol": "smb"},
	"azurefile-csi": {"title": "Azure Files", "protocol": "smb"},
	"azurefile-csi-premium": {"title": "Azure Files", "protocol": "smb"},
	"azurefile-premium": {"title": "Azure Files", "protocol": "smb"},
	"ceph-filesystem": {"title": "CephFS", "protocol": "ceph"},
	"efs-sc": {"title": "Amazon EFS", "protocol": "nfs", "unlimited": true},
	"local-path": {"title": "local-path", "local": true, "unlimited": true},
	"managed-nfs-storage": {"title": "NFS", "protocol": "nfs", "unlimited": true},
	"microk8s-hostpath": {"title": "hostpath", "local": true, "unlimited": true},
	"nfs": {"title": "NFS", "protocol": "nfs", "unlimited": true},
	"nfs-client": {"title": "NFS", "protocol": "nfs", "unlimited": true},
	"nfs-csi": {"title": "NFS", "protocol": "nfs", "unlimited": true},
	"openebs-hostpath": {"title": "OpenEBS hostpath", "local": true, "unlimited": true},
	"rook-cephfs": {"title": "CephFS", "protocol": "ceph"},
}
