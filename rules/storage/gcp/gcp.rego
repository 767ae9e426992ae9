# METADATA
# title: Google Cloud
# description: |
#   Persistent Disk follows size (pd-standard, the driver's default, is a hard disk); Hyperdisk gives what it is told to. The base of
#   pd-balanced and pd-ssd counts once for all disks of the type on a machine, and every machine has a limit of its own
#   (240 MiB/s of writes below 8 vCPU, 800 below 16, 1,200 above): figures are upper bounds. What a Hyperdisk gives without
#   provisioned-throughput-on-create is not known.
# related_resources:
#   - https://cloud.google.com/compute/docs/disks/performance
#   - https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver
# custom:
#   prefix: gcp
#   provisioners: [pd.csi.storage.gke.io, kubernetes.io/gce-pd]
package walguard.storage.gcp

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.lib.quantity
import data.walguard.model.claims

provisioners := {"pd.csi.storage.gke.io", "kubernetes.io/gce-pd"}

disks[id] := d if {
	some id, claim in ours
	type := get.lower_case(object.get(claim.parameters, "type", "pd-standard"))
	data.walguard.storage.gcp.profiles[type]
	d := disk.assess("Google Cloud", data.walguard.storage.gcp.profiles, [type], "", claim, wish(claim.parameters))
}

filesystems[id] := filesystem if {
	some id, claim in ours
	filesystem := disk.filesystem(claim, "ext4")
}

ours[id] := claim if {
	some id, claim in claims.claims
	claim.provisioner in provisioners
}

# A VolumeAttributesClass says iops and throughput; it comes later than the class and wins.
wish(parameters) := object.union_n([
	object.union_n([{"iops": disk.thousand(n)} | n := first(parameters, ["iops", "provisioned-iops-on-create"])]),
	object.union_n([{"throughput": mebibytes(n)} | n := first(parameters, ["throughput", "provisioned-throughput-on-create"])]),
])

first(parameters, keys) := [parameters[key] | some key in keys; parameters[key]][0]

# "250Mi" are 250 MiB/s; the driver rounds up to whole MiB.
mebibytes(value) := ceil(quantity.bytes(value) / 1048576) * 1000
