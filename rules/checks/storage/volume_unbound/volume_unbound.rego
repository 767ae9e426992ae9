# METADATA
# title: The claim does not bind to the volume that is there for it
# description: |
#   A claim that names a PersistentVolume (volumeName) binds to it only when both are of one class and the volume is as large as the request; otherwise
#   it stays Pending, and so does the pod: "Cannot bind to requested volume: storageClassName does not match". A claim without storageClassName gets the
#   default class, whatever its volume says, which is a warning here, since the default may be that very class; one with storageClassName "" gets none, and binds to a volume without a class alone.
#   So does a claim whose selector picks volumes of another class only (a warning). A claim of a class that provisions nothing binds to a PersistentVolume of
#   the class that is large enough and has all its access modes: of one with ReadWriteMany alone a claim for ReadWriteOnce stays Pending. Looked at are claims and
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
import data.walguard.lib.k8s
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

# "" asks for a volume without a class.
findings contains f if {
	some id, volume in model.all_volumes
	volume.static
	given := get.string(volume.named, ["spec", "storageClassName"])
	not placeholder.holds(given)
	f := told(id, volume, "class_path", sprintf("its storageClassName is %s, and the claim asks for none (\"\")", [given]), sprintf("Write storageClassName: %s in the claim", [given]))
}

# Without the field it is the default class.
findings contains f if {
	some id, volume in model.all_volumes
	given := get.string(volume.named, ["spec", "storageClassName"])
	not volume.class_name
	not volume.static
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

# What a claim's selector picks is meant for it; a volume of another class it never gets.
findings contains f if {
	some id, volume in model.all_volumes
	not volume.named
	asked := class_asked(volume)
	not placeholder.holds(asked)
	wanted := labels_wanted(volume)
	picked := [one |
		some one in inventory.cluster_by_name("v1", "PersistentVolume")
		not get.present(one, ["spec", "claimRef"])
		object.filter(get.map(one, ["metadata", "labels"]), object.keys(wanted)) == wanted
	]
	count(picked) > 0
	given := {object.get(one, ["spec", "storageClassName"], "") | some one in picked}
	not asked in given
	count([1 | some one in given; placeholder.holds(one)]) == 0
	f := finding.with_severity(
		finding.at(disk.place(volume, "class_path"), sprintf("No PersistentVolume that the selector of the claim of the %s picks has class %s: that of %s is %s, and the claim stays Pending. Write the same for both.", [
			disk.label(model.all_volumes, id),
			quoted(asked),
			picked[0].metadata.name,
			quoted(object.get(picked[0], ["spec", "storageClassName"], "")),
		])),
		"warning",
	)
}

class_asked(volume) := volume.class_name

class_asked(volume) := "" if volume.static

labels_wanted(volume) := wanted if {
	volume.resource
	wanted := get.map(inventory.namespaced_object(volume.resource.namespace, "v1", "PersistentVolumeClaim", volume.resource.name), ["spec", "selector", "matchLabels"])
	count(wanted) > 0
} else := wanted if {
	not volume.resource
	wanted := get.map(k8s.object, array.concat(volume.path, ["selector", "matchLabels"]))
	count(wanted) > 0
}

# Of a class without a provisioner only a PersistentVolume can serve the claim; of a class that is not found one that lies beside it is meant for it.
findings contains f if {
	some id, volume in model.all_volumes
	not volume.named
	volume.class_name != ""
	not placeholder.unknown(volume.class_name)
	level := static[kind_of(volume)]
	candidates := [one | some one in inventory.cluster_by_name("v1", "PersistentVolume"); get.string(one, ["spec", "storageClassName"]) == volume.class_name; free(one, volume)]
	count(candidates) > 0
	count([1 | some one in candidates; count(faults(one, volume)) == 0]) == 0
	first := [one | some one in candidates; get.string(one, ["metadata", "name"]) == min([name | some other in candidates; name := get.string(other, ["metadata", "name"])])][0]
	fault := faults(first, volume)[0]
	f := finding.with_severity(
		finding.at(disk.place(volume, fault.field), sprintf("No PersistentVolume of class %s serves the claim of the %s: %s %s. %s.", [volume.class_name, disk.label(model.all_volumes, id), get.string(first, ["metadata", "name"]), fault.reason, fault.cure])),
		level,
	)
}

static := {"static": "error", "unknown": "warning"}

kind_of(volume) := "static" if volume.class.provisioner == "kubernetes.io/no-provisioner"

kind_of(volume) := "unknown" if {
	not volume.class
	not volume.class_name in usual_defaults
}

# One that is kept for another claim serves this one in no case.
free(one, _) if not get.present(one, ["spec", "claimRef"])

free(one, volume) if {
	get.present(one, ["spec", "claimRef"])
	get.string(one, ["spec", "claimRef", "name"]) == volume.resource.name
	get.string(one, ["spec", "claimRef", "namespace"]) == volume.resource.namespace
}

faults(one, volume) := array.concat(
	[{"field": "size_path", "reason": sprintf("has %s, and the claim asks for %s", [capacity, disk.size_text(volume.size_bytes)]), "cure": "Ask for no more"} |
		capacity := get.text_at(one, ["spec", "capacity", "storage"])
		quantity.bytes(capacity) < volume.size_bytes
	],
	[{"field": "path", "reason": sprintf("has the access modes %s, and the claim asks for %s", [concat(", ", given), concat(", ", missing)]), "cure": "Write the same accessModes in both"} |
		given := get.list(one, ["spec", "accessModes"])
		count(given) > 0
		missing := [mode | some mode in modes_of(volume); not mode in given]
		count(missing) > 0
	],
)

modes_of(volume) := get.list(inventory.namespaced_object(volume.resource.namespace, "v1", "PersistentVolumeClaim", volume.resource.name), ["spec", "accessModes"]) if volume.resource

modes_of(volume) := written_modes(volume) if not volume.resource

# Operators ask for ReadWriteOnce unless they are told otherwise.
written_modes(volume) := modes[0] if {
	modes := [found |
		some within in [[], ["pvcTemplate"]]
		found := get.list(k8s.object, array.concat(array.concat(volume.path, within), ["accessModes"]))
		count(found) > 0
	]
	count(modes) > 0
} else := ["ReadWriteOnce"]

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
