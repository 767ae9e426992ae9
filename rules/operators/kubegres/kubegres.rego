# METADATA
# title: Kubegres
# description: |
#   Kubegres with its ConfigMap (spec.customConfig, key postgres.conf), where that is in sight, else without its parameters. A ConfigMap
#   is judged as a change to the first Kubegres in sight that names it. The base configuration of a namespace
#   (base-kubegres-config), which people may edit, is read where it is in sight; its includes are not. There is no pooler, no WAL
#   archive but one's own, no pg_rewind, and backups are dumps.
# related_resources:
#   - https://www.kubegres.io/doc/properties-explained.html
#   - https://www.kubegres.io/doc/override-default-configs.html
# custom:
#   kinds:
#     - {group: kubegres.reactive-tech.io, versions: [v1], kind: Kubegres, plural: kubegres, namespaced: true, role: cluster}
#     - {group: "", versions: [v1], kind: Secret, plural: secrets, namespaced: true, role: change, served: false, contains: [pass, PASS, Pass, pwd, PWD, POSTGRES], watched: false}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: change, contains: [postgres.conf, primary_init_script.sh, primary_create_replication_role.sh, copy_primary_data_to_replica.sh, promote_replica_to_primary.sh], named: {at: [spec.customConfig, "spec.env[].valueFrom.configMapKeyRef.name"], always: [base-kubegres-config]}}
#   generated:
#     - {group: apps, kind: StatefulSet, owners: [Kubegres]}
#   facts:
#     version: {read: "image"}
#     parameters: {read: "postgres.conf of customConfig; else that of base-kubegres-config"}
#     defaults: {default: "the operator's base configuration"}
#     instances: {read: "replicas"}
#     resources: {read: "resources"}
#     huge_pages: {read: "resources"}
#     machine: {unread: "scheduler.affinity"}
#     volume: {read: "database.size"}
#     storage_class: {read: "database.storageClassName"}
#     wal_volume: {read: "volume.volumeClaimTemplates, where initdb is told a directory on it"}
#     segment: {read: "env POSTGRES_INITDB_ARGS", default: "16 MB"}
#     checksums: {read: "env POSTGRES_INITDB_ARGS; else initdb of the major"}
#     slots: {default: "none"}
#     archiving: {read: "archive_mode and archive_command", default: "off"}
#     schedules: {read: "backup.schedule, dumps"}
#     patience: {read: "probe"}
#     shared_memory: {unread: "volume.volumes"}
package walguard.operators.kubegres

import data.walguard.lib.cluster as shared
import data.walguard.lib.conf
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.initdb
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.placeholder
import data.walguard.lib.probe
import data.walguard.lib.schema
import data.walguard.lib.script
import data.walguard.lib.sql
import data.walguard.lib.text

api_version := "kubegres.reactive-tech.io/v1"

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if home

# ------------------------------------------------------------------------------------------------- what is reviewed

reviewed_cluster if {
	k8s.group == "kubegres.reactive-tech.io"
	k8s.kind == "Kubegres"
}

reviewed_file if {
	k8s.api_version == "v1"
	k8s.kind == "ConfigMap"
	some key in array.concat(["postgres.conf"], script_names)
	get.string(k8s.object, ["data", key])
}

# The operator's own, which a ConfigMap may replace (internal/controller/states/ConfigStates.go); they run as the superuser.
script_names := ["primary_init_script.sh", "primary_create_replication_role.sh", "copy_primary_data_to_replica.sh", "promote_replica_to_primary.sh"]

# METADATA
# description: The Kubegres, be it under review or, for a ConfigMap, in sight.
home := k8s.object if reviewed_cluster

home := referring[0] if {
	reviewed_file
	not k8s.chosen
}

home := chosen[0] if {
	reviewed_file
	chosen := [o | some o in referring; title_of(o) == k8s.chosen]
}

title_of(o) := sprintf("Kubegres %s/%s", [k8s.namespace, o.metadata.name])

facts contains {"others": others} if count(others) > 0

others := [title_of(o) |
	reviewed_file
	some i, o in referring
	i > 0
]

referring := [o |
	some o in inventory.list(k8s.namespace, api_version, "Kubegres")
	reads(o)
]

reads(o) if get.string(o, custom_path) == k8s.name

# The base configuration says nothing to who has a file of his own, or one that is not in sight.
reads(o) if {
	k8s.name == base_name
	not get.present(o, custom_path)
}

reads(o) if {
	k8s.name == base_name
	named := in_sight(get.string(o, custom_path))
	not get.string(named, file_path)
}

base_name := "base-kubegres-config"

cluster_name := k8s.name if reviewed_cluster

cluster_name := get.string(home, ["metadata", "name"]) if reviewed_file

# Facts of a cluster that is not under review say so.
at_home(f) := f if reviewed_cluster

at_home(f) := object.union(f, {"resource": k8s.reference(home)}) if not reviewed_cluster

facts contains {
	"operator": "Kubegres",
	"name": cluster_name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "any",
	"patroni": false,
	"defaults": defaults,
	"managed": {},
	"instance_sets": [instance_set],
	"rewind": {"used": false},
} if {
	home
}

facts contains {"pods": [{"sysctls": ["spec", "securityContext", "sysctls"], "environment": [["spec", "env"]]}]} if reviewed_cluster

# copy_primary_data_to_replica.sh of the operator: pg_basebackup -R without a slot.
facts contains {"slots": at_home(fact.operator(false, custom_path))} if home

facts contains {"patience": patience} if patience

facts contains {"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value})} if {
	home
	labels := {"app": cluster_name}
}

facts contains {"change": true} if reviewed_file

facts contains {"partial": true} if unseen

facts contains {"unread": unread_sources} if count(unread_sources) > 0

facts contains {"syntax_errors": found} if {
	found := conf.errors(file_text, file_place)
	count(found) > 0
}

facts contains {"data_claims": sprintf(`^postgres-db-%s-[0-9]+-0$`, [text.literal(cluster_name)])} if home

facts contains {"major": major} if major

facts contains {"image": at_home(fact.written(reference, image_path))} if reference := get.string(home, image_path)

# A changed image meets the old data directory (controllers/spec/enforcer/statefulset).
facts contains {"upgrade": {"by": "nobody"}} if reviewed_cluster

facts contains {"instances": instances} if instances

facts contains {"segment": segment} if segment

facts contains {"checksums": checksums} if checksums

facts contains {"archiving": archiving} if archiving

# --------------------------------------------------------------------------------------------------- parameters

file_path := ["data", "postgres.conf"]

custom_path := ["spec", "customConfig"]

custom := get.string(home, custom_path)

own_file(name) if get.string(in_sight(name), file_path)

in_sight(name) := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", name)

# METADATA
# description: The ConfigMap whose postgres.conf the servers read; undefined when it is not in sight. The base one stands in for a key that is not there.
file := k8s.object if reviewed_file

file := in_sight(custom) if {
	reviewed_cluster
	own_file(custom)
}

file := in_sight(base_name) if {
	reviewed_cluster
	not custom_file
	not unseen
}

custom_file if own_file(custom)

unread_sources := array.concat(
	[{"source": sprintf("ConfigMap %s/%s", [k8s.namespace, custom]), "path": custom_path, "missing": true} | unseen],
	array.concat(
		[object.union({"source": sprintf("what postgres.conf of ConfigMap %s/%s includes", [k8s.namespace, file.metadata.name]), "severity": "warning"}, file_place) |
			conf.includes_more(file_text)
		],
		array.concat(unread_scripts, unread_pod),
	),
)

scripts := [object.union({"name": name, "text": text_, "path": ["data", name]}, reference_of(found)) |
	some found in script_holders
	some name in script_names
	text_ := get.string(found, ["data", name])
]

script_holders := [k8s.object] if reviewed_file

# One of one's own comes before that of the base configuration; both are looked at.
script_holders := [found |
	some name in [custom_or_base, base_name]
	found := in_sight(name)
] if {
	reviewed_cluster
	custom_or_base != base_name
}

script_holders := [found | found := in_sight(base_name)] if {
	reviewed_cluster
	custom_or_base == base_name
}

custom_or_base := custom

custom_or_base := base_name if not custom

reference_of(_) := {} if reviewed_file

reference_of(found) := {"resource": k8s.reference(found)} if not reviewed_file

unread_scripts := [object.union({"source": sprintf("the script %s", [one.name]), "severity": severity_of(one.text)}, object.filter(one, ["path", "resource"])) |
	some one in scripts
	unreadable_script(one.text)
]

unreadable_script(text_) if script.writes(text_)

unreadable_script(text_) if script.hides(text_)

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

unread_pod := array.concat(
	[{"source": "the variable POSTGRES_INITDB_ARGS", "path": ["spec", "env", i], "severity": "warning", "reason": "a shell runs what is in it"} |
		reviewed_cluster
		some i, variable in get.list(home, ["spec", "env"])
		get.string(variable, "name") == "POSTGRES_INITDB_ARGS"
		initdb.commands(said_by(variable))
	],
	array.concat(unread_start, overlay.unread(own_volumes, ["/var/lib/postgresql", "/etc", "/tmp"])),
)

own_volumes := [{"directory": mounted.directory, "volume": volume, "path": ["spec", "volume", "volumeMounts"]} |
	reviewed_cluster
	some mounted in own_mounts
	some volume in get.list(home, ["spec", "volume", "volumes"])
	get.string(volume, "name") == mounted.name
]

# The operator puts PGDATA below the mount of its volume, and the variables of spec.env behind it (ResourcesCreatorFromTemplate.go); the last of a name counts.
facts contains {"lost": lost} if count(lost) > 0

lost := array.concat(
	mount.lost(concat("/", [volume_directory, "pgdata"]), volume_directory, own_volumes),
	mount.unkept(
		[{"name": name, "value": value, "path": ["spec", "env", i, "value"]} |
			reviewed_cluster
			some i, variable in get.list(home, ["spec", "env"])
			name := get.string(variable, "name")
			name in {"PGDATA", "POSTGRES_INITDB_WALDIR"}
			value := script.filled(said_by(variable), {other: text_ |
				listed := get.list(home, ["spec", "env"])
				some other, k in get.last_of_each([[of, n] | some n, one in listed; of := get.string(one, "name")])
				text_ := get.string(listed[k], "value")
			})
		],
		array.concat([volume_directory], [mounted.directory | some mounted in own_mounts]),
	),
)

volume_directory := trim_right(get.string(home, ["spec", "database", "volumeMount"]), "/")

volume_directory := "/var/lib/postgresql/data" if not get.string(home, ["spec", "database", "volumeMount"])

said_by(variable) := get.string(variable, "value")

said_by(variable) := from_map(variable) if not get.string(variable, "value")

from_map(variable) := get.string(found, ["data", get.string(variable, ["valueFrom", "configMapKeyRef", "key"])]) if {
	found := in_sight(get.string(variable, ["valueFrom", "configMapKeyRef", "name"]))
}

# Options of initdb that are not in sight, and SQL of a probe.
unread_start := array.concat(
	[{"source": "the variable POSTGRES_INITDB_ARGS", "path": ["spec", "env", i], "severity": "warning"} |
		reviewed_cluster
		some i, variable in get.list(home, ["spec", "env"])
		get.string(variable, "name") == "POSTGRES_INITDB_ARGS"
		get.present(variable, "valueFrom")
		not from_map(variable)
	],
	[{"source": "what a probe runs", "path": ["spec", "probe"], "severity": severity_of(probed)} |
		reviewed_cluster
		probed := script.of(get.map(home, ["spec", "probe"]))
		script.sets(probed)
	],
)

facts contains {"script_faults": script_faults} if count(script_faults) > 0

script_faults := [object.union(
	{"reason": sprintf("%s puts a name in the quotes of a string, which is a syntax error: the first start ends there, and later ones pass over all scripts", [statement]), "cure": "Write the name bare or in double quotes"},
	object.filter(one, ["path", "resource"]),
) |
	some one in scripts
	one.name in {"primary_init_script.sh", "primary_create_replication_role.sh"}
	statement := sql.names_in_quotes(one.text)[0]
]

# Named, and not in sight.
unseen if {
	reviewed_cluster
	custom
	not in_sight(custom)
}

parameters_path := file_path if reviewed_file

parameters_path := custom_path if not reviewed_file

parameters := array.concat(in_file, [setting |
	some one in scripts
	some setting in sql.settings(one.text, object.filter(one, ["path", "resource"]))
])

in_file := conf.settings(file_text, file_place)

in_file := [] if not file_text

file_text := get.string(file, file_path)

# Of a ConfigMap of one's own the operator looks into data alone (ConfigStates.go); the base one is mounted whatever it holds.
file_text := base64.decode(encoded) if {
	not get.string(file, file_path)
	file.metadata.name == base_name
	encoded := get.string(file, ["binaryData", "postgres.conf"])
	base64.is_valid(encoded)
}

file_place := object.union({"path": file_path}, file_reference)

file_reference := {} if reviewed_file

file_reference := {"resource": k8s.reference(file)} if not reviewed_file

# BaseConfigMapTemplate.yaml of the operator stands in for a file that nobody wrote. Either replaces the file of initdb, and with
# it the limits of WAL that initdb writes in proportion to the segment size.
defaults := object.union(built_in, {
	"listen_addresses": "*",
	"max_connections": "100",
	"max_wal_senders": "10",
	"shared_buffers": "128MB",
}) if {
	not file
	not unseen
}

defaults := built_in if file

defaults := {} if unseen

built_in := {"max_wal_size": "1GB", "min_wal_size": "80MB"}

# ----------------------------------------------------------------------------------------------------- instances

image_path := ["spec", "image"]

major := at_home(fact.written(number, image_path)) if number := image.major(get.string(home, image_path))

instances := at_home(found) if found := shared.number_at(home, ["spec", "replicas"])

instance_set := at_home(object.union_n([
	{
		"name": cluster_name,
		"path": ["spec"],
		"resources": shared.resources(home, ["spec", "resources"]),
		"resources_path": ["spec", "resources"],
	},
	{"replicas": found | found := instances},
	{"data": volume | volume := data_volume},
	{"wal": volume | volume := wal_volume},
]))

# The init container of the replicas, which copies the data of the primary, has none, and no field gives it any (https://github.com/reactive-tech/kubegres/issues/100).
facts contains {"companions": [at_home({
	"container": "init container setup-replica-data-directory",
	"resources": {"requests": {}, "limits": {}},
	"burstable": count(get.map(home, ["spec", "resources"])) > 0,
	"path": ["spec", "replicas"],
	"unsettable": true,
})]} if {
	instances.value > 1
}

data_volume := at_home(shared.volume(path, array.concat(path, ["size"]), array.concat(path, ["storageClassName"]), [
	shared.located(home, path, {"size": ["size"], "class": ["storageClassName"]}),
])) if {
	path := ["spec", "database"]
	is_object(object.get(home, path, null))
	not relocated
}

# Then what the volume is says nothing of the data.
relocated if {
	mount.relocated(concat("/", [volume_directory, "pgdata"]), volume_directory, own_mounts, {said_by(variable) |
		some variable in get.list(home, ["spec", "env"])
		get.string(variable, "name") == "PGDATA"
	})
}

# The WAL, where initdb is told a directory that lies on a volume of one's own (spec.volume).
wal_volume := at_home(shared.claim(home, claimed[mounted.name])) if {
	mounted := mount.above(wal_directory, own_mounts)
}

claimed := {name: ["spec", "volume", "volumeClaimTemplates", i, "spec"] |
	listed := get.list(home, ["spec", "volume", "volumeClaimTemplates"])
	some name, i in get.last_of_each([[of, k] | some k, template in listed; of := get.string(template, "name")])
}

own_mounts := [{"name": name, "directory": trim_right(directory, "/")} |
	some mounted in get.list(home, ["spec", "volume", "volumeMounts"])
	name := get.string(mounted, "name")
	directory := get.string(mounted, "mountPath")
]

wal_directory := trim_right(given[count(given) - 1], "/") if {
	given := array.concat(
		[substring(word, count("--waldir="), -1) | some option in options; some word in option.words; startswith(word, "--waldir=")],
		[text |
			some variable in get.list(home, ["spec", "env"])
			get.string(variable, "name") == "POSTGRES_INITDB_WALDIR"
			text := get.string(variable, "value")
		],
	)
	count(given) > 0
}

# The operator's own probe waits four minutes.
patience := probe.patience(k8s.object, ["spec", "probe"]) if reviewed_cluster

# -------------------------------------------------------------------------------------------------------- initdb

options := [{"words": words, "path": ["spec", "env", i, "value"]} |
	some i, variable in get.list(home, ["spec", "env"])
	is_object(variable)
	get.string(variable, "name") == "POSTGRES_INITDB_ARGS"
	text := get.text_at(variable, "value")
	not placeholder.unknown(text)
	words := [word | some word in split(text, " "); word != ""]
]

# Without a text in sight: what comes out of a ConfigMap or a Secret, or is filled in later, is not known.
unreadable if {
	some variable in get.list(home, ["spec", "env"])
	is_object(variable)
	get.string(variable, "name") == "POSTGRES_INITDB_ARGS"
}

segment := at_home(placed(initdb.option_segment(options[0].words, options[0].path), options[0].path))

segment := at_home(initdb.default_segment(["spec", "env"])) if {
	home
	count(options) == 0
	not unreadable
}

checksums := at_home(placed(initdb.option_checksums(options[0].words, options[0].path, major_number), options[0].path))

checksums := at_home(initdb.default_checksums(major_number, ["spec", "env"])) if {
	count(options) == 0
	not unreadable
}

major_number := major.value

major_number := null if not major

# The words stand in one text.
placed(f, path) := object.union(f, {"path": path})

# ------------------------------------------------------------------------------------------------------- backups

archiving := shared.archiving(parameters)

archiving := at_home({"value": "off", "origin": "postgres", "path": custom_path}) if {
	home
	not unseen
	not shared.archiving(parameters)
}

# ------------------------------------------------------------------------------------------------------- refusals

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(
	[fault |
		reviewed_cluster
		some fault in schema.faults("kubegres", k8s.object)
	],
	array.concat(without_passwords, array.concat(literal_passwords, without_backup_place)),
)

# internal/controller/spec/checker/SpecChecker.go: "… is undefined", and nothing is created or changed. Where none of the two is written, the manifest is a part of one.
without_passwords := [{
	"path": ["spec", "env"],
	"reason": sprintf("spec.env has no %s", [name]),
	"cure": "Add it, from a Secret",
} |
	reviewed_cluster
	variables := get.list(k8s.object, ["spec", "env"])
	count(variables) > 0
	names := {get.string(variable, "name") | some variable in variables}
	count(names) == count(variables)
	passwords := {"POSTGRES_PASSWORD", "POSTGRES_REPLICATION_PASSWORD"}
	count(passwords & names) == 1
	some name in (passwords - names)
	count([1 | some other in names; placeholder.holds(other)]) == 0
]

# What copies the primary for a replica takes valueFrom of it alone (internal/controller/spec/template/ResourcesCreatorFromTemplate.go).
literal_passwords := [{
	"path": ["spec", "env", i, "value"],
	"reason": "POSTGRES_REPLICATION_PASSWORD has a value, and the copies of the primary take the one of a Secret only (valueFrom), so that no replica starts",
	"cure": "Write valueFrom.secretKeyRef",
} |
	reviewed_cluster
	shared.whole(object.get(k8s.object, ["spec", "replicas"], null)) > 1
	some i, variable in get.list(k8s.object, ["spec", "env"])
	get.string(variable, "name") == "POSTGRES_REPLICATION_PASSWORD"
	get.present(variable, "value")
	not get.present(variable, "valueFrom")
]

without_backup_place := [{
	"path": ["spec", "backup"],
	"reason": sprintf("spec.backup has a schedule and no %s", [field]),
	"cure": sprintf("Write %s, or take the schedule out", [field]),
} |
	reviewed_cluster
	get.string(k8s.object, ["spec", "backup", "schedule"])
	some field in ["pvcName", "volumeMount"]
	object.get(k8s.object, ["spec", "backup", field], "") in {"", null}
]
