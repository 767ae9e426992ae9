# METADATA
# description: |
#   The containers that a manifest adds to the pods of a cluster (its adapter says where: "pods" of walguard.model).
#
#   setting    list of {"source", "path", "severity", "reason"?}: those that set parameters of the server, which walguard does not read, by their command,
#              a hook, a probe, or a script of a ConfigMap that they mount; and variables that bring code into the server
#   unsynced   list of {"name", "path"}: where a library is loaded into the server that makes fsync do nothing
#   doors      list of {"source", "text", "path"}: those that write a line of pg_hba.conf with which clients log in without a password
#   imageless  list of {"name", "path"}: those that have no image, and that nothing gives one before the pod is created
package walguard.model.containers

import data.walguard.lib.cluster
import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.model

setting := array.concat(by_container, array.concat(by_variable, by_reference))

by_container := [object.union({"source": sprintf("what container %s runs", [cluster.name_or(container, i)]), "path": array.concat(path, [i])}, consequence) |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	not array.concat(path, [i]) in get.list(model.cluster, "copied_by")
	consequence := consequence_of(container, pod, array.concat(path, [i]))
]

doors := [{"source": sprintf("What container %s runs", [cluster.name_or(container, i)]), "text": opened[0], "path": array.concat(path, [i])} |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	opened := array.concat(
		[line |
			some text in texts(container, pod)
			some line in hba.in_script(text)
		],
		among_others(container, pod),
	)
	count(opened) > 0
]

# Of a file that is copied with all that lies beside it.
among_others(container, pod) := [line |
	some target in stored(container, pod)
	some one in mounts_of(container, pod)
	script.spills(started(container), one.directory, target)
	some file in mounted(container, pod)
	file.file == concat("/", [one.directory, "pg_hba.conf"])
	some line in hba.lines_of(file.text)
]

# One that names what loses data is no preparation.
consequence_of(container, pod, at) := {"severity": severity} if {
	found := [text | some whole in texts(container, pod); text := beside_parameters(whole, at); script.sets(text)]
	count(found) > 0
	severity := severity_with(container, pod, found)
} else := {"severity": severity_of_copies(copied)} if {
	script.copies(script.of(container))
	copied := [file.text | some file in mounted(container, pod); regex.match(`(^|/)postgresql(\.auto|\.base)?\.conf$`, file.file)]
	count(copied) > 0
} else := {"severity": inventory.unread, "reason": "it runs what cannot be read"} if {
	script.hides(concat("\n", texts(container, pod)))
} else := why if {
	why := unseen(container, pod)
} else := why if {
	why := asked(container, pod)
} else := found if {
	found := veiled(container)
} else := {"severity": "warning", "reason": sprintf("it says %s", [lost[0]])} if {
	lost := lost_by(concat("\n", texts(container, pod)), at)
	count(lost) > 0
} else := aimless(container, pod)

severity_of_copies(texts) := "warning" if {
	some text in texts
	script.loses(text)
} else := inventory.unread

# Beside what its adapter has read there.
lost_by(text, at) := sort([one |
	some one in script.losses(text)
	setting := object.get(model.written, split(one, "=")[0], {"path": []})
	array.slice(setting.path, 0, count(at)) != at
])

# What a server is started with are parameters, where its adapter has read them there.
beside_parameters(text, at) := regex.replace(text, script.unsynced, " ") if {
	setting := model.written.fsync
	not setting.resource
	array.slice(setting.path, 0, count(at)) == at
} else := text

severity_with(container, pod, found) := "warning" if {
	script.copies(script.of(container))
	some file in mounted(container, pod)
	script.loses(file.text)
} else := severity_of(concat("\n", found))

severity_of(text) := "warning" if script.dangerous(text)

severity_of(text) := inventory.unread if not script.dangerous(text)

# What it starts lies where nobody looks: in an object that is not there (yet), in a Secret, or in what the pod says of itself.
unseen(container, pod) := found[0] if {
	found := [why |
		some one in mounts_of(container, pod)
		script.runs(started(container), one.directory)
		some why in array.concat(
			[reasons[source.kind] |
				some source in files.sources(one.volume)
				not files.holder(source)
				reasons := {
					"ConfigMap": {"missing": true, "reason": sprintf("ConfigMap %s/%s was not found", [k8s.namespace, source.name])},
					"Secret": {"severity": inventory.unread, "reason": sprintf("it lies in Secret %s/%s", [k8s.namespace, source.name])},
				}
			],
			[{"severity": inventory.unread, "reason": "it lies in the downward API"} | told_by_pod(one.volume)],
		)
	]
	count(found) > 0
} else := found[0] if {
	text := started(container)
	found := [{"severity": "info", "reason": sprintf("it puts files that were not found into %s", [target])} |
		some target in stored(container, pod)
		spilled(text, target, container, pod)
	]
	count(found) > 0
}

# The queries of an exporter, which it runs as whoever it logs in.
asked(container, pod) := {"severity": inventory.unread, "reason": sprintf("its queries lie in %s %s/%s", [found[0].kind, k8s.namespace, found[0].name])} if {
	path := mount.clean(script.queries_of(container))
	found := [source |
		some one in mounts_of(container, pod)
		mount.within(path, one.directory)
		some source in files.sources(one.volume)
		not files.holder(source)
	]
	count(found) > 0
}

spilled(text, target, _, _) if script.unpacks(text, target)

spilled(text, target, container, pod) if {
	some one in mounts_of(container, pod)
	some source in files.sources(one.volume)
	not files.holder(source)
	script.spills(text, one.directory, target)
}

# Where it mounts what lasts: neither files of an object nor an empty volume.
stored(container, pod) := [directory |
	object.get(pod, "volumes", []) != []
	some one in get.list(container, "volumeMounts")
	directory := mount.clean(get.string(one, "mountPath"))
	count(directory) > 1
	not directory in {found.directory | some found in mounts_of(container, pod); not get.present(found.volume, "persistentVolumeClaim")}
]

# It writes to, or runs, what a variable says whose value is not in sight.
veiled(container) := {"severity": inventory.unread, "reason": sprintf("variable %s, whose value was not found, says what it runs or where it writes", [names_of[0]])} if {
	names_of := [name |
		some variable in get.list(container, "env")
		name := get.string(variable, "name")
		get.present(variable, "valueFrom")
		not environment.keyed(variable)
		script.obeys(concat("", [before_command(container), started(container)]), name)
	]
	count(names_of) > 0
}

# It writes to the data, and nobody can see to which file.
aimless(container, pod) := {"severity": inventory.unread, "reason": sprintf("it writes to %s on the volume of the data, which may be the server's configuration", [targets[0]])} if {
	text := started(container)
	homes := homes_of_data(container, pod)
	count(homes) > 0
	targets := [target |
		some target in script.veiled_targets(text)
		some home in homes
		leads_to(target, home, text, container)
	]
	count(targets) > 0
}

# Where it mounts the volume of the data, by the place where the model has it, or by the name that operators give it.
homes_of_data(container, _) := [directory |
	some one in get.list(container, "volumeMounts")
	get.string(one, "name") in names_of_data
	not get.boolean(one, "readOnly")
	directory := mount.clean(get.string(one, "mountPath"))
	count(directory) > 1
]

names_of_data := {"pgdata", "data", "postgres-data", sprintf("%s-data", [k8s.name])} | {name |
	some set in model.cluster.instance_sets
	path := set.data.path
	some up in [1, 2]
	name := get.string(k8s.object, array.concat(array.slice(path, 0, count(path) - up), [["metadata", "name"], ["name"]][up - 1]))
}

leads_to(target, home, _, _) if mount.within(target, home)

leads_to(target, _, _, _) if regex.match(`^[$][{(]?(PGDATA|POSTGRESQL_DATA_DIR)[})]?/`, target)

# Where it has gone before.
leads_to(target, home, text, _) if {
	not contains(target, "/")
	contains(text, sprintf("cd %s", [home]))
}

leads_to(target, home, _, container) if {
	not contains(target, "/")
	mount.within(mount.clean(get.string(container, "workingDir")), home)
}

leads_to(target, _, text, _) if {
	not contains(target, "/")
	regex.match(`\bcd\s+["']?[$][{(]?PGDATA`, text)
}

# Arguments alone are for the image's own program.
before_command(container) := "" if get.present(container, "command")

before_command(container) := "- " if not get.present(container, "command")

told_by_pod(volume) if get.present(volume, "downwardAPI")

told_by_pod(volume) if {
	some source in get.list(volume, ["projected", "sources"])
	get.present(source, "downwardAPI")
}

# The command and its arguments, and the hooks.
started(container) := script.filled(
	concat("\n", [
		concat(" ", [word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)]),
		script.of(object.filter(container, ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"])),
	]),
	environment.values(container),
)

# What it runs, its variables put in; the variables that it runs it with; and the scripts that it mounts where it names them or their directory.
texts(container, pod) := array.concat(
	[script.filled(script.of(container), environment.values(container))],
	array.concat(
		[value |
			contains(script.of(container), "$")
			some value in environment.values(container)
		],
		[script.filled(file.text, environment.values(container)) | some file in named(container, pod)],
	),
)

# Those that it names, and those that they name.
named(container, pod) := [file |
	all := mounted(container, pod)
	own := concat("\n", array.concat([script.of(container)], [value | count(all) > 0; some value in environment.values(container)]))
	first := concat("\n", array.concat([own], [file.text | some file in all; names(own, file)]))
	some file in all
	names(first, file)
]

names(text, file) if contains(text, file.file)

# All that lies there, or a program that is started from there; not its configuration.
names(text, file) if {
	contains(text, file.directory)
	not regex.match(`\.(conf|ya?ml|json|toml|ini|cfg|crt|pem|key|txt|md)$`, file.file)
}

# The files of ConfigMaps and Secrets in sight, by volumes of the pod ("volumes" of the adapter).
mounted(container, pod) := [object.union(file, {"directory": one.directory}) |
	some one in mounts_of(container, pod)
	some file in files.of(one, one.volume)
]

mounts_of(container, pod) := array.concat(
	[object.union({"directory": directory, "volume": volume}, {"subpath": subpath | subpath := mount.clean(get.string(one, "subPath"))}) |
		some one in get.list(container, "volumeMounts")
		is_object(one)
		directory := mount.clean(get.string(one, "mountPath"))
		count(directory) > 1
		some volume in array.concat(get.list(k8s.object, object.get(pod, "volumes", ["-"])), [carried.volume | some carried in carried_by(pod)])
		is_object(volume)
		called(get.string(volume, "name"), get.string(one, "name"))
	],
	[object.union({"directory": carried.directory, "volume": carried.volume}, carried.subpath) |
		some carried in carried_by(pod)
		some target in carried.targets
		target in {"all", get.string(container, "name")}
	],
)

# Volumes that say themselves where they are mounted, and in which containers.
carried_by(pod) := [{
	"directory": directory,
	"volume": object.union(get.map(one, "volumeSource"), {"name": get.string(one, "name")}),
	"targets": get.list(one, "targetContainers"),
	"subpath": {"subpath": subpath | subpath := mount.clean(get.string(one, "subPath"))},
} |
	some one in get.list(k8s.object, object.get(pod, "additions", ["-"]))
	is_object(one)
	directory := mount.clean(get.string(one, "mountPath"))
	count(directory) > 1
]

called(volume, mounted_name) if volume == mounted_name

# StackGres puts a word before the names of volumes.
called(volume, mounted_name) if sprintf("custom-%s", [volume]) == mounted_name

unsynced := array.concat(
	[object.union({"name": shown(variable)}, object.filter(variable, ["path", "resource"])) |
		some variable in variables
		variable.name in {"LD_PRELOAD", "LD_AUDIT"}
		script.without_sync(variable.value)
	],
	[{"name": "eatmydata", "path": array.concat(path, [i])} |
		some pod in model.cluster.pods
		some path in pod.containers
		some i, container in get.list(k8s.object, path)
		is_object(container)
		regex.match(`(^|[\s/;&])eatmydata\s|\bLD_(PRELOAD|AUDIT)=["']?[^\s;&|]*(eatmydata|nosync|libnofsync)`, script.of(container))
	],
)

imageless := [{"name": cluster.name_or(container, i), "path": array.concat(path, [i])} |
	some pod in model.cluster.pods
	some path in pod.containers
	some i, container in get.list(k8s.object, path)
	is_object(container)
	object.get(container, "image", "") in {"", null}
	not filled(path, i, container)
]

# OpenShift's image triggers write the newest image of a stream into the workload (openshift/openshift-controller-manager,
# pkg/image/trigger): that is what a Deployment's containers may lack one for.
filled(path, i, container) if {
	some trigger in triggers
	get.string(trigger, "fieldPath") in names_of(concat(".", path), i, container)
}

# The sidecar injector merges its template into a container of these names (istio/istio, pkg/kube/inject/webhook.go).
filled(_, _, container) if get.string(container, "name") in {"istio-proxy", "istio-init", "istio-validation"}

triggers := json.unmarshal(text) if {
	text := get.string(k8s.object, ["metadata", "annotations", "image.openshift.io/triggers"])
	json.is_valid(text)
}

names_of(list, i, container) := {sprintf("%s[%d].image", [list, i])} | {text |
	name := get.string(container, "name")
	some text in [sprintf(`%s[?(@.name=="%s")].image`, [list, name]), sprintf(`%s[?(@.name=='%s')].image`, [list, name])]
}
