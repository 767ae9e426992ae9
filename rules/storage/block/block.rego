# METADATA
# title: Other block storage
# description: |
#   Drivers whose disks are block devices that the node formats – with ext4, unless the class names another filesystem – and
#   for whose bandwidth no formula is known. Where the driver's default is not known the filesystem is unknown too.
# related_resources:
#   - https://kubernetes-csi.github.io/docs/drivers.html
# custom:
#   provisioners: [com.tencent.cloud.csi.cbs, disk.csi.everest.io, everest-csi-provisioner, evs.csi.huaweicloud.com, blockvolume.csi.oraclecloud.com, dobs.csi.digitalocean.com, csi.hetzner.cloud, linodebs.csi.linode.com, block.csi.vultr.com, csi.scaleway.com, cinder.csi.openstack.org, kubernetes.io/cinder, vpc.block.csi.ibm.io, csi.vsphere.vmware.com, kubernetes.io/vsphere-volume, linstor.csi.linbit.com, csi.proxmox.sinextra.dev, pxd.portworx.com, kubernetes.io/portworx-volume, csi.trident.netapp.io, csi.san.synology.com, storage.csi.upcloud.com, csi.exoscale.com]
package walguard.storage.block

import data.walguard.lib.disk
import data.walguard.model.claims

# filesystem: the driver's default; absent where it is not known or where the driver also serves network filesystems.
drivers := {
	"com.tencent.cloud.csi.cbs": {"title": "Tencent CBS", "filesystem": "ext4"},
	"disk.csi.everest.io": {"title": "Huawei EVS", "filesystem": "ext4"},
	"everest-csi-provisioner": {"title": "Huawei everest"},
	"evs.csi.huaweicloud.com": {"title": "Huawei EVS", "filesystem": "ext4"},
	"blockvolume.csi.oraclecloud.com": {"title": "Oracle block volume", "filesystem": "ext4"},
	"dobs.csi.digitalocean.com": {"title": "DigitalOcean volume", "filesystem": "ext4"},
	"csi.hetzner.cloud": {"title": "Hetzner volume", "filesystem": "ext4"},
	"linodebs.csi.linode.com": {"title": "Linode volume", "filesystem": "ext4"},
	"block.csi.vultr.com": {"title": "Vultr volume", "filesystem": "ext4"},
	"csi.scaleway.com": {"title": "Scaleway volume", "filesystem": "ext4"},
	"cinder.csi.openstack.org": {"title": "Cinder volume", "filesystem": "ext4"},
	"kubernetes.io/cinder": {"title": "Cinder volume", "filesystem": "ext4"},
	"vpc.block.csi.ibm.io": {"title": "IBM Cloud block storage", "filesystem": "ext4"},
	"csi.vsphere.vmware.com": {"title": "vSphere volume", "filesystem": "ext4"},
	"kubernetes.io/vsphere-volume": {"title": "vSphere volume", "filesystem": "ext4"},
	"linstor.csi.linbit.com": {"title": "LINSTOR", "filesystem": "ext4"},
	"csi.proxmox.sinextra.dev": {"title": "Proxmox disk", "filesystem": "ext4"},
	"pxd.portworx.com": {"title": "Portworx", "filesystem": "ext4"},
	"kubernetes.io/portworx-volume": {"title": "Portworx", "filesystem": "ext4"},
	"csi.trident.netapp.io": {"title": "NetApp Trident"},
	"csi.san.synology.com": {"title": "Synology"},
	"storage.csi.upcloud.com": {"title": "UpCloud storage", "filesystem": "ext4"},
	"csi.exoscale.com": {"title": "Exoscale block storage", "filesystem": "ext4"},
}

disks[id] := found if {
	some id, claim in claims.claims
	driver := drivers[claim.provisioner]
	found := disk.plain("block", driver.title, {"expandable": true})
}

filesystems[id] := filesystem if {
	some id, claim in claims.claims
	driver := drivers[claim.provisioner]
	filesystem := disk.filesystem(claim, object.get(driver, "filesystem", ""))
}
