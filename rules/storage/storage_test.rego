package walguard.storage_test

import data.walguard.index
import data.walguard.storage

# Every provisioner that some vendor knows, and one for each pattern.
provisioners := (((((storage.alibaba.provisioners | object.keys(storage.aws.default_types)) | storage.azure.provisioners) | storage.gcp.provisioners) | object.keys(storage.block.drivers)) | object.keys(storage.local.drivers)) | ((((object.keys(storage.network.drivers) | object.keys(storage.openebs.drivers)) | storage.topolvm.provisioners) | object.keys(storage.ceph.kinds)) | {
	"driver.longhorn.io",
	"kubernetes.io/rbd",
	"openshift-storage.cephfs.csi.ceph.com",
	"openshift-storage.nfs.csi.ceph.com",
	"openshift-storage.rbd.csi.ceph.com",
	"org.democratic-csi.iscsi",
	"org.democratic-csi.nfs",
})

claims := {provisioner: {"provisioner": provisioner, "parameters": {"type": "gp2"}} | some provisioner in provisioners}

vendors := {"alibaba", "aws", "azure", "block", "ceph", "democratic_csi", "gcp", "local", "longhorn", "network", "openebs", "topolvm"}

# Two vendors that know one provisioner would contradict one another.
test_one_vendor_for_each_provisioner if {
	given := claims
	answers := {provisioner: names |
		some provisioner in provisioners
		names := {vendor |
			some vendor in vendors
			known(vendor, provisioner)
		}
		count(names) > 1
	} with data.walguard.model.claims.claims as given
	answers == {}
}

known(vendor, provisioner) if storage[vendor].disks[provisioner]

known(vendor, provisioner) if storage[vendor].filesystems[provisioner]

test_index_names_every_vendor if {
	given := claims
	all := provisioners
	answered := {provisioner |
		some provisioner in all
		known_anywhere(provisioner)
	} with data.walguard.model.claims.claims as given
	count(answered) == count(all)
}

known_anywhere(provisioner) if index.disks[provisioner]

known_anywhere(provisioner) if index.filesystems[provisioner]

# What a vendor's METADATA leaves out it would never be asked about.
test_metadata_names_every_provisioner if {
	given := claims
	forgotten := {[vendor, provisioner] |
		some vendor in vendors
		some provisioner in provisioners
		known(vendor, provisioner)
		not vendor in asked(provisioner)
	} with data.walguard.model.claims.claims as given
	forgotten == set()
}

asked(provisioner) := {index.provisioners[provisioner]}

asked(provisioner) := {vendor | some vendor in index.patterned} if not index.provisioners[provisioner]
