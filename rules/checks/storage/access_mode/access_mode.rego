# METADATA
# title: A data volume that many nodes may mount
# description: |
#   ReadWriteMany with a filesystem is what network filesystems offer – NFS, CephFS, Azure Files, Longhorn's share manager, which is NFS –, whose locks and
#   fsync are not those that PostgreSQL counts on; drivers of block devices and local-path refuse it, and the claim stays Pending (an error where the driver is known). And nothing keeps a second pod on another
#   node from opening the same data directory: postmaster.pid protects within one PID namespace only. A driver that is known to be a network filesystem
#   is reported by storage/network_filesystem instead. One claim that all instances of a cluster mount for a tablespace or for their WAL is an error: each of them writes there as
#   if it were alone.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
#   - https://github.com/docker-library/postgres/issues/171
#   - https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/validation.go
#   - https://longhorn.io/docs/latest/nodes-and-volumes/volumes/rwx-volumes/
#   - https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/pkg/driver/controller.go
#   - https://github.com/rancher/local-path-provisioner/blob/master/provisioner.go
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Ask for ReadWriteOnce, or ReadWriteOncePod, on a block device.
#   sources: []
package walguard.checks.storage.access_mode

import data.walguard.lib.disk
import data.walguard.lib.driver
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.dumps

findings contains f if {
	some id, volume in model.all_volumes
	volume.many
	not volume.disk.network
	not refused(volume)
	f := finding.at(disk.place(volume, "many"), sprintf("ReadWriteMany for the %s: with a filesystem only network filesystems offer it, and a second pod may open the same data directory. Ask for ReadWriteOnce or ReadWriteOncePod.", [disk.label(model.all_volumes, id)]))
}

findings contains f if {
	some id, volume in model.all_volumes
	volume.many
	refused(volume)
	f := finding.with_severity(
		finding.at(disk.place(volume, "many"), sprintf("%s refuses ReadWriteMany with a filesystem: the claim of the %s stays Pending, and so does the pod. Ask for ReadWriteOnce or ReadWriteOncePod.", [volume.provisioner, disk.label(model.all_volumes, id)])),
		"error",
	)
}

# A PersistentVolume that somebody made by hand is bound without the driver.
refused(volume) if {
	driver.has(volume.provisioner, "single")
	not volume.named
	not volume.persistent
}

# Without a driver: the claim is not made at all.
findings contains f if {
	some id, volume in model.all_volumes
	volume.mixed
	f := finding.with_severity(
		finding.at(disk.place(volume, "mixed"), sprintf("The API server refuses the claim of the %s: ReadWriteOncePod stands beside another access mode (\"may not use ReadWriteOncePod with other access modes\"), so that no pod starts. Leave one of them.", [disk.label(model.all_volumes, id)])),
		"error",
	)
}

findings contains f if {
	some shared in get.list(model.cluster, "shared_claims")
	model.cluster.instances.value > 1
	f := finding.with_severity(
		finding.at(shared, sprintf("All %d instances mount claim %s at %s and write into the same files. Give each a volume of its own, or keep the directory on the data volume.", [model.cluster.instances.value, shared.claim, shared.directory])),
		"error",
	)
}

# The first volume tells it. Jobs that back up are backup/dump_never_starts'.
findings contains f if {
	some one in dumps.apart_for_good
	first := [other | some other in dumps.apart_for_good; other.resource == one.resource][0]
	[level, outcome] := outcomes[first.single]
	f := finding.with_severity(finding.at(first, sprintf("%s mounts claim %s, which the server's pod holds, and %s.", [first.job, first.claim, outcome])), level)
}

outcomes := {
	true: ["error", "ReadWriteOncePod admits no second pod: one of the two never starts. Give it a claim of its own"],
	false: ["warning", "ReadWriteOnce admits one node: on another one it hangs in ContainerCreating (Multi-Attach). Add a required podAffinity to the server, or give it a claim of its own"],
}
