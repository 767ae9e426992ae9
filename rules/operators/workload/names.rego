package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.reference
import data.walguard.lib.workloads

# What the pods name and is not where they look for it; see walguard.model.
facts contains {"unresolved": unresolved} if count(unresolved) > 0

unresolved := array.concat(
	[object.union(found, {"path": asked.path}) |
		some asked in named_objects
		found := reference.lost(object.union(asked, {"version": "v1"}), names_of_kind[asked.kind])
	],
	array.concat(array.concat(other_maps, directories_for_files), array.concat(other_claims, unlisted_partners)),
)

names_of_kind[kind] contains asked.name if {
	some asked in named_objects
	kind := asked.kind
}

named_objects := array.concat(array.concat(named_by_variables, named_by_volumes), named_by_pods)

named_by_variables := [{"what": sprintf("Container %s", [shared.name_or(one, one.at[count(one.at) - 1])]), "kind": kind, "name": name, "consequence": "it is not created", "path": array.concat(one.at, below)} |
	some one in all_containers
	some [below, kind, source] in array.concat(
		[[["env", i, "valueFrom", field, "name"], kind, get.map(variable, ["valueFrom", field])] |
			some i, variable in get.list(one, "env")
			some field, kind in {"secretKeyRef": "Secret", "configMapKeyRef": "ConfigMap"}
		],
		[[["envFrom", i, field, "name"], kind, get.map(origin, field)] |
			some i, origin in get.list(one, "envFrom")
			some field, kind in {"secretRef": "Secret", "configMapRef": "ConfigMap"}
		],
	)
	object.get(source, "optional", false) != true
	name := get.string(source, "name")
]

named_by_volumes := [{"what": sprintf("Volume %s", [get.string(volume, "name")]), "kind": kind, "name": name, "consequence": "the pod does not start", "path": array.concat(pod_path, array.concat(["volumes", i], [field, key]))} |
	server
	some i, volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
	some [field, key, kind] in [["secret", "secretName", "Secret"], ["configMap", "name", "ConfigMap"], ["persistentVolumeClaim", "claimName", "PersistentVolumeClaim"]]
	source := get.map(volume, field)
	object.get(source, "optional", false) != true
	name := get.string(source, key)
]

named_by_pods := [{"what": "The pod", "kind": "ServiceAccount", "name": name, "consequence": "no pod is created", "path": path} |
	server
	path := array.concat(pod_path, ["serviceAccountName"])
	name := get.string(k8s.object, path)
	name != "default"
]

# A claim that is not there, beside the only one of the namespace, which is called after the server and which nobody mounts.
other_claims := [{
	"reason": sprintf("Volume %s names claim %s, which is not there, while %s is and no pod mounts it: the pod stays Pending", [get.string(volume, "name"), name, candidate]),
	"cure": sprintf("Write %s", [candidate]),
	"level": "warning",
	"path": array.concat(pod_path, ["volumes", i, "persistentVolumeClaim", "claimName"]),
} |
	server
	not inventory.served
	some i, volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
	name := get.string(volume, ["persistentVolumeClaim", "claimName"])
	claims := inventory.by_name(k8s.namespace, "v1", "PersistentVolumeClaim")
	count(claims) == 1
	some candidate, _ in claims
	candidate != name
	not reference.slip(name, candidate)
	count([1 | some text in [name, candidate]; placeholder.holds(text)]) == 0
	count(parts_of_name(candidate) & words_of_server) > 0
	not regex.match(`backup|dump|archive|wal`, candidate)
	not mounted_by_others(candidate)
	not get.present(claims[candidate], ["metadata", "ownerReferences"])
]

# A ConfigMap that is not there, beside one whose name has a word more or less and that no pod takes.
other_maps := [{
	"reason": sprintf("Volume %s names ConfigMap %s, which is not there, while %s is and no pod takes it: the pod does not start", [get.string(volume, "name"), name, candidate]),
	"cure": sprintf("Write %s", [candidate]),
	"level": "warning",
	"path": array.concat(pod_path, ["volumes", i, "configMap", "name"]),
} |
	server
	not inventory.served
	some i, volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
	name := get.string(volume, ["configMap", "name"])
	object.get(volume, ["configMap", "optional"], false) != true
	not placeholder.holds(name)
	maps := inventory.by_name(k8s.namespace, "v1", "ConfigMap")
	count(maps) > 0
	not name in object.keys(maps)
	candidates := [other | some other, _ in maps; one_word_apart(name, other); not taken_by_pods(other)]
	count(candidates) == 1
	candidate := candidates[0]
	not reference.slip(name, candidate)
	every key in keys_wanted(get.string(volume, "name"), volume) {
		key in object.keys(get.map(maps[candidate], "data"))
	}
]

# A ConfigMap or a Secret is a directory, whatever the place is called that it is mounted at whole.
directories_for_files := [{
	"reason": sprintf("%s is %s, where a %s is mounted whole, which makes a directory of it: the server does not start (\"Is a directory\")", [setting.name, mounted.directory, kind_mounted(mounted)]),
	"cure": sprintf("Mount it at %s, or add subPath: %s", [regex.replace(mounted.directory, `/[^/]+$`, ""), regex.replace(mounted.directory, `^.*/`, "")]),
	"path": array.concat(container_path, ["volumeMounts"]),
} |
	some setting in parameters
	get.lower_case(setting.name) in {"config_file", "hba_file"}
	some mounted in mounts
	mounted.directory == setting.value
	not mounted.subpath
	kind_mounted(mounted)
]

one_word_apart(name, other) if {
	[fewer, more] := sort([[count(words_in), words_in] | some text in [name, other]; words_in := split(text, "-")])
	fewer[0] > 1
	more[0] == fewer[0] + 1
	some at, _ in more[1]
	array.concat(array.slice(more[1], 0, at), array.slice(more[1], at + 1, more[0])) == fewer[1]
}

taken_by_pods(other) if {
	some made in workloads.all
	contains(json.marshal(made.pod), sprintf("%q", [other]))
}

keys_wanted(volume_name, volume) := {get.string(item, "key") | some item in get.list(volume, ["configMap", "items"])} | {key |
	some one in all_containers
	some mounted in get.list(one, "volumeMounts")
	get.string(mounted, "name") == volume_name
	key := get.string(mounted, "subPath")
	key != ""
	not contains(key, "/")
}

parts_of_name(name) := {word | some word in split(name, "-"); not word in {"claim", "data", "pv", "pvc", "storage", "vol", "volume"}}

words_of_server := (parts_of_name(k8s.name) | {word | some _, value in pod_labels; is_string(value); some word in parts_of_name(value)}) | {"database", "db", "pg", "pgdata", "postgres", "postgresql"}

mounted_by_others(claim) if {
	some made in workloads.all
	workloads.mounts(made, claim)
}
