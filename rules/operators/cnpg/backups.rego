package walguard.operators.cnpg

import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.index
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.store as store_endpoint

# ------------------------------------------------------------------------------------------------------- backups

empty_check := concat("/", [operator.annotations, "skipEmptyWalArchiveCheck"])

annotation(key) := get.string(k8s.annotations, concat("/", [operator.annotations, key]))

archiver_plugins := [i |
	some i, plugin in get.list(spec, "plugins")
	is_object(plugin)
	takes_wal(plugin)
	not disabled(plugin)
]

takes_wal(plugin) if get.boolean(plugin, "isWALArchiver")

# WAL is given to every plugin that can archive, whatever the field says (pkg/management/postgres/archiver/archiver.go, archiveWALViaPlugins).
takes_wal(plugin) if {
	not get.boolean(plugin, "isWALArchiver")
	get.string(plugin, "name") == "barman-cloud.cloudnative-pg.io"
	get.present(plugin, ["parameters", "barmanObjectName"])
}

# Another plugin archives too where it can.
archiver_unfilled if {
	some plugin in get.list(spec, "plugins")
	is_object(plugin)
	get.string(plugin, "name")
	get.string(plugin, "name") != "barman-cloud.cloudnative-pg.io"
	not disabled(plugin)
}

# A plugin that somebody may yet make the archiver.
archiver_unfilled if {
	some plugin in get.list(spec, "plugins")
	some field in ["isWALArchiver", "enabled"]
	get.unknown(plugin, field)
}

disabled(plugin) if get.boolean(plugin, "enabled") == false

in_tree_store if is_object(object.get(spec, ["backup", "barmanObjectStore"], null))

archiving := fact.written("off", ["metadata", "annotations", concat("/", [operator.annotations, "skipWalArchiving"])]) if skips_archiving

archiving := fact.written("on", ["spec", "plugins", archiver_plugins[0], "isWALArchiver"]) if {
	not skips_archiving
	count(archiver_plugins) > 0
}

archiving := fact.written("on", ["spec", "backup", "barmanObjectStore"]) if {
	not skips_archiving
	count(archiver_plugins) == 0
	in_tree_store
}

# Without an archiver archive_command succeeds and the WAL is gone (pkg/management/postgres/archiver), with archive_mode on
# and the condition ContinuousArchiving true.
archiving := fact.operator("discards", ["spec", "plugins"]) if {
	count(spec) > 0
	not skips_archiving
	not archiver_unfilled
	count(archiver_plugins) == 0
	not in_tree_store
}

skips_archiving if annotation("skipWalArchiving") == "enabled"

# METADATA
# description: The choices of where base backups are taken – those of the schedules in sight, else that of a configured cluster.
choices := scheduled if count(scheduled) > 0

choices := [cluster_choice] if {
	count(scheduled) == 0
	configured
}

cluster_choice := fact.written(target, target_path) if target := get.string(spec, ["backup", "target"])

cluster_choice := fact.operator("prefer-standby", target_path) if not get.string(spec, ["backup", "target"])

target_path := ["spec", "backup", "target"]

configured if in_tree_store

configured if {
	is_object(object.get(spec, ["backup", "volumeSnapshot"], null))
	not cold_snapshots
}

cold_snapshots if get.boolean(spec, ["backup", "volumeSnapshot", "online"]) == false

configured if count(archiver_plugins) > 0

# METADATA
# description: The ScheduledBackups of the cluster. Where its own namespace is left to who applies the file, one that names its namespace may be of it.
own_schedules := [schedule |
	some schedule in array.concat(inventory.list(k8s.namespace, k8s.api_version, "ScheduledBackup"), schedules_afar)
	get.string(schedule, ["spec", "cluster", "name"]) == k8s.name
]

schedules_afar := [schedule |
	inventory.few_namespaces
	not get.string(k8s.object, ["metadata", "namespace"])
	some schedule in inventory.in_all_files(k8s.api_version, "ScheduledBackup")
	namespace := get.string(schedule, ["metadata", "namespace"])
	namespace != k8s.namespace
	not inventory.namespaced_object(namespace, k8s.api_version, "Cluster", k8s.name)
]

scheduled := [choice |
	some schedule in own_schedules
	not get.boolean(schedule, ["spec", "suspend"])
	not cold(schedule)
	choice := choice_of(schedule)
]

choice_of(schedule) := object.union(
	fact.written(target, ["spec", "target"]),
	{"resource": k8s.reference(schedule)},
) if {
	target := get.string(schedule, ["spec", "target"])
}

choice_of(schedule) := cluster_choice if not get.string(schedule, ["spec", "target"])

# A cold snapshot is of a stopped server: PostgreSQL has no say in it.
cold(schedule) if {
	get.string(schedule, ["spec", "method"]) == "volumeSnapshot"
	get.boolean(schedule, ["spec", "online"]) == false
}

cold(schedule) if {
	get.string(schedule, ["spec", "method"]) == "volumeSnapshot"
	not get.present(schedule, ["spec", "online"])
	cold_snapshots
}

from_standby := [choice | some choice in choices; choice.value != "primary"]

standby_backup := object.union(from_standby[0], {"value": true}) if {
	count(from_standby) > 0
	instances.value > 1
}

standby_backup := object.union(choices[0], {"value": false}) if {
	count(from_standby) == 0
	count(choices) > 0
}

# The only instance is the primary.
standby_backup := object.union(from_standby[0], {"value": false}) if {
	count(from_standby) > 0
	instances.value <= 1
}

# METADATA
# description: |
#   Completed backups: Backup objects by phase and stoppedAt, and what the barman plugin reports in its ObjectStore. Not the
#   condition ContinuousArchiving, and not status.lastSuccessfulBackup, which the plugin never sets. What was finished
#   before this cluster was made belongs to a former one of the same name.
backups := array.concat(
	[object.union_n([
		{"finished": backup.status.stoppedAt, "from": source(target_of(backup)), "name": name},
		{"schedule": found | found := schedule_of(backup)},
		{"proven": true | proven(backup)},
	]) |
		some backup in completed
		name := get.string(backup, ["metadata", "name"])
	],
	[{"finished": finished, "from": "unknown", "name": store} |
		some plugin in get.list(spec, "plugins")
		is_object(plugin)
		store := get.string(plugin, ["parameters", "barmanObjectName"])
		object_store := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", store)
		server := server_name(get.map(plugin, "parameters"), k8s.name)
		finished := get.string(object_store, ["status", "serverRecoveryWindow", server, "lastSuccessfulBackupTime"])
		time.parse_rfc3339_ns(finished) >= k8s.created
	],
)

own_backups := inventory.of_cluster(k8s.namespace, k8s.api_version, "Backup", k8s.name)

completed := [backup |
	some backup in own_backups
	backup.status.phase == "completed"
	time.parse_rfc3339_ns(get.string(backup, ["status", "stoppedAt"])) >= k8s.created
]

# The status names the major that was running, and of the barman plugin the uid of the cluster.
proven(backup) if {
	status := evidence.recorded(backup)
	status.phase == "completed"
	agrees(object.get(status, "majorVersion", null), known_major)
	agrees(object.get(status, ["pluginMetadata", "clusterUID"], null), get.string(k8s.object, ["metadata", "uid"]))
}

agrees(null, _) := true

agrees(stated, own) if stated == own

# Nobody states the major.
agrees(stated, null) if is_number(stated)

# The operator's label on what a ScheduledBackup made.
schedule_of(backup) := get.string(backup, ["metadata", "labels", "cnpg.io/scheduled-backup"])

schedule_of(backup) := name if {
	not get.string(backup, ["metadata", "labels", "cnpg.io/scheduled-backup"])
	name := get.string(backup, ["metadata", "labels", "k8s.enterprisedb.io/scheduled-backup"])
}

target_of(backup) := get.string(backup, ["spec", "target"])

target_of(backup) := cluster_choice.value if not get.string(backup, ["spec", "target"])

source("primary") := "primary"

# prefer-standby falls back to the primary where there is nothing else.
source(target) := "primary" if {
	target != "primary"
	instances.value <= 1
}

source(target) := "standby" if {
	target != "primary"
	instances.value > 1
}

source(target) := "unknown" if {
	target != "primary"
	not instances
}

# METADATA
# description: |
#   Clusters that were recovered from this one's backups and became ready: from a Backup or its volume snapshots in the same
#   namespace, or from the same object store and server name. Proven are those whose spec was never changed, and which were recovered
#   from a proven backup that was finished before, or from the archive that its status names.
restores := [object.union_n([
	{"ready": ready, "cluster": name},
	{"major": n | n := image.major(get.string(other, ["spec", "imageName"]))},
	{"proven": true | recovered(other, recovery, ready)},
]) |
	some other in possible_copies
	recovery := get.map(other, ["spec", "bootstrap", "recovery"])
	recovers(other, recovery)
	ready := ready_since(get.map(other, "status"))
	name := get.string(other, ["metadata", "name"])
]

# Where this one keeps nothing in an archive, only its Backups are left, which are read in their own namespace.
possible_copies := inventory.copies(k8s.api_version, "Cluster") if count(archives) > 0

possible_copies := index.copies_of(inventory.by_name(k8s.namespace, k8s.api_version, "Cluster")) if count(archives) == 0

ready_since(status) := moments[0] if {
	moments := [moment |
		some condition in get.list(status, "conditions")
		get.string(condition, "type") == "Ready"
		get.string(condition, "status") == "True"
		moment := get.string(condition, "lastTransitionTime")
	]
	count(moments) > 0
}

recovered(other, recovery, ready) if {
	ready_since(evidence.recorded(other)) == ready
	some backup in completed
	proven(backup)
	evidence.in_order(backup.status.stoppedAt, ready)
	from_backup(other, recovery, backup)
}

from_backup(other, recovery, backup) if {
	other.metadata.namespace == k8s.namespace
	get.string(recovery, ["backup", "name"]) == backup.metadata.name
}

# The operator calls the snapshot of the data as the Backup.
from_backup(other, recovery, backup) if {
	other.metadata.namespace == k8s.namespace
	backup.status.method == "volumeSnapshot"
	get.string(recovery, ["volumeSnapshots", "storage", "name"]) == backup.metadata.name
}

from_backup(other, recovery, backup) if {
	archived_by := archive_of(backup)
	some external in get.list(other, ["spec", "externalClusters"])
	is_object(external)
	get.string(external, "name") == get.string(recovery, "source")
	some archive in archives_sought(external, get.string(other, ["metadata", "name"]), get.string(other, ["metadata", "namespace"]))
	archive in archived_by
}

# Of the plugin the status names the cluster only: then it is the archive that the cluster keeps, before the update too.
archive_of(backup) := destination(backup.status, backup.status, k8s.name, k8s.namespace) if get.string(backup, ["status", "destinationPath"])

archive_of(backup) := kept & kept_before if {
	not get.string(backup, ["status", "destinationPath"])
	get.string(backup, ["status", "pluginMetadata", "clusterUID"])
}

kept := kept_by(k8s.object)

kept_before := kept_by(k8s.old_object) if k8s.old_object

kept_before := kept if not k8s.old_object

kept_by(o) := {archive |
	some plugin in get.list(o, ["spec", "plugins"])
	is_object(plugin)
	get.boolean(plugin, "isWALArchiver")
	not disabled(plugin)
	some archive in archives_of({"plugin": plugin}, k8s.name, k8s.namespace)
}

recovers(other, recovery) if {
	get.string(other, ["metadata", "namespace"]) == k8s.namespace
	own_backup(get.string(recovery, ["backup", "name"]))
}

recovers(other, recovery) if {
	get.string(other, ["metadata", "namespace"]) == k8s.namespace
	own_backup(get.string(recovery, ["volumeSnapshots", "storage", "name"]))
}

recovers(other, recovery) if {
	some external in get.list(other, ["spec", "externalClusters"])
	is_object(external)
	get.string(external, "name") == get.string(recovery, "source")
	some archive in archives_sought(external, get.string(other, ["metadata", "name"]), get.string(other, ["metadata", "namespace"]))
	archive in archives
}

# METADATA
# description: Where this cluster's backups go, in a form that can be compared (see archives_of).
archives := {archive |
	some method in array.concat([get.map(spec, "backup")], [{"plugin": plugin} | some plugin in get.list(spec, "plugins")])
	some archive in archives_of(method, k8s.name, k8s.namespace)
}

# METADATA
# description: |
#   The archives that an object names with barmanObjectStore or plugin.parameters: destination, endpoint and server name, and
#   for the plugin also namespace and name of the ObjectStore, whose destination is read where it is in sight.
archives_of(method, default_server, namespace) := (destination(get.map(method, "barmanObjectStore"), get.map(method, "barmanObjectStore"), default_server, namespace) | named) | stored if {
	parameters := get.map(method, ["plugin", "parameters"])
	named := {["ObjectStore", namespace, store, server_name(parameters, default_server)] |
		store := get.string(parameters, "barmanObjectName")
	}
	stored := {archive |
		store := get.string(parameters, "barmanObjectName")
		object_store := inventory.namespaced_object(namespace, "barmancloud.cnpg.io/v1", "ObjectStore", store)
		some archive in destination(get.map(object_store, ["spec", "configuration"]), parameters, default_server, namespace)
	}
}

# METADATA
# description: |
#   The archives that a cluster is recovered from. barman-cloud takes the name of the external cluster for that of the server, and the plugin that of the
#   cluster which is recovered (plugin-barman-cloud, internal/cnpgi/operator/config/config.go).
archives_sought(external, recovered_name, namespace) := archives_of(object.filter(external, ["barmanObjectStore"]), get.string(external, "name"), namespace) | archives_of(object.filter(external, ["plugin"]), recovered_name, namespace)

destination(store, named_by, default_server, namespace) := {[path, store_endpoint.seen_from(namespace, endpoint), server_name(named_by, default_server)] |
	path := trim_right(get.string(store, "destinationPath"), "/")
	some endpoint in [object.get(store, "endpointURL", "")]
}

server_name(parameters, _) := get.string(parameters, "serverName")

server_name(parameters, default_server) := default_server if not get.string(parameters, "serverName")

own_backup(name) if {
	backup := inventory.namespaced_object(k8s.namespace, k8s.api_version, "Backup", name)
	get.string(backup, ["spec", "cluster", "name"]) == k8s.name
}
