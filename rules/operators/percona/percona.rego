# METADATA
# title: Percona Operator for PostgreSQL
# description: |
#   Percona's operator, PerconaPGCluster v2, built upon Crunchy's: it makes a PostgresCluster, which is not judged a second time,
#   and reads parameters in Patroni's section only. Logical replicas, extra configuration files and pgBackRest's own volumes
#   are not read. The segment size cannot be chosen. A PerconaPGCluster of release 1 (pg.percona.com) is recognised with its
#   version, instances, volume, resources, stores and restores; its parameters stand in a ConfigMap that is not read.
# related_resources:
#   - https://docs.percona.com/percona-operator-for-postgresql/latest/operator.html
#   - https://docs.percona.com/percona-operator-for-postgresql/latest/options.html
#   - https://docs.percona.com/legacy-documentation/percona-operator-for-postgresql/1/operator.html
# custom:
#   kinds:
#     - {group: pgv2.percona.com, versions: [v2], kind: PerconaPGCluster, plural: perconapgclusters, namespaced: true, role: cluster}
#     - {group: pg.percona.com, versions: [v1], kind: PerconaPGCluster, plural: perconapgclusters, namespaced: true, role: cluster}
#     - {group: pg.percona.com, versions: [v1], kind: Pgtask, plural: pgtasks, namespaced: true, role: support, served: false}
#     - {group: pgv2.percona.com, versions: [v2], kind: PerconaPGBackup, plural: perconapgbackups, namespaced: true, role: support}
#     - {group: pgv2.percona.com, versions: [v2], kind: PerconaPGRestore, plural: perconapgrestores, namespaced: true, role: support}
#     - {group: pgv2.percona.com, versions: [v2], kind: PerconaPGUpgrade, plural: perconapgupgrades, namespaced: true, role: support}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: change, contains: [pgv2.percona.com/override-config], watched: false}
#     - {group: cert-manager.io, versions: [v1], kind: Certificate, plural: certificates, namespaced: true, role: support, served: false}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.backups.pgbackrest.configuration[].configMap.name", "spec.dataSource.pgbackrest.configuration[].configMap.name", "spec.proxy.pgBouncer.config.files[].configMap.name", spec.databaseInitSQL.name, "spec.instances[].env[].valueFrom.configMapKeyRef.name", "spec.instances[].envFrom[].configMapRef.name", "spec.instances[].sidecarVolumes[].configMap.name", "spec.proxy.pgBouncer.sidecarVolumes[].configMap.name"], made: ["{metadata.name}-config", "{metadata.name}-pgbackrest-config", "{metadata.name}-pgbouncer"]}}
#   cel:
#     groups: [pgv2.percona.com]
#     parameters: [spec.patroni.dynamicConfiguration.postgresql.parameters]
#     variables:
#       archiving: "object.?spec.?backups.?enabled.orValue(true) && object.?spec.?backups.?pgbackrest.?repos.orValue([]).size() > 0"
#       synchronous: "object.?spec.?patroni.?dynamicConfiguration.?synchronous_mode.orValue(false) == true"
#   facts:
#     version: {read: "postgresVersion"}
#     parameters: {read: "patroni.dynamicConfiguration.postgresql.parameters"}
#     defaults: {default: "archive_timeout 60s; jit off; huge_pages by the resources; 5 more; wal_level logical"}
#     fixed: {default: "archive_mode on; ssl on and some 20 more"}
#     ignored: {read: "config.parameters"}
#     instances: {read: "instances[].replicas, summed", default: "1 of each set"}
#     resources: {read: "instances[].resources"}
#     huge_pages: {read: "instances[].resources.limits"}
#     machine: {read: "instances[].affinity.nodeAffinity"}
#     volume: {read: "instances[].dataVolumeClaimSpec"}
#     storage_class: {read: "instances[].dataVolumeClaimSpec"}
#     performance: {read: "instances[].dataVolumeClaimSpec.volumeAttributesClassName"}
#     wal_volume: {read: "instances[].walVolumeClaimSpec"}
#     tablespaces: {read: "instances[].tablespaceVolumes"}
#     segment: {default: "16 MB; unknown with dataSource"}
#     checksums: {default: "on; unknown with dataSource"}
#     synchronous: {read: "patroni.dynamicConfiguration.synchronous_mode"}
#     slots: {read: "patroni.dynamicConfiguration.postgresql.use_slots", default: "off"}
#     rewind: {default: "always"}
#     pooler: {read: "proxy.pgBouncer", default: "none"}
#     archiving: {read: "backups.pgbackrest.repos; backups.enabled"}
#     schedules: {read: "backups.pgbackrest.repos[].schedules; backups.volumeSnapshots.schedule"}
#     repositories: {read: "backups.pgbackrest.repos; global"}
#     standby_backup: {read: "backups.pgbackrest.global backup-standby; else the primary"}
#     backups: {read: "PerconaPGBackup; its status of pgBackRest"}
#     restores: {read: "PerconaPGRestore; PerconaPGClusters made from it"}
package walguard.operators.percona

import data.walguard.lib.cluster as shared
import data.walguard.lib.crunchy as pgo
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.fields
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.schema
import data.walguard.lib.script
import data.walguard.lib.spilo

recognised if {
	k8s.kind == "PerconaPGCluster"
	k8s.group == "pgv2.percona.com"
}

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([
	object.filter(pgo.cluster, used),
	{
		"operator": "Percona Operator for PostgreSQL",
		"parameters": parameters,
		"parameters_path": pgo.patroni_path,
		"parameter_values": "any",
		"defaults": object.union(pgo.defaults, {"wal_level": "logical"}),
		"managed": managed,
		"ignored": ignored,
		"pods": pods,
		"companions": pgo.companions("containers"),
	},
	{"instance_sets": [object.remove(set, ["data"]) | some set in pgo.cluster.instance_sets] | relocated},
	{"archiving": found | found := archiving},
	{"unread": unread | count(unread) > 0},
	{"wrong_images": found | found := array.concat(array.concat(pgo.wrong_images, pgo.unnamed_images), images_of_pmm); count(found) > 0},
	{"lost": lost | count(lost) > 0},
	{"schemaless_users": schemaless_users | count(schemaless_users) > 0},
	pgo.surroundings,
	pgo.script_facts({"pg_cron", "pg_stat_monitor", "pg_stat_statements", "pgaudit"}),
	{"refusals": found | found := array.concat(array.concat(schema.faults("percona", k8s.object), pgo.refusals), rules_of_fields); count(found) > 0},
	pgo.image_facts,
	{"own_libraries": libraries | libraries},
	{"uncreated": found | found := users_of_its_own; count(found) > 0},
	{"misspelt_fields": found | found := fields.misspelt("percona", k8s.object); count(found) > 0},
	{"schedules_known": true, "first_backup": true},
	{"balancers": found | found := shared.balancers(k8s.object, [[place, array.concat(place, ["annotations"])] | some place in [["spec", "expose"], ["spec", "exposeReplicas"], ["spec", "proxy", "pgBouncer", "expose"]]]); count(found) > 0},
	{"claims_kept": true | not deletes("percona.com/delete-pvc")},
	{"deletions": deletions | count(deletions) > 0},
]) if {
	recognised
}

# ToCrunchy (pkg/apis/pgv2.percona.com/v2/perconapgcluster_types.go): "user is reserved, it'll be ignored". With PMM the list is taken as it is written and monitor added once more, which the schema of
# the PostgresCluster refuses.
users_of_its_own := [object.union({"path": ["spec", "users", i, "name"], "cure": "Give the user another name"}, fault) |
	some i, user in get.list(pgo.spec, "users")
	fault := reserved_user(get.string(user, "name"))
]

reserved_user("monitor") := {"level": "error", "reason": "The operator adds the user monitor for PMM to those of spec.users, so that there are two (\"Duplicate value\"): it creates and changes nothing"} if {
	get.boolean(pgo.spec, ["pmm", "enabled"])
} else := {"reason": "The operator keeps the user monitor for PMM, and creates neither it nor its databases for spec.users"}

reserved_user("logicalrepl") := {"reason": "The operator keeps the user logicalrepl for logicalReplicas, and creates neither it nor its databases for spec.users"} if {
	count(get.list(pgo.spec, "logicalReplicas")) > 0
}

# Without a word it makes them a schema from crVersion 2.6 on (pkg/apis/pgv2.percona.com/v2/perconapgcluster_types.go).
schemaless_users := pgo.schemaless("Remove autoCreateUserSchema: false, or set grantPublicSchemaAccess for the user") if {
	pgo.initialised
	object.get(pgo.spec, "autoCreateUserSchema", true) == false
} else := []

# The operator deletes nothing but its own objects unless a finalizer asks for it.
finalizers := {"percona.com/delete-pvc": "volumes", "percona.com/delete-backups": "backups"}

deletes(finalizer) if finalizer in get.list(k8s.object, ["metadata", "finalizers"])

deletions := [{"what": what, "setting": finalizer, "path": ["metadata", "finalizers", i]} |
	some i, finalizer in get.list(k8s.object, ["metadata", "finalizers"])
	what := finalizers[finalizer]
]

# Without backups pgBackRest's options mean nothing.
used := object.keys(pgo.cluster) - {"standby_backup"} if switched_off

used := object.keys(pgo.cluster) if not switched_off

switched_off if get.boolean(pgo.spec, ["backups", "enabled"]) == false

pods := array.concat(
	[pod |
		some i, _ in get.list(k8s.object, ["spec", "instances"])
		path := ["spec", "instances", i]
		pod := {
			"sysctls": array.concat(path, ["securityContext", "sysctls"]),
			"containers": [array.concat(path, ["initContainers"]), array.concat(path, ["sidecars"])],
			"volumes": array.concat(path, ["sidecarVolumes"]),
			"environment": [array.concat(path, ["env"])],
		}
	],
	[{"containers": [array.concat(path, ["sidecars"])], "volumes": array.concat(path, ["sidecarVolumes"])} |
		some path in [["spec", "proxy", "pgBouncer"], ["spec", "backups", "pgbackrest"], ["spec", "backups", "pgbackrest", "repoHost"]]
		get.present(k8s.object, array.concat(path, ["sidecars"]))
	],
)

unread := array.concat(object.get(pgo.cluster, "unread", []), array.concat(array.concat(array.concat(unread_variables, unread_restores), array.concat(unread_upgrades, array.concat(unread_overrides, unread_collectors))), overlay.unread(
	server_mounts,
	["/pgdata", "/pgwal", "/opt/crunchy", "/etc/patroni", "/usr/pgsql-12", "/usr/pgsql-13", "/usr/pgsql-14", "/usr/pgsql-15", "/usr/pgsql-16", "/usr/pgsql-17", "/usr/pgsql-18"],
)))

# What is mounted into the server's container (internal/postgres/reconcile.go).
server_mounts := array.concat(
	[{"directory": directory, "volume": source, "path": ["spec", "instances", i, "extraVolumes", j]} |
		some i, set in get.list(k8s.object, ["spec", "instances"])
		some j, extra in get.list(set, "extraVolumes")
		some mounted in get.list(extra, "mounts")
		directory := get.string(mounted, "mountPath")
		source := get.map(extra, "volumeSource")
	],
	[{"directory": directory, "volume": described, "path": ["spec", "instances", i, "volumeMounts", j]} |
		some i, set in get.list(k8s.object, ["spec", "instances"])
		some j, mounted in get.list(set, "volumeMounts")
		directory := get.string(mounted, "mountPath")
		some described in get.list(set, "sidecarVolumes")
		get.string(described, "name") == get.string(mounted, "name")
	],
)

# Patroni's own variables come before its file.
unread_variables := [{"source": sprintf("the variable %s", [name]), "path": array.concat(path, [i]), "severity": severity_of_variable(object.get(variable, "value", ""))} |
	some path in [path | some pod in pods; some path in pod.environment]
	some i, variable in get.list(k8s.object, path)
	name := get.string(variable, "name")
	regex.match(concat("|", [`^PATRONI_(CONFIGURATION|POSTGRESQL_(BIN_.*|CONFIG_DIR|DATA_DIR))$`, spilo.stores]), name)
]

severity_of_variable(value) := "warning" if {
	is_string(value)
	script.loses(value)
} else := inventory.unread

# An upgrade runs containers with the volumes of the data before the server starts (internal/controller/pgupgrade/jobs.go).
unread_upgrades := [{"source": sprintf("what container %s of PerconaPGUpgrade %s/%s runs", [get.string(one, "name"), k8s.namespace, get.string(upgrade, ["metadata", "name"])]), "path": ["spec", "initContainers", i], "resource": k8s.reference(upgrade), "severity": inventory.unread} |
	some upgrade in inventory.list(k8s.namespace, k8s.api_version, "PerconaPGUpgrade")
	get.string(upgrade, ["spec", "postgresClusterName"]) == k8s.name
	some i, one in get.list(upgrade, ["spec", "initContainers"])
	text_ := script.of(one)
	script.alters(text_)
]

# The containers that collect and rotate logs have the volume of the data; logrotate runs scripts of its configuration, and Fluent Bit commands (percona/logcollector).
unread_collectors := [object.union({"source": source, "severity": inventory.unread}, where) |
	object.get(collector, "enabled", true) != false
	some [source, where, text_] in array.concat(
		[[source, {"path": path}, get.string(k8s.object, path)] | some [source, path] in [["the configuration of the log collector", ["spec", "logcollector", "configuration"]], ["the configuration of logrotate", ["spec", "logcollector", "logRotate", "configuration"]]]],
		array.concat(
			[["what the probes of the log collector run", {"path": path}, script.of(get.map(k8s.object, path))] | some path in [["spec", "logcollector"], ["spec", "logcollector", "logRotate"]]],
			[["the configuration of logrotate", {"path": ["data", key], "resource": k8s.reference(holder)}, get.text(value)] |
				holder := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(collector, ["logRotate", "extraConfig", "name"]))
				some key, value in get.map(holder, "data")
			],
		),
	)
	script.alters(text_)
]

collector := get.map(k8s.object, ["spec", "logcollector"])

# pgBackRest takes its options from variables too.
unread_restores := [{"source": sprintf("the variable %s", [name]), "path": array.concat(path, [i]), "severity": inventory.unread} |
	some path in [array.concat(pgo.pgbackrest, below) | some below in [["env"], ["restore", "env"], ["manual", "env"]]]
	some i, variable in get.list(k8s.object, path)
	name := get.string(variable, "name")
	regex.match(`^PGBACKREST_(RECOVERY_OPTION|LINK_MAP|TABLESPACE_MAP|CONFIG.*)$`, name)
]

lost := array.concat(array.concat(object.get(pgo.cluster, "lost", []), linked_by_restores), array.concat(
	array.concat(mount.lost(data_directory, "/pgdata", server_mounts), array.concat(
		mount.lost(sprintf("/pgwal/%s_wal", [trim_prefix(data_directory, "/pgdata/")]), "/pgwal", server_mounts),
		[part |
			some mounted in server_mounts
			mount.within(mount.clean(mounted.directory), "/tablespaces")
			some part in mount.lost(mount.clean(mounted.directory), "/tablespaces", [mounted])
		],
	)),
	mount.unkept(
		[{"name": name, "value": value, "path": array.concat(path, [i, "value"])} |
			some path in [path | some pod in pods; some path in pod.environment]
			some i, variable in get.list(k8s.object, path)
			name := get.string(variable, "name")
			name == "PATRONI_POSTGRESQL_DATA_DIR"
			value := get.string(variable, "value")
		],
		array.concat(["/pgdata"], [mounted.directory | some mounted in server_mounts]),
	),
))

# Then what the volume is says nothing of the data.
relocated if mount.relocated(data_directory, "/pgdata", server_mounts, {value |
	some path in [path | some pod in pods; some path in pod.environment]
	some variable in get.list(k8s.object, path)
	get.string(variable, "name") == "PATRONI_POSTGRESQL_DATA_DIR"
	value := get.string(variable, "value")
})

relocated if {
	some mounted in server_mounts
	mount.within(mount.clean(mounted.directory), "/tablespaces")
}

data_directory := sprintf("/pgdata/pg%d", [pgo.major.value]) if pgo.major

data_directory := "/pgdata/pg" if not pgo.major

# --------------------------------------------------------------------------------------------------- parameters

parameters := array.concat(array.concat(shared.parameters(k8s.object, pgo.patroni_path), pgo.later_parameters), restored_parameters)

# A restore in place, with options of its own, for as long as its object is there.
restored_parameters := [{"name": replace(name, "-", "_"), "value": trim(substring(option, count(name) + 1, -1), `"'`), "path": ["spec", "options"], "resource": k8s.reference(restore)} |
	some restore in inventory.list(k8s.namespace, k8s.api_version, "PerconaPGRestore")
	get.string(restore, ["spec", "pgCluster"]) == k8s.name
	words := concat(" ", [word | some word in get.list(restore, ["spec", "options"]); is_string(word)])
	some option in pgo.recovery_options(words)
	name := split(option, "=")[0]
	contains(option, "=")
]

# pgBackRest puts parts of what it restores elsewhere, and links there.
linked_by_restores := [object.union(part, {"resource": k8s.reference(restore)}) |
	some restore in inventory.list(k8s.namespace, k8s.api_version, "PerconaPGRestore")
	get.string(restore, ["spec", "pgCluster"]) == k8s.name
	some part in pgo.linked_elsewhere(concat(" ", [word | some word in get.list(restore, ["spec", "options"]); is_string(word)]), ["spec", "options"])
]

# A restore_command of one's own is honoured (internal/pgbackrest/postgres.go), and log_file_mode left alone.
managed := object.remove(pgo.managed, ["log_file_mode"])

# The schema has Crunchy's spec.config.parameters, of which Percona's operator reads only its neighbour, files.
ignored := array.concat(
	array.concat(array.concat(array.concat(pgo.misplaced, pgo.left_aside), extensions_without_secret), [object.union(setting, {"place": pgo.patroni_path, "reason": reason}) |
		some setting in shared.parameters(k8s.object, ["spec", "config", "parameters"])
	]),
	array.concat(pgo.sets_alone, [{"name": "--set", "path": ["spec", "options"], "resource": k8s.reference(restore), "reason": pgo.after_set, "level": "warning"} |
		some restore in inventory.list(k8s.namespace, k8s.api_version, "PerconaPGRestore")
		get.string(restore, ["spec", "pgCluster"]) == k8s.name
		not get.present(restore, ["status", "state"])
		pgo.set_alone(concat(" ", [word | some word in get.list(restore, ["spec", "options"]); is_string(word)]))
	]),
)

# reconcileCustomExtensions returns there (percona/controller/pgcluster/controller.go).
extensions_without_secret := [{
	"name": "extensions.custom",
	"path": ["spec", "extensions", "custom"],
	"reason": "the operator installs none of them without extensions.storage.secret, the credentials of the bucket. Name the Secret there",
	"level": "warning",
} |
	count(get.list(k8s.object, ["spec", "extensions", "custom"])) > 0
	not get.present(k8s.object, ["spec", "extensions", "storage", "secret"])
]

reason := "this operator takes parameters from spec.patroni.dynamicConfiguration.postgresql.parameters only"

# ------------------------------------------------------------------------------------------------------- backups

archiving := fact.written("on", array.concat(pgo.pgbackrest, ["repos"])) if {
	not switched_off
	count(pgo.repositories) > 0
	not pgo.archive_dropped
}

archiving := pgo.archive_dropped if {
	not switched_off
	count(pgo.repositories) > 0
}

# archive_command is "true" then, with archive_mode on.
archiving := fact.written("discards", ["spec", "backups", "enabled"]) if switched_off

# METADATA
# description: |
#   PerconaPGBackups that succeeded, and what the resource's own status says of backups that the operator started itself. What was
#   finished before this cluster was made belongs to a former one of the same name.
backups := array.concat(pgo.backups, [object.union({"finished": finished, "from": source(backup), "name": name}, {"proven": true | proven(backup)}) |
	some backup in inventory.of_cluster(k8s.namespace, k8s.api_version, "PerconaPGBackup", k8s.name)
	get.string(backup, ["status", "state"]) == "Succeeded"
	finished := get.string(backup, ["status", "completed"])
	time.parse_rfc3339_ns(finished) >= k8s.created
	name := get.string(backup, ["metadata", "name"])
]) if {
	recognised
}

# The operator itself fills in what a spec leaves out, so that the job counts too, which the status names: the operator calls it after the
# cluster (internal/naming/names.go).
proven(backup) if evidence.recorded(backup).state == "Succeeded"

proven(backup) if {
	job := evidence.status(backup).jobName
	startswith(job, sprintf("%s-", [k8s.name]))
	regex.match(`^(backup-[a-z0-9]{4}|repo[1-4]-(full|diff|incr)-[0-9]+)$`, substring(job, count(k8s.name) + 1, -1))
}

source(backup) := pgo.backup_source if not of_volume(backup)

source(backup) := "unknown" if of_volume(backup)

of_volume(backup) if get.string(backup, ["spec", "method"]) == "volumeSnapshot"

# METADATA
# description: |
#   This cluster brought back to one of its backups, and clusters made from its repository that are ready. Nothing tells when those
#   became ready; they were not before they were created.
restores := array.concat(
	[object.union({"ready": ready, "cluster": k8s.name}, {"proven": true | evidence.recorded(restore).state == "Succeeded"}) |
		some restore in inventory.list(k8s.namespace, k8s.api_version, "PerconaPGRestore")
		get.string(restore, ["spec", "pgCluster"]) == k8s.name
		get.string(restore, ["status", "state"]) == "Succeeded"
		ready := get.string(restore, ["status", "completed"])
		time.parse_rfc3339_ns(ready) >= k8s.created
	],
	[object.union(pgo.copy(other, created), {"proven": true | evidence.recorded(other).state == "ready"}) |
		some other in inventory.copies(k8s.api_version, "PerconaPGCluster")
		pgo.copied(other)
		get.string(other, ["status", "state"]) == "ready"
		created := get.string(other, ["metadata", "creationTimestamp"])
		time.parse_rfc3339_ns(created) >= k8s.created
	],
) if {
	recognised
}

# --------------------------------------------------------------------------------------------------- release 1

recognised_first if {
	k8s.kind == "PerconaPGCluster"
	k8s.group == "pg.percona.com"
}

cluster := object.union_n([
	{
		"operator": "Percona Operator for PostgreSQL 1",
		"name": k8s.name,
		"namespace": k8s.namespace,
		"partial": true,
		"parameters": [],
		"parameters_path": ["spec", "pgPrimary", "customconfig"],
		"parameter_values": "any",
		"patroni": true,
		"defaults": {},
		"managed": {},
		"instance_sets": [first_set],
	},
	{"unread": [{"source": sprintf("ConfigMap %s/%s", [k8s.namespace, name]), "path": ["spec", "pgPrimary", "customconfig"], "severity": inventory.unread} | name := get.string(primary, "customconfig")]},
	{"major": fact.written(number, ["spec", "pgPrimary", "image"]) | number := first_major},
	{"instances": found | found := first_instances},
	{"unusable_stores": unusable_first | count(unusable_first) > 0},
	{"pooler_faults": pooler_first | count(pooler_first) > 0},
]) if {
	recognised_first
}

primary := get.map(k8s.object, ["spec", "pgPrimary"])

first_set := object.union_n([
	{
		"name": k8s.name,
		"path": ["spec", "pgPrimary"],
		"resources": shared.resources(primary, ["resources"]),
		"resources_path": ["spec", "pgPrimary", "resources"],
	},
	{"replicas": found | found := first_instances},
	{"data": volume | volume := first_volume},
])

# An empty class leaves the choice to the cluster.
first_volume := shared.volume(path, array.concat(path, ["size"]), array.concat(path, ["storageclass"]), [
	shared.located(k8s.object, path, {"size": ["size"]}),
	{"class": class | class := get.string(primary, ["volumeSpec", "storageclass"])},
]) if {
	path := ["spec", "pgPrimary", "volumeSpec"]
	is_object(object.get(primary, "volumeSpec", null))
}

# Tags name the distribution: "main-ppg14-postgres-ha".
first_major := majors[0] if {
	majors := [number |
		some part in split(image.tag(get.string(primary, "image")), "-")
		startswith(part, "ppg")
		number := shared.major(trim_prefix(part, "ppg"))
	]
}

first_instances := fact.written(1 + sum(replicas), ["spec", "pgReplicas"]) if {
	replicas := [n |
		some set in get.map(k8s.object, ["spec", "pgReplicas"])
		is_object(set)
		n := shared.whole(object.get(set, "size", null))
	]
	count(replicas) > 0
}
