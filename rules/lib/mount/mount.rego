# METADATA
# description: The volumes of pods as walguard.model has them, and what lies on which.
package walguard.lib.mount

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: True when a path is a directory or lies below it.
within(path, parent) if path == parent

within(path, parent) if startswith(path, concat("", [parent, "/"]))

# METADATA
# description: |
#   A path as the kernel reads it: /a//b/./c/../d is /a/b/d. A trailing slash goes. What is no absolute path stays as it is, but for that.
clean(path) := concat("", [lead, concat("/", upwards([part | some part in split(path, "/"); not part in {"", "."}]))]) if {
	lead := substring("/", 0, count([1 | startswith(path, "/")]))
}

upwards(parts) := parts if not ".." in parts

# The part before a ".." goes with it, a few times over.
upwards(parts) := split(trim_left(once(once(once(once(concat("", ["/", concat("/", parts)]))))), "/"), "/") if ".." in parts

once(path) := regex.replace(regex.replace(path, `/[^/]+/\.\.(/|$)`, "$1"), `^(/\.\.)+(/|$)`, "$2")

# METADATA
# description: The mount, {"directory", …}, that a path lies on, which is the deepest of those above it. Undefined without one.
above(path, mounts) := found[0] if {
	depth := max([count(m.directory) | some m in mounts; within(path, m.directory)])
	found := [m | some m in mounts; within(path, m.directory); count(m.directory) == depth]
}

# METADATA
# description: |
#   A volume of the object under review (an item of a pod's volumes, at a path): the claim it names, where that is in sight, else
#   what it says itself. pinned: whether something keeps the pod on certain nodes.
volume(path, _) := object.union_n([
	cluster.claim(claim_of(path), ["spec"]),
	{"resource": k8s.reference(claim_of(path))},
	{"class": class | class := get.string(claim_of(path), ["metadata", "annotations", class_annotation])},
]) if {
	claim_of(path)
}

# METADATA
# description: The annotation of a claim that names its StorageClass before the field does.
class_annotation := "volume.beta.kubernetes.io/storage-class"

# METADATA
# description: The name of the StorageClass that a claim asks for. Undefined where it names none.
class_of(claim) := get.string(claim, ["metadata", "annotations", class_annotation])

class_of(claim) := get.string(claim, ["spec", "storageClassName"]) if not get.string(claim, ["metadata", "annotations", class_annotation])

volume(path, _) := object.union(cluster.claim(k8s.object, at), {"ephemeral": "a generic ephemeral volume"}) if {
	not claim_of(path)
	generic(path)
	at := array.concat(path, ["ephemeral", "volumeClaimTemplate", "spec"])
}

volume(path, _) := object.union_n([
	{"path": path, "size_path": array.concat(path, ["emptyDir", "sizeLimit"]), "class": "", "class_path": path, "ephemeral": vanishing(get.map(k8s.object, path))},
	{"size": size | size := get.text_at(k8s.object, array.concat(path, ["emptyDir", "sizeLimit"]))},
]) if {
	not claim_of(path)
	not generic(path)
	vain(get.map(k8s.object, path))
}

volume(path, pinned) := object.union_n([
	{"path": path, "size_path": path, "class": "", "class_path": path},
	wandering(path, pinned),
	{"provisioner": driver | driver := driver_of(get.map(k8s.object, path))},
]) if {
	not claim_of(path)
	not generic(path)
	not vain(get.map(k8s.object, path))
}

wandering(path, false) := {"ephemeral": "a hostPath of whatever node the pod comes to", "left_behind": true} if {
	is_object(object.get(k8s.object, array.concat(path, ["hostPath"]), null))
} else := {}

wandering(_, true) := {}

claim_of(path) := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", name) if {
	name := get.string(k8s.object, array.concat(path, ["persistentVolumeClaim", "claimName"]))
}

generic(path) if is_object(object.get(k8s.object, array.concat(path, ["ephemeral", "volumeClaimTemplate", "spec"]), null))

vain(described) if vanishing(described)

# METADATA
# description: What a volume of a pod (or its source) is called that is made anew with each pod. Undefined for every other one.
vanishing(described) := "an emptyDir" if hollow(described)

vanishing(described) := "a gitRepo volume" if {
	not hollow(described)
	is_object(object.get(described, "gitRepo", null))
}

vanishing(described) := sprintf("an inline volume of %s", [driver]) if {
	not hollow(described)
	driver := get.string(described, ["csi", "driver"])
	driver in made_with_the_pod
}

# Drivers that create an inline volume empty, or out of what somebody else holds, and delete it with the pod. Others mount a share that exists.
made_with_the_pod := {
	"csi-image.warm-metal.tech",
	"csi.cert-manager.io",
	"csi.sharedresource.openshift.io",
	"csi.spiffe.io",
	"hostpath.csi.k8s.io",
	"image.csi.k8s.io",
	"pmem-csi.intel.com",
	"secrets-store.csi.k8s.io",
}

# METADATA
# description: True of an emptyDir, also of one that the API server makes of a volume that does not say what it is.
hollow(described) if is_object(object.get(described, "emptyDir", null))

hollow(described) if {
	is_object(described)
	count([1 | some field, value in described; field != "name"; value != null]) == 0
}

# METADATA
# description: |
#   The CSI driver of a volume of a pod, or the spec of a PersistentVolume; of the network filesystems that Kubernetes mounts by itself
#   the name that a provisioner would have. Undefined for every other volume.
driver_of(source) := get.string(source, ["csi", "driver"])

driver_of(source) := names[0] if {
	not get.string(source, ["csi", "driver"])
	names := [name |
		some [field, name] in [["nfs", "kubernetes.io/nfs"], ["glusterfs", "kubernetes.io/glusterfs"], ["cephfs", "kubernetes.io/cephfs"], ["azureFile", "kubernetes.io/azure-file"]]
		is_object(object.get(source, field, null))
	]
}

# METADATA
# description: |
#   What of a server's files does not outlive its pod, for walguard.model's "lost". home: the data directory; kept: the directory at which the volume of the data is
#   mounted; mounts: [{"directory", "volume" (the source of the volume), "path"}] beside that one.
lost(home, kept, mounts) := [{"what": sprintf("What is mounted at %s", [directory]), "on": passing, "path": mounted.path} |
	some mounted in mounts
	directory := clean(mounted.directory)
	holds_data(directory, home, kept)
	passing := passing_volume(mounted.volume)
]

passing_volume(described) := vanishing(described)

passing_volume(described) := "a hostPath of whatever node the pod comes to" if {
	is_object(object.get(described, "hostPath", null))
	not vanishing(described)
}

passing_volume(described) := "a generic ephemeral volume" if {
	is_object(object.get(described, "ephemeral", null))
	not vanishing(described)
}

# The data directory, a directory above it on its volume, or one below it without which the data are lost.
holds_data(directory, home, kept) if {
	within(home, directory)
	within(directory, kept)
}

holds_data(directory, home, _) if {
	some name in lasting
	within(directory, concat("/", [home, name]))
}

# Others PostgreSQL makes anew when it starts.
lasting := ["base", "global", "pg_commit_ts", "pg_multixact", "pg_tblspc", "pg_twophase", "pg_wal", "pg_xact"]

# METADATA
# description: |
#   Links (walguard.lib.script) that a container makes on the volume of the data in the place of the data directory, of one above it, or of a part of it, [{"name", "value"}]. name: of
#   the volume; home: the data directory below it.
relinked(container, links, name, home) := [{"name": link.place, "value": link.value} |
	some link in links
	theirs := [{"name": get.string(mounted, "name"), "directory": clean(get.string(mounted, "mountPath"))} | some mounted in get.list(container, "volumeMounts")]
	count([1 | some mounted in theirs; within(clean(link.value), mounted.directory)]) == 0
	place := clean(link.place)
	at := above(place, theirs)
	at.name == name
	below := trim_prefix(place, at.directory)
	below != ""
	of_data(home, below)
]

of_data(home, below) if within(home, below)

of_data(home, below) if trim_prefix(below, concat("", [home, "/"])) in lasting

# METADATA
# description: |
#   True where the data, or the tables among them, lie on another volume than that of the claim that everybody sees: nothing is known of them then. directories: those
#   that variables name for the data.
relocated(home, kept, mounts, _) if {
	some mounted in mounts
	directory := clean(mounted.directory)
	holds_tables(directory, home, kept)
}

relocated(_, kept, mounts, directories) if {
	some directory in directories
	some mounted in mounts
	within(clean(directory), clean(mounted.directory))
	not within(clean(mounted.directory), kept)
	clean(mounted.directory) != "/"
}

holds_tables(directory, home, kept) if {
	within(home, directory)
	within(directory, kept)
}

holds_tables(directory, home, _) if {
	some name in ["base", "global", "pg_tblspc"]
	within(directory, concat("/", [home, name]))
}

# METADATA
# description: The mode of a file below a directory at which a Secret is mounted, as its volume says it, else 0644.
secret_mode(secret, directory, file) := number if {
	is_object(secret)
	modes := [mode |
		some item in get.list(secret, "items")
		concat("/", [directory, get.string(item, "path")]) == file
		mode := get.number(item, "mode")
	]
	number := array.concat(modes, [object.get(secret, "defaultMode", 420)])[0]
	is_number(number)
}

# METADATA
# description: |
#   The same of directories that variables name: [{"name", "value" (absent: unknown), "path", "resource"?}], none of which is kept but by the volumes mounted at
#   the directories of kept.
unkept(variables, kept) := [object.union({"what": sprintf("%s=%s", [variable.name, variable.value]), "on": "no lasting volume"}, place) |
	some variable in variables
	startswith(variable.value, "/")
	not regex.match(`[$][({]`, variable.value)
	directory := clean(variable.value)
	count([1 | some one in kept; within(directory, one)]) == 0
	place := object.filter(variable, ["path", "resource"])
]
