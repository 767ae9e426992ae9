package walguard.operators.workload

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Directories of the node in the place of a volume: a hostPath of the pod, or a PersistentVolume that is one.

# {"directory", "kind"?: type of the hostPath, "persistent"?: the PersistentVolume, "path"}
host_directory := {"directory": mount.clean(found), "type": object.get(source, "type", ""), "path": volumes[name].path} if {
	name := mount_of(directory).name
	not templates[name]
	source := get.map(volumes[name].volume, ["hostPath"])
	found := get.string(source, "path")
}

host_directory := {"directory": mount.clean(found), "type": object.get(source, "type", ""), "path": volumes[mount_of(directory).name].path, "persistent": volume} if {
	one_claim
	volume := bound_to(claim_name)
	source := get.map(volume, ["spec", "hostPath"])
	found := get.string(source, "path")
}

# The one volume of the class of a template, of which no StorageClass makes others.
host_directory := {"directory": mount.clean(found), "type": object.get(source, "type", ""), "path": array.concat(template, ["storageClassName"]), "persistent": kept[0]} if {
	template := templates[mount_of(directory).name]
	class := get.string(k8s.object, array.concat(template, ["storageClassName"]))
	class != ""
	not placeholder.unknown(class)
	not inventory.storage_class(class)
	object.get(k8s.object, ["spec", "replicas"], 1) == 1
	kept := [volume |
		some volume in inventory.cluster_by_name("v1", "PersistentVolume")
		get.string(volume, ["spec", "storageClassName"]) == class
	]
	count(kept) == 1
	for_template(kept[0])
	source := get.map(kept[0], ["spec", "hostPath"])
	found := get.string(source, "path")
}

for_template(volume) if not get.present(volume, ["spec", "claimRef"])

for_template(volume) if get.string(volume, ["spec", "claimRef", "name"]) == sprintf("%s-%s-0", [mount_of(directory).name, k8s.name])

# The PersistentVolume that names the claim, or that the claim names, or the only one of the claim's class.
bound_to(name) := kept[0] if {
	claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", name)
	kept := [volume |
		some volume in inventory.cluster_by_name("v1", "PersistentVolume")
		belongs(volume, claim)
	]
	count(kept) == 1
}

belongs(volume, claim) if get.string(claim, ["spec", "volumeName"]) == get.string(volume, ["metadata", "name"])

belongs(volume, claim) if {
	not get.present(claim, ["spec", "volumeName"])
	get.string(volume, ["spec", "claimRef", "name"]) == get.string(claim, ["metadata", "name"])
	get.string(volume, ["spec", "claimRef", "namespace"]) == k8s.namespace
}

belongs(volume, claim) if {
	not get.present(claim, ["spec", "volumeName"])
	not get.present(volume, ["spec", "claimRef"])
	class := get.string(claim, ["spec", "storageClassName"])
	class != ""
	get.string(volume, ["spec", "storageClassName"]) == class
	not inventory.storage_class(class)
}

# "The files or directories created on the underlying hosts are only writable by root" (https://kubernetes.io/docs/concepts/storage/volumes/#hostpath), and the kubelet changes no owner there.
roots_on_host := [object.union(
	{
		"reason": sprintf("The data lie in %s of the node, which belongs to root unless somebody has given it to user %d: \"Permission denied\"%s", [host_directory.directory, user, in_vain]),
		"cure": sprintf("Run chown %d on it in an init container as root", [user]),
		"level": "warning",
	},
	{"path": host_directory.path},
) |
	prepared_by_image
	user > 0
	host_directory.type in {"", "DirectoryOrCreate"}
	count(get.list(k8s.object, array.concat(pod_path, ["initContainers"]))) == 0
	not assigned
]

in_vain := ", and fsGroup changes nothing there" if grouped

in_vain := "" if not grouped

# systemd-tmpfiles and reboots empty them (tmpfiles.d/tmp.conf, file-hierarchy(7)).
swept := [{"what": sprintf("The data directory in %s", [host_directory.directory]), "on": "a directory that the node empties when it boots", "when": "then", "path": host_directory.path} |
	regex.match(`^/(tmp|dev/shm|run|var/run)(/|$)`, host_directory.directory)
]

# Another server that keeps its data in the same directory of the node; of two the one whose name comes first is said.
overlap_of_host := object.union(fact.written("other", host_directory.path), object.union(in_node_directory, {"other": sharers_of_host[0]})) if {
	count(sharers_of_host) > 0
}

# The next pod starts on the same node, or on another one without the data.
else := object.union(fact.operator("update", ["spec"]), in_node_directory) if {
	surges_on_host
	not is_object(object.get(k8s.object, ["spec", "strategy"], null))
} else := object.union(fact.written("update", ["spec", "strategy"]), in_node_directory) if {
	surges_on_host
}

in_node_directory := {"claim": host_directory.directory, "host": true}

# A PersistentVolume is its claim's.
surges_on_host if {
	host_directory
	not host_directory.persistent
	updates_by_surge
}

sharers_of_host := sort(array.concat(
	[made.words |
		host_directory
		not host_directory.persistent
		some made in workloads.lasting
		concat("/", [made.name, made.kind]) < concat("/", [k8s.name, k8s.kind])
		object.get(made.object, ["spec", "replicas"], 1) != 0
		may_meet(made.pod)
		some volume in get.list(made.pod, "volumes")
		mount.clean(get.string(volume, ["hostPath", "path"])) == host_directory.directory
		some one in get.list(made.pod, "containers")
		image.name(get.string(one, "image")) == server.product.name
		in_the_same_place(one, get.string(volume, "name"))
	],
	[sprintf("PersistentVolume %s", [get.string(volume, ["metadata", "name"])]) |
		own := host_directory.persistent
		some volume in inventory.cluster_by_name("v1", "PersistentVolume")
		get.string(volume, ["metadata", "name"]) < get.string(own, ["metadata", "name"])
		mount.clean(get.string(volume, ["spec", "hostPath", "path"])) == host_directory.directory
		object.get(volume, ["spec", "nodeAffinity"], {}) == object.get(own, ["spec", "nodeAffinity"], {})
	],
))

in_the_same_place(one, name) if {
	some mounted in get.list(one, "volumeMounts")
	get.string(mounted, "name") == name
	mount.clean(get.string(mounted, "mountPath")) == mount_of(directory).directory
	mount.clean(object.get(mounted, "subPath", "")) == object.get(mount_of(directory), "subpath", "")
	same_place(one)
}

# Nothing keeps them on two different nodes.
may_meet(pod) if {
	object.get(pod, "nodeSelector", {}) == get.map(k8s.object, array.concat(pod_path, ["nodeSelector"]))
	object.get(pod, "nodeName", "") == object.get(k8s.object, array.concat(pod_path, ["nodeName"]), "")
	not get.present(pod, "affinity")
	not get.present(k8s.object, array.concat(pod_path, ["affinity"]))
}
