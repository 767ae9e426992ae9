# METADATA
# title: The StorageClass does not exist
# description: |
#   A claim that names a StorageClass that does not exist stays pending, and no instance starts. Reported where the whole cluster is
#   known, and for names that no StorageClass can have (lower case letters, digits, - and . only): the API server refuses
#   such a claim. A name without a StorageClass also binds volumes created by hand: where a PersistentVolume carries it there is no
#   finding, and where PersistentVolumes were not read it is a warning. A VolumeSnapshotClass in the place of a StorageClass is reported where its name
#   speaks of snapshots, and the reverse in the backups of CloudNativePG where the same driver has a VolumeSnapshotClass of another name: the two kinds
#   often share a name (longhorn, ceph-block), and charts create one of them. A claim that names no class gets the default one, and stays pending where there is none: reported where all classes of a cluster are in sight and none is the default,
#   and as info of files that bring one class or two of their own, neither of them the default nor named by a volume of this cluster.
# related_resources:
#   - https://kubernetes.io/docs/concepts/storage/storage-classes/
#   - https://github.com/jonwiggins/optio/pull/577
#   - https://github.com/bitnami/charts/issues/9410
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Name a StorageClass that exists, or create it.
#   sources: []
package walguard.checks.storage.class_missing

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	model.complete
	some id, volume in model.all_volumes
	leads(id, volume)
	possible(volume.class_name)
	not volume.class_name in made_by_hand
	f := told(id, volume, severity, sprintf("does not exist, and the claim stays pending%s. %s", [unless_by_hand, there_are]))
}

findings contains f if {
	some id, volume in model.all_volumes
	leads(id, volume)
	not possible(volume.class_name)
	not filled_in(volume.class_name)
	f := told(id, volume, "error", "cannot exist: the API server takes lower case letters, digits, - and . only, and refuses the claim")
}

# STORAGE_CLASS and the like wait for sed; in a cluster they are what will be asked for.
filled_in(name) if {
	placeholder.honoured
	regex.match(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`, name)
}

# A StorageClass that a chart creates may have the name, too, unless the name speaks of snapshots.
findings contains f if {
	some id, volume in model.all_volumes
	leads(id, volume)
	volume.class_name in object.keys(snapshot_classes)
	contains(volume.class_name, "snap")
	not model.complete
	f := told(id, volume, "error", "is a VolumeSnapshotClass, and no StorageClass: the claim stays pending")
}

findings contains f if {
	some asked in get.list(model.cluster, "snapshot_classes")
	not asked.name in object.keys(snapshot_classes)
	driver := get.string(inventory.storage_class(asked.name), ["provisioner"])
	some other in snapshot_classes
	get.string(other, ["driver"]) == driver
	f := finding.at(asked, sprintf("VolumeSnapshotClass %s of the backups is a StorageClass: no snapshot is taken, and every backup fails. Name a VolumeSnapshotClass of the same driver.", [asked.name]))
}

snapshot_classes := inventory.cluster_by_name("snapshot.storage.k8s.io/v1", "VolumeSnapshotClass")

told(id, volume, grade, clause) := finding.with_severity(
	finding.at(
		disk.place(volume, "class_path"),
		sprintf("StorageClass %s of the %s %s.", [volume.class_name, disk.label(model.all_volumes, id), clause]),
	),
	grade,
)

# The first volume of every name tells it.
leads(id, volume) if {
	missing(volume)
	id == min([other | some other, v in model.all_volumes; missing(v); v.class_name == volume.class_name])
}

missing(volume) if {
	volume.class_name != ""
	not placeholder.unknown(volume.class_name)
	not volume.class
}

possible(name) if regex.match(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`, name)

persistent_volumes := inventory.cluster_by_name("v1", "PersistentVolume")

made_by_hand := {name |
	some volume in persistent_volumes
	name := get.string(volume, ["spec", "storageClassName"])
}

severity := "error" if count(persistent_volumes) > 0

severity := "warning" if count(persistent_volumes) == 0

unless_by_hand := "" if count(persistent_volumes) > 0

unless_by_hand := " unless a volume created by hand has that name" if count(persistent_volumes) == 0

names := sort([name | some name, _ in inventory.cluster_by_name("storage.k8s.io/v1", "StorageClass")])

there_are := sprintf("There are %s", [text.list(array.slice(names, 0, 8), "and")]) if count(names) > 1

there_are := sprintf("There is %s", [names[0]]) if count(names) == 1

there_are := "There is none at all" if count(names) == 0

# ------------------------------------------------------------------------------------------------- no class by default

# The first volume tells it.
findings contains f if {
	ids := [id | some id, volume in model.all_volumes; without_class(volume)]
	count(ids) > 0
	count(inventory.cluster_by_name("storage.k8s.io/v1", "StorageClass")) > 0
	count(marked) == 0
	count([1 | some volume in persistent_volumes; get.text_at(volume, ["spec", "storageClassName"]) in {"", null}]) == 0
	count([1 | some volume in persistent_volumes; not get.present(volume, ["spec", "storageClassName"])]) == 0
	grade := grade_of_default
	f := finding.with_severity(
		finding.at(
			disk.place(model.all_volumes[min(ids)], "class_path"),
			sprintf("The claim of the %s names no StorageClass, and %s: %s. Write storageClassName in the claim, or mark a class as the default.", [
				disk.label(model.all_volumes, min(ids)),
				no_default,
				pending[grade],
			]),
		),
		grade,
	)
}

without_class(volume) if {
	not get.present(volume, "class_name")
	not volume.class
	not volume.named
	not volume.ephemeral
	not volume.provisioner
	not volume.disk_name
	made := holder(volume)
	not is_string(object.get(made, object.get(volume, "class_path", []), null))
	count([1 | some field in ["volumeName", "selector"]; get.present(made, array.concat(volume.path, [field]))]) == 0
}

# An empty name is one: that of no class.
holder(volume) := inventory.namespaced_object(volume.resource.namespace, "v1", "PersistentVolumeClaim", volume.resource.name) if volume.resource

holder(volume) := k8s.object if not volume.resource

marks := ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]

marked := {name |
	some name, class in inventory.cluster_by_name("storage.k8s.io/v1", "StorageClass")
	some mark in marks
	said := get.text_at(class, ["metadata", "annotations", mark])
	said != "false"
}

grade_of_default := "error" if {
	model.complete
	count(persistent_volumes) > 0
} else := "warning" if {
	model.complete
} else := "info" if {
	# Files leave classes to somebody else, and one that another volume names is there for that one. Many are a collection of examples.
	not inventory.served
	count(of_disks) in {1, 2}
	count([1 | some volume in model.all_volumes; volume.class_name]) == 0
}

# Classes that make a volume.
of_disks := [class |
	some class in inventory.cluster_objects("storage.k8s.io/v1", "StorageClass")
	not get.string(class, "provisioner") in {"", "kubernetes.io/no-provisioner"}
]

no_default := sprintf("%s %s not the default", [text.list(array.slice(names, 0, 8), "and"), {true: "is", false: "are"}[count(names) == 1]])

pending := {
	"error": "it stays pending, and the server does not start",
	"warning": "it stays pending where no other class is",
	"info": "it stays pending unless the Kubernetes cluster has another that is",
}
