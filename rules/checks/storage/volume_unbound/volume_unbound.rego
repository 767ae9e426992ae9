# METADATA
# title: The claim does not bind to the volume that it names
# description: |
#   A claim that names a PersistentVolume (volumeName) binds to it only when both are of one class and the volume is as large as the request; otherwise
#   it stays Pending, and so does the pod: "Cannot bind to requested volume: storageClassName does not match". A claim without storageClassName gets the
#   default class, whatever its volume says, which is a warning here, since the default may be that very class. Looked at are claims and
#   PersistentVolumes that were both found.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume
#   - https://github.com/testdrivenio/flask-vue-kubernetes/pull/1
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Give the claim the class of the PersistentVolume and at most its size; storageClassName "" for one without a class.
#   sources: []
package walguard.checks.storage.volume_unbound

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.model

findings contains f if {
	some id, volume in model.all_volumes
	given := object.get(volume.named, ["spec", "storageClassName"], "")
	asked := volume.class_name
	given != asked
	not placeholder.holds(asked)
	not placeholder.holds(given)
	f := told(id, volume, "class_path", sprintf("its storageClassName is %s, that of the claim %s", [quoted(given), asked]), "Write the same for both")
}

# Without a name it is the default class, and "" is no name.
findings contains f if {
	some id, volume in model.all_volumes
	given := get.string(volume.named, ["spec", "storageClassName"])
	not volume.class_name
	not placeholder.holds(given)
	not given in usual_defaults
	not inventory.storage_class(given)
	f := finding.with_severity(
		told(id, volume, "class_path", sprintf("its storageClassName is %s, and the claim has none, so that it gets the default class", [given]), sprintf("Write storageClassName: %s in the claim", [given])),
		"warning",
	)
}

findings contains f if {
	some id, volume in model.all_volumes
	capacity := get.text_at(volume.named, ["spec", "capacity", "storage"])
	quantity.bytes(capacity) < volume.size_bytes
	f := told(id, volume, "size_path", sprintf("it has %s, and the claim asks for %s", [capacity, disk.size_text(volume.size_bytes)]), "Ask for no more")
}

told(id, volume, field, reason, cure) := finding.at(disk.place(volume, field), sprintf("The claim of the %s does not bind to PersistentVolume %s: %s. %s.", [
	disk.label(model.all_volumes, id),
	volume.named.metadata.name,
	reason,
	cure,
]))

quoted("") := `""`

quoted(name) := name if name != ""

# What distributions call the class that is the default from the start.
usual_defaults := {"default", "do-block-storage", "gp2", "gp3", "hostpath", "local-path", "longhorn", "managed-csi", "managed-premium", "premium-rwo", "standard", "standard-rwo"}
