package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.text

# Init containers that fill a volume when it is empty, as a new one of the ext family never is: lost+found lies in its root. What they would have copied is missing when the server starts.
never_empty := [{
	"reason": sprintf("Init container %s takes %s for filled unless it is empty, and the root of a new ext4 volume has lost+found: nothing is copied into it", [shared.name_or(one, i), directory_asked]),
	"cure": sprintf("Leave lost+found out of the test (ls -A %s | grep -v lost+found), or mount with subPath", [directory_asked]),
	"level": "error",
	"path": array.concat(pod_path, ["initContainers", i, field]),
} |
	server
	some i, one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	field := [name | some name in ["args", "command"]; count(get.list(one, name)) > 0][0]
	words := concat(" ", [word | some name in ["command", "args"]; some word in get.list(one, name); is_string(word)])
	not contains(words, "lost+found")
	some mounted in get.list(one, "volumeMounts")
	not get.present(mounted, "subPath")
	not get.present(mounted, "subPathExpr")
	name_of_volume := get.string(mounted, "name")
	name_of_volume in {other.name | some other in mounts}
	directory_asked := mount.clean(get.string(mounted, "mountPath"))
	regex.match(sprintf(asks_whether_empty, [text.literal(directory_asked)]), words)
	provisioned(name_of_volume)
	formatted_ext(class_of_claim(name_of_volume))
]

# [ -z "$(ls -A DIRECTORY)" ], test -n "$(find DIRECTORY -mindepth 1)", [ "$(ls DIRECTORY | wc -l)" -eq 0 ]
asks_whether_empty := `(\[\s+|\btest\s+)(!\s+)?(-[nz]\s+)?"?[$]\(\s*(ls(\s+-[A-Za-z1]+)*|find)\s+["']?%s/?["']?(\s[^)|]*)?(\|\s*(wc\s+-l|head\b[^)|]*)\s*)?\)`

class_of_claim(name) := get.string(k8s.object, array.concat(templates[name], ["storageClassName"]))

class_of_claim(name) := get.string(claim, ["spec", "storageClassName"]) if {
	claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", get.string(volumes[name].volume, ["persistentVolumeClaim", "claimName"]))
}

formatted_ext(class) if {
	found := inventory.storage_class(class)
	some key, value in get.map(found, "parameters")
	endswith(get.lower_case(key), "fstype")
	regex.match(`^ext[234]$`, value)
}

formatted_ext(class) if {
	not inventory.storage_class(class)
	disk.formatted(class)
}

formatted_ext(class) if {
	found := inventory.storage_class(class)
	count([1 | some key, _ in get.map(found, "parameters"); endswith(get.lower_case(key), "fstype")]) == 0
	get.string(found, "provisioner") in {"ebs.csi.aws.com", "pd.csi.storage.gke.io", "disk.csi.azure.com", "dobs.csi.digitalocean.com", "csi.hetzner.cloud", "cinder.csi.openstack.org", "driver.longhorn.io", "csi.vsphere.vmware.com", "linodebs.csi.linode.com"}
}
