# METADATA
# description: |
#   What the manifest of a new cluster is asked for, in the pieces that every operator's skeleton puts together. Nothing that was not
#   asked for is in it. The input is input.tune (walguard.tune.manifest).
package walguard.tune.wanted

import data.walguard.index
import data.walguard.lib.get

asked := get.map(input, "tune")

name := "postgres"

# METADATA
# description: The major version as text; undefined where none is asked for.
version := split(get.string(asked, "version"), ".")[0]

# METADATA
# description: The parameters as a map of texts.
parameters := {parameter.name: parameter.value | some parameter in get.list(asked, "parameters")}

# METADATA
# description: The same as the lines of a postgresql.conf, in their order.
conf := concat("", [line |
	some parameter in get.list(asked, "parameters")
	line := sprintf("%s = %s\n", [parameter.name, quoted(parameter.value)])
])

quoted(value) := value if regex.match(`^[0-9]+(\.[0-9]+)?$|^[a-z0-9_]+$`, value)

quoted(value) := sprintf("'%s'", [value]) if not regex.match(`^[0-9]+(\.[0-9]+)?$|^[a-z0-9_]+$`, value)

# METADATA
# description: A field that holds something, as an object to merge; {} where there is nothing to say.
field(key, value) := {key: value} if {
	value != {}
	value != null
} else := {}

# METADATA
# description: '{"cpu", "memory"}, as far as they are asked for.'
amounts := object.filter(asked, ["cpu", "memory"])

# METADATA
# description: The resources of a container – no burst, so that what was tuned for is there.
resources := {"limits": amounts, "requests": amounts} if amounts != {}

resources := {} if amounts == {}

# METADATA
# description: Volumes by role, "data" and "wal", {"size"?, "class"?}.
volumes[role] := object.union(object.filter(volume, ["size"]), object.union_n([{"class": class} | class := class_names[role]])) if {
	some role in ["data", "wal"]
	volume := asked[role]
}

class_names[role] := sprintf("postgres-%s", [[other | some other in ["data", "wal"]; kind_of(asked[other]) == kind_of(volume)][0]]) if {
	some role in ["data", "wal"]
	volume := asked[role]
	volume.disk
}

kind_of(volume) := object.filter(volume, ["disk", "parameters", "filesystem"])

# METADATA
# description: The claim of a volume, as most operators take it.
claim(role) := object.union_n([
	{"accessModes": ["ReadWriteOnce"]},
	field("storageClassName", object.get(volumes[role], "class", null)),
	{"resources": {"requests": object.union_n([{"storage": size} | size := volumes[role].size])}},
])

# METADATA
# description: The StorageClasses of the disks that are named.
classes := [class |
	some class_name in sort({n | some n in class_names})
	role := [r | some r in ["data", "wal"]; class_names[r] == class_name][0]
	volume := asked[role]
	known := index.named_disks[volume.disk]
	class := {
		"apiVersion": "storage.k8s.io/v1",
		"kind": "StorageClass",
		"metadata": {"name": class_name},
		"provisioner": known.provisioner,
		"parameters": object.union_n([
			{key: get.text(value) | some key, value in known.parameters},
			{key: get.text(value) | some key, value in get.map(volume, "parameters")},
			{"csi.storage.k8s.io/fstype": filesystem | filesystem := get.string(volume, "filesystem")},
		]),
		"reclaimPolicy": "Retain",
		"volumeBindingMode": "WaitForFirstConsumer",
		"allowVolumeExpansion": true,
	}
]
