# METADATA
# description: |
#   The volumes that a cluster asks for, joined with the StorageClass and VolumeAttributesClass they name. This is what
#   a storage vendor reads; what the vendors make of it is joined again in walguard.model.
#
#   claims[id] (id: index of the instance set, a slash, the role: "0/data", "0/wal", "0/tablespace/3"), every field but id, set, role and path absent when unknown:
#     set                  name of the instance set
#     role                 "data", "wal" or "tablespace"; a set without a WAL volume keeps WAL on data
#     tablespace, temporary    name of the tablespace; true where it holds temporary objects only
#     shared               true when data and WAL share the volume
#     path                 path of the claim in the resource; size_path, class_path likewise for the two fields
#     resource             reference of the object that path leads into, when it is not the one under review
#     size_bytes           requested size
#     class_name           StorageClass by name
#     static               true where the class is "", which is none: a PersistentVolume without a class serves the claim, or none does
#     class                the StorageClass object, when in sight
#     provisioner          its provisioner, or that of a disk which is stated
#     disk_name, filesystem    of a disk which is stated (see walguard.model)
#     parameters           its parameters, keys in lower case, values as text; those of the VolumeAttributesClass and of the claim itself win
#     mount_options        its mountOptions, or those of the PersistentVolume
#     persistent           the PersistentVolume that it is bound to by name, or can only be bound to, when in sight
#     named                the PersistentVolume that it names, when in sight
#     picked               what the claim takes instead of a volume that its class makes, in words: where it names a PersistentVolume or picks one by labels, the class says nothing of the disk
#     attributes_class     the VolumeAttributesClass object, when in sight
#     unfilled             true when a parameter that decides what the disk can do is not filled in yet (walguard.lib.placeholder)
#     demand               {"bytes_per_second", "origin": "stated" | "cpu", "cores_thousandths"?}: what the volume must carry
package walguard.model.claims

import data.walguard.index
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.model.wishes
import data.walguard.storage.network

# The largest quantity that Kubernetes holds; nothing larger, nor a size below one byte, is a size.
max_quantity := 9223372036854775807

# METADATA
# description: The one cluster that the review is about, as an operator adapter reads it. At most one adapter recognises a resource.
cluster := index.clusters[operator]

# METADATA
# description: The package of that adapter.
operator := all[0] if {
	all := [name | some name, _ in index.clusters]
	count(all) > 0
}

# {key: v | v := f(x)} is the idiom throughout: the fact where there is one, {} where it is unknown, and f asked once.
claims[id] := claim if {
	some i, set in get.list(cluster, "instance_sets")
	some [place, role, written_volume] in volumes_of(set)
	volume := as_made(role, as_annotated(written_volume))
	id := sprintf("%d/%s", [i, place])
	storage_class := {"class": found | found := class_of(volume)}
	attributes_class := {"attributes_class": found | found := inventory.volume_attributes_class(volume.attributes_class)}
	parameters := object.union_n([
		lower_keys(get.map(storage_class, ["class", "parameters"])),
		lower_keys(get.map(attributes_class, ["attributes_class", "parameters"])),
		lower_keys(get.map(volume, "parameters")),
	])
	separate := {"wal"} & object.keys(set)
	claim := object.union_n([
		{"set": set.name, "role": role, "shared": count(separate) == 0, "path": volume.path, "parameters": parameters},
		object.filter(volume, ["size_path", "class_path", "resource", "own", "ephemeral", "left_behind", "provisioner", "disk_name", "filesystem", "temporary", "many", "mixed"]),
		{"tablespace": name | role == "tablespace"; name := volume.name},
		{"size_bytes": n | n := quantity.bytes(volume.size); n > 0; n <= max_quantity},
		{"class_name": name | name := get.string(volume, "class")},
		{"static": true | object.get(volume, "class", null) == ""},
		storage_class,
		{"unfilled": true | unfilled(parameters)},
		{"provisioner": text | text := get.string(storage_class.class, "provisioner")},
		{"mount_options": options | options := mount_options(storage_class.class)},
		object.union_n([found | found := by_hand(volume)]),
		{"named": found | found := persistent_volumes[volume.volume_name]},
		{"picked": words | words := picked(volume)},
		attributes_class,
		{"demand": demand | role != "tablespace"; demand := demand_of(set, count(separate) + 1)},
	])
}

# What a vendor makes of iops: ${IOPS} is nothing.
unfilled(parameters) if {
	some key, value in parameters
	not contains(key, "fstype")
	placeholder.unknown(value)
}

volumes_of(set) := array.concat(
	[[role, role, volume] | some role in ["data", "wal"]; volume := set[role]],
	[[sprintf("tablespace/%d", [i]), "tablespace", volume] | some i, volume in get.list(set, "tablespaces")],
)

# An annotation of old comes before the field (kubernetes, pkg/apis/core/v1/helper, GetPersistentVolumeClaimClass). These are the ones that operators, or a StatefulSet, write on their claims.
as_annotated(volume) := object.union(volume, {"class": annotated}) if {
	annotated
	not volume.resource
} else := volume

annotated := found[0] if {
	found := [class |
		some path in array.concat(
			array.concat(
				[["metadata"], ["spec", "metadata"], ["spec", "inheritedMetadata"]],
				[["spec", "metadata", "annotations", kind] | some kind, _ in get.map(k8s.object, ["spec", "metadata", "annotations"])],
			),
			array.concat(
				array.concat(
					[["spec", "instances", i, "metadata"] | some i, _ in get.list(k8s.object, ["spec", "instances"])],
					[["spec", "volumeClaimTemplates", i, "metadata"] | some i, _ in get.list(k8s.object, ["spec", "volumeClaimTemplates"])],
				),
				[array.concat(["spec", "componentSpecs", i], below) |
					some i, component in get.list(k8s.object, ["spec", "componentSpecs"])
					some below in array.concat([[]], [["volumeClaimTemplates", j] | some j, _ in get.list(component, "volumeClaimTemplates")])
				],
			),
		)
		some below in [["annotations"], []]
		class := get.string(k8s.object, array.concat(array.concat(path, below), [mount.class_annotation]))
	]
	count(found) > 0
}

# A claim that is there already under the name which a template will give it is the one that the pod takes: it may be smaller, and of another class. What grows a claim, as operators
# do, makes nothing of a class.
as_made(role, volume) := object.union(volume, made_before[0]) if {
	role == "data"
	count(made_before) > 0
	not volume.resource
	count(get.list(cluster, "instance_sets")) == 1
} else := volume

made_before := [object.union({"path": ["spec"], "resource": k8s.reference(claim)}, object.union_n(other)) |
	pattern := cluster.data_claims
	set := cluster.instance_sets[0].data
	some name, claim in inventory.by_name(k8s.namespace, "v1", "PersistentVolumeClaim")
	regex.match(pattern, name)
	other := array.concat(
		[{"class": class, "class_path": ["spec", "storageClassName"]} |
			class := mount.class_of(claim)
			class != object.get(set, "class", "")
		],
		[{"size": size, "size_path": ["spec", "resources", "requests", "storage"]} |
			cluster.claims_stay
			size := get.string(claim, ["spec", "resources", "requests", "storage"])
			quantity.bytes(size) < quantity.bytes(set.size)
		],
	)
	count(other) > 0
]

class_of(volume) := inventory.storage_class(volume.class) if is_string(volume.class)

# No name at all asks for the default class; null is no name.
class_of(volume) := inventory.default_storage_class if not is_string(object.get(volume, "class", null))

# METADATA
# description: The mountOptions of a StorageClass, or of the spec of a PersistentVolume, that are text.
mount_options(parent) := [option | some option in get.list(parent, "mountOptions"); is_string(option)]

# What somebody made by hand: the PersistentVolume that the claim names, one that names the claim, or one of the claim's class where no
# StorageClass of that name is in sight and all of its volumes are of one driver.
by_hand(volume) := object.union_n([
	{"persistent": found},
	{"mount_options": options | options := mount_options(get.map(found, "spec")); count(options) > 0},
	{"provisioner": driver | driver := mount.driver_of(get.map(found, "spec")); of_files(driver)},
]) if {
	not volume.ephemeral
	not class_of(volume)
	count(persistent_volumes) > 0
	found := persistent(volume)
}

persistent(volume) := persistent_volumes[volume.volume_name]

persistent(volume) := kept[0] if {
	not volume.volume_name
	kept := [one |
		some one in persistent_volumes
		get.string(one, ["spec", "claimRef", "name"]) == volume.resource.name
		get.string(one, ["spec", "claimRef", "namespace"]) == volume.resource.namespace
	]
	count(kept) > 0
} else := alike[0] if {
	not volume.volume_name
	is_string(volume.class)
	alike := [one |
		some one in persistent_volumes
		object.get(one, ["spec", "storageClassName"], "") == volume.class
		not get.present(one, ["spec", "claimRef"])
		selected(one, volume)
	]
	count({driver | some one in alike; driver := driver_or_none(one)}) == 1
}

selected(one, volume) if {
	labels := object.get(one, ["metadata", "labels"], {})
	count([1 | some key, value in labels_wanted(volume); object.get(labels, key, null) != value]) == 0
}

labels_wanted(volume) := get.map(inventory.namespaced_object(volume.resource.namespace, "v1", "PersistentVolumeClaim", volume.resource.name), ["spec", "selector", "matchLabels"]) if {
	volume.resource
} else := get.map(k8s.object, array.concat(volume.path, ["selector", "matchLabels"]))

# One that the class made is called after the uid of its claim, or has the driver of the class; the API server gives the uid.
picked(volume) := sprintf("PersistentVolume %s, which the claim names", [volume.volume_name]) if {
	volume.volume_name
	not made_by_class(volume.volume_name, claim_of(volume), class_of(volume))
} else := "a PersistentVolume that the claim picks by its selector" if {
	get.present(volume, "selector")
	not volume.volume_name
}

claim_of(volume) := inventory.namespaced_object(volume.resource.namespace, "v1", "PersistentVolumeClaim", volume.resource.name) if {
	volume.resource
} else := {}

# METADATA
# description: True where a PersistentVolume of this name is one that a StorageClass made for the claim, as far as that can be known.
made_by_class(name, claim, _) if {
	k8s.operation
	name == sprintf("pvc-%s", [get.string(claim, ["metadata", "uid"])])
}

made_by_class(name, _, class) if {
	one := persistent_volumes[name]
	get.string(one, ["spec", "csi", "driver"]) == get.string(class, "provisioner")
	object.get(one, ["spec", "storageClassName"], "") == get.string(class, ["metadata", "name"])
}

# Of a disk made by hand its driver says nothing: how fast it is follows from parameters that are nowhere.
of_files(driver) if network.drivers[driver]

of_files(driver) if endswith(driver, "cephfs.csi.ceph.com")

driver_or_none(one) := mount.driver_of(one.spec)

driver_or_none(one) := "" if not mount.driver_of(one.spec)

persistent_volumes := inventory.cluster_by_name("v1", "PersistentVolume")

# Drivers take the keys in any case. Which of two that differ in nothing else counts is left to chance (GetCaseInsensitiveMap of OpenEBS walks a Go map): both values together are none that a vendor knows.
lower_keys(parameters) := {name: concat(" or ", texts) |
	some name in {get.lower_case(of) | some of, _ in parameters}
	texts := {text | some of, value in parameters; get.lower_case(of) == name; text := get.text(value)}
	count(texts) > 0
}

# METADATA
# description: |
#   What an instance set must be able to write: the annotation walguard.dev/required-throughput of the cluster where it
#   states one ("350MB/s"), else its CPU cores times a setting: measured, 16.9 MB/s a core
#   took throughput to 0 and 39 MB/s a core was calm. A set with a WAL volume of its own spreads it over both evenly.
demand_of(set, volumes) := object.union(demand, {"bytes_per_second": floor(demand.bytes_per_second / volumes)}) if {
	demand := whole_demand(set)
}

whole_demand(_) := stated_demand

whole_demand(set) := {"bytes_per_second": (cores * mbps) * 1000, "origin": "cpu", "cores_thousandths": cores} if {
	not stated_demand
	cores := cpu_thousandths(set)
	mbps := settings.number("storage/bandwidth_below_demand", "mbps_per_core")
}

# The limit is what the server can use; where only a request is written, that is what it was sized for.
cpu_thousandths(set) := cores[0] if {
	cores := [n |
		some kind in ["limits", "requests"]
		n := quantity.thousandths(set.resources[kind].cpu)
	]
}

stated_demand := {"bytes_per_second": n, "origin": "stated"} if {
	n := wishes.required_throughput
}
