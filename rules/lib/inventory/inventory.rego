# METADATA
# description: |
#   Objects other than the one under review, in Gatekeeper's layout:
#   {"cluster": {apiVersion: {kind: {name: object}}}, "namespace": {ns: {apiVersion: {kind: {name: object}}}}, "complete": bool}.
#   `input.inventory` wins over `data.inventory`. complete says that absence means "does not exist"; without it an
#   object that is not here is simply not in sight. live says that the objects come from an API server, but for those in
#   "files" (the same layout, true for each object); in an admission review, and in `data`, they do.
# custom:
#   kinds:
#     - {group: storage.k8s.io, versions: [v1], kind: StorageClass, plural: storageclasses, namespaced: false, role: support}
#     - {group: storage.k8s.io, versions: [v1, v1beta1, v1alpha1], kind: VolumeAttributesClass, plural: volumeattributesclasses, namespaced: false, role: support}
#     - {group: snapshot.storage.k8s.io, versions: [v1], kind: VolumeSnapshotClass, plural: volumesnapshotclasses, namespaced: false, role: support, served: false}
#     - {group: "", versions: [v1], kind: PersistentVolume, plural: persistentvolumes, namespaced: false, role: support, fields: [spec.accessModes, spec.azureFile, spec.capacity, spec.cephfs, spec.claimRef, spec.csi.driver, spec.glusterfs, spec.mountOptions, spec.nfs, spec.storageClassName]}
package walguard.lib.inventory

import data.walguard.lib.get
import data.walguard.lib.index
import data.walguard.lib.k8s

given if {
	is_object(input)
	is_object(input.inventory)
}

# METADATA
# description: The inventory as the host gave it, {} where it gave none.
handed := input.inventory if given

handed := {} if not given

# What stands in `data` is named down to the leaf: OPA makes terms of all that a reference names, at every evaluation, and
# Gatekeeper's inventory holds every object of its cluster.
complete if {
	given
	input.inventory.complete == true
}

complete if {
	not given
	data.inventory.complete == true
}

# METADATA
# description: The severity of parameters that stand where walguard does not read. In a cluster nothing will read them later.
unread := "warning" if complete

unread := "info" if not complete

# METADATA
# description: True where the objects come from an API server, but for those of files.
live if k8s.operation

live if input.inventory.live == true

live if not given

# METADATA
# description: True where a host of a live cluster asks, about one of its objects.
served if k8s.operation

served if input.inventory.live == true

# METADATA
# description: True of an object in sight that was read from a file.
from_file(o) if input.inventory.files.namespace[o.metadata.namespace][o.apiVersion][o.kind][o.metadata.name]

from_file(o) if {
	not get.string(o, ["metadata", "namespace"])
	input.inventory.files.cluster[o.apiVersion][o.kind][o.metadata.name]
}

# METADATA
# description: A cluster-scoped object, undefined when it is not in sight.
cluster_object(api_version, kind, name) := found if {
	given
	found := input.inventory.cluster[api_version][kind][name]
	is_object(found)
}

cluster_object(api_version, kind, name) := found if {
	not given
	found := data.inventory.cluster[api_version][kind][name]
	is_object(found)
}

# METADATA
# description: A namespaced object, undefined when it is not in sight.
namespaced_object(namespace, api_version, kind, name) := found if {
	given
	found := input.inventory.namespace[namespace][api_version][kind][name]
	is_object(found)
}

namespaced_object(namespace, api_version, kind, name) := found if {
	not given
	found := data.inventory.namespace[namespace][api_version][kind][name]
	is_object(found)
}

# METADATA
# description: All cluster-scoped objects of a kind by name, {} when there are none in sight.
cluster_by_name(api_version, kind) := get.map(input.inventory, ["cluster", api_version, kind]) if given

cluster_by_name(api_version, kind) := {name: o |
	some name, o in data.inventory.cluster[api_version][kind]
} if {
	not given
}

# METADATA
# description: All cluster-scoped objects of a kind as a list, [] when there are none in sight.
cluster_objects(api_version, kind) := [o |
	some o in cluster_by_name(api_version, kind)
	is_object(o)
]

# METADATA
# description: The versions of the API that files have objects of in a namespace; undefined where an API server has them.
versions(namespace) := object.keys(get.map(input.inventory, ["namespace", namespace])) if {
	given
	not served
}

# METADATA
# description: All objects of a kind in a namespace by name, {} when there are none in sight.
by_name(namespace, api_version, kind) := found if {
	found := handed.namespace[namespace][api_version][kind]
	is_object(found)
} else := {name: o |
	some name, o in data.inventory.namespace[namespace][api_version][kind]
} if {
	not given
} else := {}

# METADATA
# description: All objects of a kind in a namespace as a list, [] when there are none in sight.
list(namespace, api_version, kind) := [o |
	some o in by_name(namespace, api_version, kind)
	is_object(o)
]

# METADATA
# description: All objects of a kind in all namespaces as a list, [] when there are none in sight.
everywhere(api_version, kind) := [o |
	some versions in get.map(input.inventory, "namespace")
	some o in versions[api_version][kind]
	is_object(o)
] if {
	given
}

everywhere(api_version, kind) := [o |
	some namespace in namespaces
	some o in data.inventory.namespace[namespace][api_version][kind]
	is_object(o)
] if {
	not given
}

# METADATA
# description: The clusters of a kind in all namespaces that were made from others, as a list.
copies(api_version, kind) := [copy.object |
	some copy in index.copies(get.map(input.inventory, "namespace"))
	copy.kind == kind
	copy.apiVersion == api_version
] if {
	given
}

copies(api_version, kind) := [o |
	some o in everywhere(api_version, kind)
	index.is_copy(o)
] if {
	not given
}

# METADATA
# description: The objects of a kind in a namespace that name a cluster, as a list.
of_cluster(namespace, api_version, kind, cluster) := object.get(index.by_cluster(by_name(namespace, api_version, kind)), cluster, [])

# METADATA
# description: The same among files alone, so that no kind is watched in all namespaces for it.
in_all_files(api_version, kind) := everywhere(api_version, kind) if not served

namespaces := object.keys(get.map(input.inventory, "namespace")) if given

namespaces := {namespace | some namespace, _ in data.inventory.namespace} if not given

# METADATA
# description: |
#   The namespaces of the objects of a kind and name, where the objects say so themselves. Of files alone: a live cluster has what it has, and nobody looks through all of
#   it for a name.
holders(api_version, kind, name) := {namespace |
	given
	not served
	few_namespaces
	some namespace, versions in get.map(input.inventory, "namespace")
	o := versions[api_version][kind][name]
	get.string(o, ["metadata", "namespace"]) == namespace
}

# METADATA
# description: |
#   The other objects of the kind of the one under review that may keep something in the same places (texts, their parts between slashes),
#   [{"title": "namespace/name", "object"}]. A place with the object's name as a part is another's only under that name in another
#   namespace; one with the namespace as well is its own, and whoever copied it is told himself. Elsewhere everybody may use it. In an
#   admission review always; a run over many files would look at each with each, so that none are given there beyond 100 namespaces, or
#   300 objects for everybody.
neighbours(places) := everybody if {
	count(unmarked(places, k8s.name)) > 0
} else := namesakes if {
	count(unmarked(places, k8s.namespace)) > 0
} else := []

unmarked(places, name) := [place | some place in places; not name in split(place, "/")]

# Written out for both sources, since a call for every namespace costs ten times as much.
namesakes := [{"title": title, "object": o} |
	few_namespaces
	key := [k8s.api_version, k8s.kind, k8s.name, k8s.namespace]
	some namespace, versions in get.map(input.inventory, "namespace")
	namespace != key[3]
	o := versions[key[0]][key[1]][key[2]]
	is_object(o)
	title := sprintf("%s/%s", [namespace, key[2]])
] if {
	given
}

namesakes := [{"title": title, "object": o} |
	few_namespaces
	key := [k8s.api_version, k8s.kind, k8s.name, k8s.namespace]
	some namespace in namespaces
	namespace != key[3]
	o := data.inventory.namespace[namespace][key[0]][key[1]][key[2]]
	is_object(o)
	title := sprintf("%s/%s", [namespace, key[2]])
] if {
	not given
}

everybody := [{"title": title, "object": o} |
	few_objects
	key := [k8s.api_version, k8s.kind, k8s.name, k8s.namespace]
	some namespace, versions in get.map(input.inventory, "namespace")
	is_object(versions)
	some name, o in get.map(versions, [key[0], key[1]])
	is_object(o)
	[namespace, name] != [key[3], key[2]]
	title := sprintf("%s/%s", [namespace, name])
] if {
	given
}

everybody := [{"title": title, "object": o} |
	few_objects
	key := [k8s.api_version, k8s.kind, k8s.name, k8s.namespace]
	some namespace in namespaces
	some name, o in data.inventory.namespace[namespace][key[0]][key[1]]
	is_object(o)
	[namespace, name] != [key[3], key[2]]
	title := sprintf("%s/%s", [namespace, name])
] if {
	not given
}

few_namespaces if k8s.operation

few_namespaces if {
	not k8s.operation
	count(namespaces) <= 100
}

few_objects if k8s.operation

few_objects if {
	not k8s.operation
	few_namespaces
	sum([n | some namespace in namespaces; n := count(by_name(namespace, k8s.api_version, k8s.kind))]) <= 300
}

# METADATA
# description: |
#   The StorageClass that a claim of this name gets. No name: the class marked as default, where exactly one is in
#   sight and the inventory is complete. An empty name ("") means a statically provisioned volume: no class.
storage_class(name) := cluster_object("storage.k8s.io/v1", "StorageClass", name)

# METADATA
# description: The default StorageClass, known only from a complete inventory.
default_storage_class := class if {
	complete
	classes := [c |
		some c in cluster_objects("storage.k8s.io/v1", "StorageClass")
		get.string(c, ["metadata", "annotations", "storageclass.kubernetes.io/is-default-class"]) == "true"
	]
	count(classes) == 1
	class := classes[0]
}

# METADATA
# description: A VolumeAttributesClass of any served version, undefined when it is not in sight.
volume_attributes_class(name) := found if {
	versions := ["storage.k8s.io/v1", "storage.k8s.io/v1beta1", "storage.k8s.io/v1alpha1"]
	all := [o | some v in versions; o := cluster_object(v, "VolumeAttributesClass", name)]
	count(all) > 0
	found := all[0]
}

# METADATA
# description: The inventory with an object – at the place of `known`, which may be the same object in an earlier state.
with_object(known, content) := at_place(known, object.union(others(known), {known.metadata.name: content}))

# METADATA
# description: The inventory without an object.
without_object(known) := at_place(known, others(known))

# All of it, which in Gatekeeper is worth the while for nothing but a change of what clusters depend on.
tree := input.inventory if given

tree := data.inventory if not given

others(known) := object.remove(get.map(tree, array.concat(root(known), [home_version(known), known.kind])), [known.metadata.name])

root(known) := ["namespace", known.metadata.namespace] if {
	known.metadata.namespace
} else := ["cluster"]

# A kind is watched in one of its versions; the API server may send another.
home_version(known) := watched[0] if {
	watched := sort([api_version |
		some api_version, kinds in get.map(tree, root(known))
		k8s.group_of(api_version) == k8s.group_of(known.apiVersion)
		is_object(kinds[known.kind])
	])
	count(watched) > 0
} else := known.apiVersion

at_place(known, objects) := put(tree, "namespace", put(namespaces, namespace, put(versions, version, put(kinds, known.kind, objects)))) if {
	namespace := known.metadata.namespace
	namespaces := get.map(tree, "namespace")
	versions := get.map(namespaces, namespace)
	version := home_version(known)
	kinds := get.map(versions, version)
} else := put(tree, "cluster", put(versions, version, put(kinds, known.kind, objects))) if {
	versions := get.map(tree, "cluster")
	version := home_version(known)
	kinds := get.map(versions, version)
}

# object.union merges what stands under one key in both; here the later one shall stand alone.
put(parent, key, child) := object.union(object.remove(parent, [key]), {key: child})

# METADATA
# description: |
#   An inventory made of a list of documents (a List, conftest --combine). Of two documents of one name the last
#   one counts, as it would for kubectl apply. A document without a namespace is found both as a cluster-scoped
#   object and in the namespace "default": which of the two it is follows from who asks.
from_documents(documents) := {
	"cluster": {api_version: {kind: {name: documents[i] |
		some name, i in names
	} |
		some kind, names in kinds
	} |
		some api_version, kinds in get.map(index, [""])
	},
	"namespace": {namespace: {api_version: {kind: {name: documents[i] |
		some name, i in names
	} |
		some kind, names in kinds
	} |
		some api_version, kinds in versions
	} |
		some namespace, versions in index
		namespace != ""
	},
} if {
	index := object.union_n([entry |
		some i, o in documents
		ref := k8s.reference(o)
		some namespace in homes(ref.namespace)
		entry := {namespace: {ref.apiVersion: {ref.kind: {ref.name: i}}}}
	])
}

homes("") := ["", "default"]

homes(namespace) := [namespace] if namespace != ""

# METADATA
# description: The Namespace of the object under review, from the host where it sends it along, else the one in sight; undefined where there is neither.
own_namespace := k8s.namespace_object

own_namespace := cluster_object("v1", "Namespace", k8s.namespace) if not k8s.namespace_object
