# METADATA
# title: The volume cannot be grown
# description: |
#   PostgreSQL stops when its volume is full, and it fills up at the worst time: archiving stalls or a replication slot is left behind.
#   With allowVolumeExpansion the cure is one field; without it, a new cluster and a copy of all data. Told only for drivers
#   that can grow volumes, and of every driver where the size is raised. Zalando's operator in the mode "ebs" asks Amazon to grow a volume, and no other storage.
#   Kubegres takes no other size once the cluster is there, whatever the class allows.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/storage-classes/#allow-volume-expansion
#   - https://github.com/reactive-tech/kubegres/issues/79
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set allowVolumeExpansion to true in the StorageClass; it takes effect for volumes that exist too.
#   sources: []
package walguard.checks.storage.expansion_disabled

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.quantity
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.before
import data.walguard.model.claims

findings contains f if {
	some id, volume in model.all_volumes
	volume.disk.expandable
	not volume.disk.network
	not get.boolean(volume.class, "allowVolumeExpansion")
	not get.unknown(volume.class, "allowVolumeExpansion")
	disk.leads(model.all_volumes, id)
	count(stuck) == 0
	f := finding.at(disk.place(volume, "class_path"), sprintf("StorageClass %s does not allow expansion: a full %s stops PostgreSQL and cannot be grown. Set allowVolumeExpansion: true in the class.", [
		disk.class_name(volume),
		disk.label(model.all_volumes, id),
	]))
}

# A size that is raised meets it now, whatever the driver can do. It cannot be taken back either: no claim shrinks.
findings contains f if {
	some id, old_bytes in stuck
	not model.cluster.size_fixed
	volume := model.all_volumes[id]
	f := finding.at(disk.place(volume, "size_path"), sprintf("The %s is to grow from %s to %s, and StorageClass %s does not allow expansion: the claims stay as they are, and the old size may be refused afterwards. Set allowVolumeExpansion: true in the class first if its driver can grow volumes, or leave the size.", [
		disk.label(model.all_volumes, id),
		text.bytes(old_bytes),
		text.bytes(volume.size_bytes),
		disk.class_name(volume),
	]))
}

findings contains f if {
	fixed := model.cluster.size_fixed
	volume := model.all_volumes["0/data"]
	old := before.volumes["0/data"]
	volume.size_bytes > old.size_bytes
	f := finding.at(disk.place(volume, "size_path"), sprintf("The data volume is to grow from %s to %s, and %s. %s.", [text.bytes(old.size_bytes), text.bytes(volume.size_bytes), fixed.reason, fixed.cure]))
}

stuck[id] := old.size_bytes if {
	some id, volume in model.all_volumes
	old := before.volumes[id]
	volume.size_bytes > old.size_bytes
	is_object(volume.class)
	not get.boolean(volume.class, "allowVolumeExpansion")
	not get.unknown(volume.class, "allowVolumeExpansion")
}

# A repository is where backups wait for their claim.
findings contains f if {
	some name, volume in get.map(model.cluster, "repository_volumes")
	old := before.cluster.repository_volumes[name]
	quantity.bytes(volume.size) > quantity.bytes(old.size)
	class := claims.class_of(volume)
	not get.boolean(class, "allowVolumeExpansion")
	not get.unknown(class, "allowVolumeExpansion")
	f := finding.at(disk.place(volume, "size_path"), sprintf("The volume of %s is to grow from %s to %s, and StorageClass %s does not allow expansion: its claim stays as it is, and backups may not start any more. Set allowVolumeExpansion: true in the class first, or leave the size.", [name, text.bytes(quantity.bytes(old.size)), text.bytes(quantity.bytes(volume.size)), class.metadata.name]))
}

findings contains f if {
	fault := model.cluster.ungrown
	f := finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure]))
}
