# METADATA
# description: The schedules of base backups of a CloudNativePG cluster (see walguard.model.schedules).
package walguard.operators.cnpg.plan

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.operators.cnpg

# The operator's parser (robfig/cron of the first release) takes six fields, and of five the first one for the seconds.
schedules := [schedule |
	some o in cnpg.own_schedules
	schedule := object.union_n([
		{
			"method": "full",
			"seconds": true,
			"path": ["spec", "schedule"],
			"resource": k8s.reference(o),
			"needs_wal": count([1 | cnpg.cold(o)]) == 0,
		},
		# Other plugins take differences, some unless they are told otherwise.
		{"deltas": true |
			get.string(o, ["spec", "method"]) == "plugin"
			get.string(o, ["spec", "pluginConfiguration", "name"]) != "barman-cloud.cloudnative-pg.io"
		},
		{"text": text | text := get.string(o, ["spec", "schedule"])},
		{"unscheduled": true | not get.present(o, ["spec", "schedule"])},
		{"suspended": true | get.boolean(o, ["spec", "suspend"])},
		{"snapshot": true | get.string(o, ["spec", "method"]) == "volumeSnapshot"},
		unconfigured(o),
		{"doomed": {
			"reason": "it is taken on a standby, where pgBackRest finds no primary (\"unable to find primary cluster\")",
			"cure": "Set target: primary",
		} |
			on_standby_alone(o)
		},
		asleep,
	])
]

# "cannot backup a hibernated cluster" (internal/controller/backup_controller.go); before CloudNativePG 1.29 for want of a pod.
asleep := {
	"asleep": true,
	"doomed": {"reason": "the cluster is hibernated (cnpg.io/hibernation: on)", "cure": "Set suspend: true until it is woken", "level": "warning"},
} if {
	cnpg.annotation("hibernation") == "on"
} else := {}

# The sidecar runs pgBackRest with its own instance as the only one (internal/pgbackrest of the plugin), and backs up what is not in recovery.
on_standby_alone(o) if {
	get.string(o, ["spec", "method"]) == "plugin"
	get.string(o, ["spec", "pluginConfiguration", "name"]) == "pgbackrest.dalibo.com"
	object.get(o, ["spec", "target"], object.get(cnpg.spec, ["backup", "target"], "prefer-standby")) == "prefer-standby"
	cnpg.instances.value > 1
}

unconfigured(o) := {"unconfigured": method, "method_path": path_of_method(o)} if {
	method := object.get(o, ["spec", "method"], "barmanObjectStore")
	not configured(method, o)
} else := {}

# The default stands nowhere.
path_of_method(o) := ["spec", "method"] if get.present(o, ["spec", "method"])

path_of_method(o) := ["spec"] if not get.present(o, ["spec", "method"])

# What a schedule's method takes from the cluster.
configured("barmanObjectStore", _) if cnpg.in_tree_store

configured("volumeSnapshot", _) if is_object(object.get(cnpg.spec, ["backup", "volumeSnapshot"], null))

configured("plugin", o) if {
	some plugin in get.list(cnpg.spec, "plugins")
	is_object(plugin)
	may_be(get.string(plugin, "name"), get.string(o, ["spec", "pluginConfiguration", "name"]))
	not cnpg.disabled(plugin)
}

# Filled in later, it may be that one.
configured(method, _) if placeholder.holds(method)

may_be(name, other) if name == other

may_be(name, other) if {
	name != other
	count([1 | some text in [name, other]; placeholder.holds(text)]) > 0
}

# ---------------------------------------------------------------------------------------------------- repositories

retention_path := ["spec", "backup", "retentionPolicy"]

# METADATA
# description: The object stores of a cluster; see walguard.model.repositories.
repositories := array.concat(array.concat(in_tree, plugged_in), idle)

in_tree := [object.union(
	{
		"name": "its object store",
		"store": "objects",
		"retention": count([1 | get.present(k8s.object, retention_path)]) > 0,
		"cure": "spec.backup.retentionPolicy",
		"path": ["spec", "backup"],
	},
	kept_for(k8s.object, retention_path),
)] if {
	cnpg.in_tree_store
}

# A recovery window (docs/src/appendixes/backup_barmanobjectstore.md): every moment of so many days can be had back.
kept_for(holder, path) := {"days": to_number(found[1]) * {"d": 1, "m": 30, "w": 7}[found[2]], "days_path": path} if {
	text := get.string(holder, path)
	found := regex.find_all_string_submatch_n(`^([1-9][0-9]{0,4})([dwm])$`, text, 1)[0]
} else := {}

in_tree := [] if not cnpg.in_tree_store

plugged_in := [object.union_n([
	{
		"name": sprintf("ObjectStore %s", [name]),
		"store": "objects",
		"retention": count([1 | get.present(store, ["spec", "retentionPolicy"])]) > 0,
		"cure": "spec.retentionPolicy of the ObjectStore",
		"path": ["spec"],
		"resource": k8s.reference(store),
	},
	kept_for(store, ["spec", "retentionPolicy"]),
	idle_store(store),
]) |
	some i in cnpg.archiver_plugins
	name := get.string(cnpg.spec.plugins[i], ["parameters", "barmanObjectName"])
	store := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
]

# barman-cloud-backup-delete deletes WAL with the base backups before it, and finds none there.
idle_store(store) := {"idle": only_snapshots, "path": ["spec", "retentionPolicy"]} if {
	get.present(store, ["spec", "retentionPolicy"])
	snapshots_alone
} else := {}

only_snapshots := "WAL goes with the base backups that are deleted there, and all schedules take volume snapshots (method: volumeSnapshot), which retentionPolicy does not delete either. Schedule backups to the object store too"

snapshots_alone if {
	taken := [schedule | some schedule in schedules; not schedule.suspended]
	count(taken) > 0
	count([1 | some schedule in taken; schedule.snapshot]) == count(taken)
}

idle := [{
	"name": "its backups",
	"store": "objects",
	"retention": true,
	"idle": "spec.backup.retentionPolicy is for spec.backup.barmanObjectStore, which is not there; an ObjectStore has its own, and volume snapshots have none",
	"path": retention_path,
}] if {
	get.present(k8s.object, retention_path)
	not cnpg.in_tree_store
}

idle := [] if not get.present(k8s.object, retention_path)

idle := [{
	"name": "its object store",
	"store": "objects",
	"retention": true,
	"idle": only_snapshots,
	"path": retention_path,
} |
	snapshots_alone
] if {
	get.present(k8s.object, retention_path)
	cnpg.in_tree_store
}

# ------------------------------------------------------------------------------------------------------ collisions

# METADATA
# description: Where others archive to the same place; see walguard.model.collisions.
collisions := array.concat(
	[object.union_n([place, {"source": true, "other": name}, {"accepted": cnpg.empty_check | unchecked}]) |
		name := get.string(cnpg.spec, ["bootstrap", "recovery", "source"])
		some external in get.list(cnpg.spec, "externalClusters")
		is_object(external)
		get.string(external, "name") == name
		theirs := cnpg.archives_sought(external, k8s.name, k8s.namespace)
		some place in shared_with(theirs)
	],
	[object.union(place, {"source": false, "other": neighbour.title}) |
		some neighbour in inventory.neighbours(names)
		suspect(neighbour.object)
		theirs := archives_of(neighbour.object)
		some place in shared_with(theirs)
	],
) if {
	count(stanzas) == 0
}

# A stanza belongs to one cluster. What is recovered from one may go on there, and a replica cluster has the same WAL.
collisions := [object.union({"source": false, "other": neighbour.title}, object.filter(own_stanza, ["place", "path"])) |
	not get.present(cnpg.spec, "replica")
	some own_stanza in stanzas
	some neighbour in inventory.neighbours([concat("/", [own_stanza.namespace, own_stanza.name])])
	not get.present(neighbour.object, ["spec", "replica"])
	namespace := get.string(neighbour.object, ["metadata", "namespace"])
	count([1 |
		some theirs in stanzas_of(get.map(neighbour.object, "spec"), namespace)
		count(theirs.archives & own_stanza.archives) > 0
	]) > 0
] if {
	count(stanzas) > 0
}

stanzas := stanzas_of(cnpg.spec, k8s.namespace)

stanzas_of(spec, namespace) := [{"name": name, "namespace": namespace, "place": sprintf("stanza %s", [name]), "path": ["spec", "plugins", i, "parameters"], "archives": archives} |
	some i, plugin in get.list(spec, "plugins")
	get.string(plugin, "name") == "pgbackrest.dalibo.com"
	get.boolean(plugin, "isWALArchiver")
	not cnpg.disabled(plugin)
	name := get.string(plugin, ["parameters", "stanzaRef"])
	archives := {[namespace, name]} | {place |
		stanza := inventory.namespaced_object(namespace, "pgbackrest.dalibo.com/v1", "Stanza", name)
		some place in repositories_of(stanza)
	}
]

repositories_of(stanza) := {[endpoint, bucket, path, called] |
	called := get.string(stanza, ["spec", "stanzaConfiguration", "name"])
	some repository in get.list(stanza, ["spec", "stanzaConfiguration", "s3Repositories"])
	endpoint := get.string(repository, "endpoint")
	bucket := get.string(repository, "bucket")
	path := trim_right(get.string(repository, "repoPath"), "/")
	count([1 | some text in [endpoint, bucket, path]; placeholder.holds(text)]) == 0
}

# The operator refuses to archive to a place that is not empty, unless it is told to go on there on the new timeline.
unchecked if cnpg.annotation("skipEmptyWalArchiveCheck") == "enabled"

# One place for each, though an ObjectStore in sight is two archives.
shared_with(theirs) := [place |
	common := [o | some o in own; o.archive in theirs]
	count(common) > 0
	place := object.filter(common[0], ["place", "path"])
]

own := array.concat(
	[{"archive": archive, "place": place_of(archive), "path": ["spec", "backup", "barmanObjectStore"]} |
		count(cnpg.archiver_plugins) == 0
		some archive in cnpg.archives_of(get.map(cnpg.spec, "backup"), k8s.name, k8s.namespace)
	],
	[{"archive": archive, "place": place_of(archive), "path": ["spec", "plugins", i, "parameters"]} |
		some i in cnpg.archiver_plugins
		some archive in cnpg.archives_of({"plugin": cnpg.spec.plugins[i]}, k8s.name, k8s.namespace)
	],
)

place_of(archive) := sprintf("%s as server %s", [archive[0], archive[count(archive) - 1]]) if count(archive) == 3

place_of(archive) := sprintf("ObjectStore %s as server %s", [archive[2], archive[3]]) if count(archive) == 4

# What tells an archive from others: where it goes, and the name of the server there. An ObjectStore is of one namespace.
names := array.concat(
	[concat("/", [o.archive[0], o.archive[2]]) | some o in own; count(o.archive) == 3],
	[concat("/", o.archive) | some o in own; count(o.archive) == 4],
)

# Most others go elsewhere, which their own words say; only of a plugin the ObjectStore has to be looked up.
suspect(other) if count(get.list(other, ["spec", "plugins"])) > 0

suspect(other) if {
	path := get.string(other, ["spec", "backup", "barmanObjectStore", "destinationPath"])
	trim_right(path, "/") in destinations
}

destinations := {o.archive[0] | some o in own; count(o.archive) == 3}

archives_of(other) := {archive |
	name := other.metadata.name
	namespace := get.string(other, ["metadata", "namespace"])
	methods := array.concat(
		[get.map(other, ["spec", "backup"])],
		[{"plugin": plugin} |
			some plugin in get.list(other, ["spec", "plugins"])
			is_object(plugin)
			get.boolean(plugin, "isWALArchiver")
			not cnpg.disabled(plugin)
		],
	)
	some method in methods
	some archive in cnpg.archives_of(method, name, namespace)
}
