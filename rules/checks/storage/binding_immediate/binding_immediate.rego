# METADATA
# title: Volumes are created before it is known where the pods run
# description: |
#   A zonal disk of volumeBindingMode Immediate, which a StorageClass has when it names none, is created in any zone as soon as the claim is
#   there. The scheduler then has to follow the disk: instances end up in one zone, or stay Pending where the zone has no room or their
#   affinity forbids it. WaitForFirstConsumer creates the disk where the pod goes. A warning with several instances or where the pods may only run on
#   some nodes, for drivers whose disks belong to one zone, or to one node as those of OpenEBS LVM and ZFS and of TopoLVM do.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
#   - https://docs.aws.amazon.com/eks/latest/userguide/ebs-csi.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Use a StorageClass of volumeBindingMode WaitForFirstConsumer; the mode of a class cannot be changed.
#   sources: []
package walguard.checks.storage.binding_immediate

import data.walguard.lib.disk
import data.walguard.lib.driver
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	some id, volume in model.all_volumes
	driver.has(volume.provisioner, "zonal")
	object.get(volume.class, "volumeBindingMode", "Immediate") == "Immediate"
	spread
	disk.leads(model.all_volumes, id)
	f := finding.at(disk.place(volume, "class_path"), sprintf("StorageClass %s binds volumes at once (volumeBindingMode Immediate): the disks of the instances may lie in one zone or on one node, or where no pod can run. Use a class of WaitForFirstConsumer.", [disk.class_name(volume)]))
}

spread if model.cluster.instances.value > 1

spread if {
	some set in model.cluster.instance_sets
	set.node_types
}
