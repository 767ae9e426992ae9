# METADATA
# title: CloudNativePG
# description: |
#   CloudNativePG, and EDB Postgres for Kubernetes, which serves the same API under a group of its own. The image that the operator takes when the resource names none is configurable, so that the major is unknown then.
#   A cluster that is recovered or copied from another one has the segment size and the checksums of its source: unknown.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/cloudnative-pg.v1
#   - https://cloudnative-pg.io/docs/current/postgresql_conf
#   - https://www.enterprisedb.com/docs/postgres_for_kubernetes/latest/
# custom:
#   kinds:
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Cluster, plural: clusters, namespaced: true, role: cluster, scale: spec.instances}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Backup, plural: backups, namespaced: true, role: support, fields: [spec.cluster.name, spec.target, status.destinationPath, status.endpointURL, status.majorVersion, status.method, status.phase, status.pluginMetadata.clusterUID, status.serverName, status.stoppedAt]}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: ScheduledBackup, plural: scheduledbackups, namespaced: true, role: support}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Pooler, plural: poolers, namespaced: true, role: support, scale: spec.instances}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Database, plural: databases, namespaced: true, role: support, served: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: ImageCatalog, plural: imagecatalogs, namespaced: true, role: support}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: ClusterImageCatalog, plural: clusterimagecatalogs, namespaced: false, role: support}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Cluster, plural: clusters, namespaced: true, role: cluster, scale: spec.instances}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Backup, plural: backups, namespaced: true, role: support, fields: [spec.cluster.name, spec.target, status.destinationPath, status.endpointURL, status.majorVersion, status.method, status.phase, status.pluginMetadata.clusterUID, status.serverName, status.stoppedAt]}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: ScheduledBackup, plural: scheduledbackups, namespaced: true, role: support}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Pooler, plural: poolers, namespaced: true, role: support, scale: spec.instances}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Database, plural: databases, namespaced: true, role: support, served: false}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: ImageCatalog, plural: imagecatalogs, namespaced: true, role: support}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: ClusterImageCatalog, plural: clusterimagecatalogs, namespaced: false, role: support}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.bootstrap.initdb.postInitSQLRefs.configMapRefs[].name", "spec.bootstrap.initdb.postInitApplicationSQLRefs.configMapRefs[].name", "spec.bootstrap.initdb.postInitTemplateSQLRefs.configMapRefs[].name", "spec.env[].valueFrom.configMapKeyRef.name", "spec.envFrom[].configMapRef.name"]}}
#     - {group: barmancloud.cnpg.io, versions: [v1], kind: ObjectStore, plural: objectstores, namespaced: true, role: support}
#     - {group: cert-manager.io, versions: [v1], kind: Certificate, plural: certificates, namespaced: true, role: support, served: false}
#     - {group: external-secrets.io, versions: [v1, v1beta1], kind: ExternalSecret, plural: externalsecrets, namespaced: true, role: support, served: false}
#     - {group: bitnami.com, versions: [v1alpha1], kind: SealedSecret, plural: sealedsecrets, namespaced: true, role: support, served: false}
#     - {group: pgbackrest.dalibo.com, versions: [v1], kind: Stanza, plural: stanzas, namespaced: true, role: support, served: false}
#   cel:
#     parameters: [spec.postgresql.parameters]
#     words: "object.?spec.?bootstrap.?recovery.hasValue() || object.?spec.?bootstrap.?pg_basebackup.hasValue() ? [] : object.?spec.?bootstrap.?initdb.?options.orValue([])"
#     variables:
#       failover_quorum: "object.metadata.?annotations[?(object.apiVersion.startsWith('postgresql.cnpg.io/') ? 'cnpg.io' : 'k8s.enterprisedb.io') + '/failoverQuorum'].orValue('')"
#       synchronous: "object.?spec.?postgresql.?synchronous.hasValue() || object.?spec.?minSyncReplicas.orValue(0) > 0"
#   facts:
#     version: {read: "imageName; imageCatalogRef.major; of a running cluster its status"}
#     edition: {read: "EDB's image, where it is not the community's"}
#     parameters: {read: "postgresql.parameters"}
#     defaults: {default: "wal_level logical; wal_keep_size 512MB; 12 more"}
#     fixed: {default: "archive_mode; ssl; port and some 60 more"}
#     instances: {read: "instances", default: "1"}
#     resources: {read: "resources"}
#     huge_pages: {read: "resources"}
#     machine: {read: "affinity.nodeSelector; affinity.nodeAffinity"}
#     volume: {read: "storage.size, before its pvcTemplate"}
#     storage_class: {read: "storage.storageClass, before its pvcTemplate"}
#     performance: {read: "pvcTemplate.volumeAttributesClassName"}
#     wal_volume: {read: "walStorage"}
#     tablespaces: {read: "tablespaces"}
#     segment: {read: "bootstrap.initdb.walSegmentSize or options; unknown of a recovered cluster", default: "16 MB"}
#     checksums: {read: "bootstrap.initdb.dataChecksums or options; else initdb of the major"}
#     synchronous: {read: "postgresql.synchronous; minSyncReplicas"}
#     slots: {read: "replicationSlots.highAvailability.enabled", default: "on"}
#     rewind: {default: "always, without a fallback"}
#     pooler: {read: "Pooler", default: "none, where all Poolers are in sight"}
#     archiving: {read: "plugins; backup.barmanObjectStore; annotation skipWalArchiving", default: "WAL is discarded"}
#     schedules: {read: "ScheduledBackup"}
#     repositories: {read: "backup.barmanObjectStore; ObjectStore; retentionPolicy of either"}
#     standby_backup: {read: "target of ScheduledBackup or backup; else prefer-standby"}
#     backups: {read: "Backup; status of ObjectStore"}
#     restores: {read: "Clusters recovered from its backups"}
#     patience: {read: "probes.startup; startDelay"}
#     shared_memory: {read: "ephemeralVolumesSizeLimit.shm"}
package walguard.operators.cnpg

import data.walguard.lib.cluster as shared
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.initdb
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.lib.schema
import data.walguard.lib.script
import data.walguard.lib.sql
import data.walguard.lib.text
import data.walguard.operators.cnpg.release
import data.walguard.operators.cnpg.webhook

operators := {
	"postgresql.cnpg.io": {"name": "CloudNativePG", "annotations": "cnpg.io"},
	"postgresql.k8s.enterprisedb.io": {"name": "EDB Postgres for Kubernetes", "annotations": "k8s.enterprisedb.io"},
}

operator := operators[k8s.group] if k8s.kind == "Cluster"

spec := get.map(k8s.object, "spec") if operator

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if operator

facts contains {
	"operator": operator.name,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"parameters": array.concat(array.concat(initial, shared.parameters(k8s.object, parameters_path)), set_by_sql),
	"parameters_path": parameters_path,
	"parameter_values": "text",
	"defaults": defaults,
	"managed": managed,
	"forbidden": forbidden,
	"rewind": rewind,
	"pods": [{
		"sysctls": ["spec", "podSecurityContext", "sysctls"],
		"environment": array.concat([["spec", "env"]], [["spec", "postgresql", "extensions", i, "env"] | some i, _ in get.list(spec, ["postgresql", "extensions"])]),
	}],
	"selection": selection,
	"primary_budget": primary_budget,
} if {
	operator
}

facts contains {"data_claims": sprintf(`^%s-[0-9]+(-tbs-.*)?$`, [text.literal(k8s.name)])} if operator

# The webhook refuses shared_buffers above the memory request (internal/webhook/v1/cluster_webhook.go, validateResources).
facts contains {"requests_hold_buffers": true, "requests_fitted": true} if operator

facts contains {"common_labels": ["role", concat("/", [operator.annotations, "instanceRole"]), concat("/", [operator.annotations, "podRole"])]} if operator

facts contains {"closed_balancers": found} if {
	operator
	found := shared.closed_balancers(k8s.object, [["spec", "managed", "services", "additional", i, "serviceTemplate", "spec"] | some i, _ in get.list(k8s.object, ["spec", "managed", "services", "additional"])])
	count(found) > 0
}

facts contains {"edition": "enterprisedb"} if advanced_server

facts contains {"major": major} if major

facts contains release.facts if operator

facts contains {"instances": instances} if instances

facts contains {"instance_sets": [instance_set]} if instance_set

facts contains {"segment": segment} if segment

facts contains {"checksums": checksums} if checksums

facts contains {"archiving": archiving} if archiving

facts contains {"standby_backup": standby_backup} if standby_backup

facts contains {"slots": slots} if count(spec) > 0

facts contains {"synchronous": synchronous} if synchronous

facts contains {"pooler": pooler} if pooler

facts contains {"patience": patience} if patience

facts contains {"schedules_known": true} if schedules_known

facts contains {"others_backed_up": true} if {
	count(all_schedules) > 0
	count([1 | some schedule in all_schedules; may_be_own(schedule)]) == 0
}

facts contains {"recovery_target": fact.written(moment, recovery_target_path)} if moment := get.string(k8s.object, recovery_target_path)

facts contains {"begun": begun} if begun

# Nothing at all is initdb to the webhook; who names another cluster besides may have taken out a recovery that is over.
begun := object.union(fact.operator("initdb", ["spec", "bootstrap"]), {"from": {}}) if {
	count(spec) > 0
	count(ways) == 0
	not copied
}

begun := object.union(fact.written(ways[0], ["spec", "bootstrap", ways[0]]), {"from": made_from}) if {
	count(ways) == 1
	count([1 | some _, from in made_from; placeholder.holds(json.marshal(from))]) == 0
}

ways := [way | some way in ["initdb", "recovery", "pg_basebackup"]; get.present(spec, ["bootstrap", way])]

made_from := {name: from | some name, from in get.map(spec, ["bootstrap", ways[0]]); name in {"source", "backup", "volumeSnapshots", "recoveryTarget"}}

# spec.env, and what tells the server and its log.
facts contains {"clock": clocks[0]} if count(clocks) > 0

clocks := [object.union(fact.written(zone, path), {"name": name}) |
	some [name, path] in array.concat(
		[["TZ", ["spec", "env", i, "value"]] | some i, variable in get.list(spec, "env"); get.string(variable, "name") == "TZ"],
		[[name, array.concat(parameters_path, [name])] | some name in ["timezone", "log_timezone"]],
	)
	zone := get.string(k8s.object, path)
	not placeholder.unknown(zone)
	not get.lower_case(zone) in {"", "utc", "etc/utc", "gmt", "etc/gmt", "etc/uct", "uct", "zulu", "etc/zulu", "universal"}
]

facts contains {"snapshot_owner": fact.written(owner, snapshot_owner_path)} if {
	owner := get.string(k8s.object, snapshot_owner_path)
	owner in {"cluster", "backup"}
}

recovery_target_path := ["spec", "bootstrap", "recovery", "recoveryTarget", "targetTime"]

snapshot_owner_path := ["spec", "backup", "volumeSnapshot", "snapshotOwnerReference"]

# ScheduledBackups are objects of their own: where an API server has others, it would have this cluster's. Not while the cluster is being
# created: what is applied with it comes after it. Of files that says nothing: a schedule stands in a component, takes its namespace from Flux, or
# belongs to another definition of the same cluster.
schedules_known if {
	inventory.complete
	not arriving
}

schedules_known if {
	inventory.served
	count(all_schedules) > 0
	count([1 | some schedule in all_schedules; get.unknown(schedule, ["spec", "cluster", "name"])]) == 0
	not arriving
}

all_schedules := inventory.everywhere(k8s.api_version, "ScheduledBackup")

# A namespace may be filled in later, by Flux or kustomize.
may_be_own(schedule) if get.unknown(schedule, ["spec", "cluster", "name"])

may_be_own(schedule) if get.string(schedule, ["spec", "cluster", "name"]) == k8s.name

arriving if k8s.operation == "CREATE"

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(array.concat(webhook.refusals, [fault | operator; some fault in schema.faults("cnpg", k8s.object)]), of_stores_schema)

of_stores_schema := [object.union(fault, {"resource": k8s.reference(store)}) |
	some name in store_names
	store := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
	some fault in schema.faults("objectstore", store)
]

facts contains {"shared_memory": shared_memory} if shared_memory

facts contains {"unread": unread_sources} if count(unread_sources) > 0

unread_sources := array.concat(array.concat([place | place := altered], [place | place := patched]), array.concat(array.concat(unread_sql, unread_statements), array.concat(array.concat(unread_plugins, unread_plugins_of_sources), unread_copies)))

# A plugin may give the server other parameters than the Cluster says (CNPG-I, EnrichConfiguration). That of Barman archives and nothing else.
unread_plugins := [{"source": sprintf("plugin %s", [name]), "path": ["spec", "plugins", i, "name"], "severity": "info"} |
	operator
	some i, plugin in get.list(spec, "plugins")
	name := get.string(plugin, "name")
	not disabled(plugin)
	not name in archivers
]

# What a cluster is recovered or followed with.
unread_plugins_of_sources := [{"source": sprintf("plugin %s", [name]), "path": ["spec", "externalClusters", i, "plugin", "name"], "severity": "info"} |
	operator
	some i, external in get.list(spec, "externalClusters")
	name := get.string(external, ["plugin", "name"])
	not name in archivers
	get.string(external, "name") in {get.string(spec, ["bootstrap", "recovery", "source"]) | true}
]

archivers := {"barman-cloud.cloudnative-pg.io", "pgbackrest.dalibo.com"}

# A copy has what ALTER SYSTEM wrote on the server that it was taken of: the operator writes every file anew but this one (pkg/management/postgres/restore.go,
# WriteInitialPostgresqlConf).
unread_copies := [{"source": sprintf("the postgresql.auto.conf of the copied %s", [what]), "path": array.concat(["spec", "bootstrap"], below), "severity": "info"} |
	operator
	some [below, what] in [[["pg_basebackup"], "server"], [["recovery", "volumeSnapshots"], "volume"]]
	get.present(spec, array.concat(["bootstrap"], below))
]

# Applied to the pods as they are made, the server's container among them.
patched := {
	"source": "the patch of its pods",
	"path": ["metadata", "annotations", concat("/", [operator.annotations, "podPatch"])],
	"severity": "warning",
} if {
	annotation("podPatch") != ""
}

# Who runs initdb; a copy of another cluster is not made by it.
facts contains {"initdb_user": user} if user

user := fact.written(number, ["spec", "postgresUID"]) if {
	made_by_initdb
	number := get.number(spec, "postgresUID")
}

user := fact.operator(26, ["spec", "postgresUID"]) if {
	made_by_initdb
	not get.present(spec, "postgresUID")
}

made_by_initdb if {
	count(spec) > 0
	count([1 | some way in ["recovery", "pg_basebackup"]; get.present(spec, ["bootstrap", way])]) == 0
}

parameters_path := ["spec", "postgresql", "parameters"]

# Off unless told otherwise: then postgresql.auto.conf cannot be written.
altered := object.union(
	{"source": "ALTER SYSTEM", "path": ["spec", "postgresql", "enableAlterSystem"]},
	{"reason": "the SQL of bootstrap.initdb says so", "severity": "warning"},
) if {
	get.boolean(spec, ["postgresql", "enableAlterSystem"])
	says_so
}

altered := {"source": "ALTER SYSTEM", "path": ["spec", "postgresql", "enableAlterSystem"]} if {
	get.boolean(spec, ["postgresql", "enableAlterSystem"])
	not says_so
}

# The SQL in sight; what EXECUTE runs is not.
says_so if {
	some statement in initial_sql
	regex.match(`(?i)\balter\s+system\b|\bexecute\b|pg_read_file|\bcopy\b.*\bto\b`, statement.text)
}

# What the operator runs as a superuser when it has made the cluster, {"text", "path", "resource"?}.
initial_sql := array.concat(
	[{"text": text_, "path": array.concat(path, [i])} |
		some below in array.concat([[field] | some field in sql_fields], [["import", "postImportApplicationSQL"]])
		path := array.concat(["spec", "bootstrap", "initdb"], below)
		some i, text_ in get.list(k8s.object, path)
		is_string(text_)
	],
	[{"text": text_, "path": ["data", reference.key], "resource": k8s.reference(found)} |
		some reference in sql_references
		found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", reference.name)
		reference.kind == "ConfigMap"
		text_ := get.string(found, ["data", reference.key])
	],
)

sql_fields := ["postInitSQL", "postInitTemplateSQL", "postInitApplicationSQL"]

sql_references := [{"kind": kind, "name": name, "key": key, "path": array.concat(path, [i])} |
	some field in sql_fields
	some [list, kind] in [["secretRefs", "Secret"], ["configMapRefs", "ConfigMap"]]
	path := ["spec", "bootstrap", "initdb", sprintf("%sRefs", [field]), list]
	some i, reference in get.list(k8s.object, path)
	name := get.string(reference, "name")
	key := get.string(reference, "key")
]

# Without enableAlterSystem the server refuses ALTER SYSTEM, or cannot write its file.
set_by_sql := [setting |
	operator
	some statement in initial_sql
	some setting in sql.settings(statement.text, object.filter(statement, ["path", "resource"]))
	takes_effect(setting.name)
]

takes_effect(_) if get.boolean(spec, ["postgresql", "enableAlterSystem"])

takes_effect(name) if get.lower_case(name) in {"zero_damaged_pages", "ignore_checksum_failure"}

# Where ALTER SYSTEM works, SQL that is not in sight.
unread_sql := [object.union({"source": sprintf("the SQL in key %s of %s %s/%s", [reference.key, reference.kind, k8s.namespace, reference.name]), "path": reference.path}, why) |
	get.boolean(spec, ["postgresql", "enableAlterSystem"])
	some reference in sql_references
	not inventory.namespaced_object(k8s.namespace, "v1", reference.kind, reference.name)
	why := {"ConfigMap": {"missing": true}, "Secret": {"severity": inventory.unread}}[reference.kind]
]

# A superuser's SQL that writes files or puts itself together does so whether ALTER SYSTEM works or not.
unread_statements := [object.union({"source": "SQL of bootstrap.initdb", "severity": severity_of(statement.text)}, object.filter(statement, ["path", "resource"])) |
	operator
	some statement in initial_sql
	sql.unreadable(statement.text)
]

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

# What the operator sets and a user may change (pkg/postgres/configuration.go, GlobalDefaultSettings).
defaults := {
	"archive_timeout": "5min",
	"dynamic_shared_memory_type": "posix",
	"full_page_writes": "on",
	"max_parallel_workers": "32",
	"max_replication_slots": "32",
	"max_worker_processes": "32",
	"shared_memory_type": "mmap",
	"ssl_max_protocol_version": "TLSv1.3",
	"ssl_min_protocol_version": "TLSv1.3",
	"wal_keep_size": "512MB",
	"wal_level": "logical",
	"wal_log_hints": "on",
	"wal_receiver_timeout": "5s",
	"wal_sender_timeout": "5s",
}

# What nobody may set (pkg/postgres/configuration.go, FixedConfigurationParameters); a value where it is always the same one: written again
# it changes nothing.
managed := object.union(always_managed, {"allow_alter_system": alter_system})

# Its own field, since PostgreSQL 17.
alter_system := "on" if get.boolean(k8s.object, ["spec", "postgresql", "enableAlterSystem"])

alter_system := "off" if not get.boolean(k8s.object, ["spec", "postgresql", "enableAlterSystem"])

always_managed := {
	"allow_system_table_mods": "off",
	"archive_cleanup_command": "",
	"archive_command": "",
	"archive_mode": "",
	"bonjour": "off",
	"bonjour_name": "",
	"cluster_name": "",
	"config_file": "",
	"data_directory": "",
	"data_sync_retry": "off",
	"event_source": "",
	"external_pid_file": "",
	"hba_file": "",
	"hot_standby": "on",
	"ident_file": "",
	"jit_provider": "",
	"listen_addresses": "*",
	"log_destination": "csvlog",
	"log_directory": "",
	"log_file_mode": "",
	"log_filename": "",
	"log_rotation_age": "0",
	"log_rotation_size": "0",
	"log_truncate_on_rotation": "off",
	"logging_collector": "on",
	"pg_failover_slots.primary_dsn": "",
	"pg_failover_slots.standby_slot_names": "",
	"port": "5432",
	"primary_conninfo": "",
	"primary_slot_name": "",
	"promote_trigger_file": "",
	"recovery_end_command": "",
	"recovery_min_apply_delay": "",
	"recovery_target": "",
	"recovery_target_action": "",
	"recovery_target_inclusive": "",
	"recovery_target_lsn": "",
	"recovery_target_name": "",
	"recovery_target_time": "",
	"recovery_target_timeline": "",
	"recovery_target_xid": "",
	"restart_after_crash": "off",
	"restore_command": "",
	"shared_preload_libraries": "",
	"ssl": "on",
	"ssl_ca_file": "/controller/certificates/client-ca.crt",
	"ssl_cert_file": "/controller/certificates/server.crt",
	"ssl_crl_file": "",
	"ssl_dh_params_file": "",
	"ssl_key_file": "/controller/certificates/server.key",
	"ssl_passphrase_command": "",
	"ssl_passphrase_command_supports_reload": "",
	"ssl_prefer_server_ciphers": "",
	"stats_temp_directory": "",
	"synchronized_standby_slots": "",
	"synchronous_standby_names": "",
	"syslog_facility": "",
	"syslog_ident": "",
	"syslog_sequence_numbers": "",
	"syslog_split_messages": "",
	"temp_tablespaces": "",
	"unix_socket_directories": "/controller/run",
	"unix_socket_group": "",
	"unix_socket_permissions": "",
}

# pkg/management/postgres/instance.go, Rewind: no fallback to a new base backup.
rewind := {
	"used": true,
	"consequence": "the former primary does not come back: its pod repeats pg_rewind and fails until somebody deletes its volumes",
}

# The webhook refuses what is managed, but for what the operator itself writes into the resource when nobody does.
forbidden := object.union(always_managed, {
	"archive_mode": "on",
	"log_directory": "/controller/log",
	"log_filename": "postgres",
})

# ------------------------------------------------------------------------------------------------------- version

# The operator of EDB takes an image of EDB by default; one called plain "postgresql" is the community's.
advanced_server if {
	k8s.group == "postgresql.k8s.enterprisedb.io"
	not community_image
}

community_image if image.name(image_name) == "postgresql"

image_name := get.string(spec, "imageName")

catalogued_major := shared.number_at(k8s.object, ["spec", "imageCatalogRef", "major"])

major := catalogued_major

major := fact.written(image.major(image_name), ["spec", "imageName"]) if not catalogued_major

# No image is named: the one that the running cluster has.
major := {"value": running_major, "origin": "status", "path": ["spec", "imageName"]} if {
	not catalogued_major
	not image_name
	running_major := get.number(k8s.object, ["status", "pgDataImageInfo", "majorVersion"])
}

# ----------------------------------------------------------------------------------------------------- instances

instances := shared.number_at(k8s.object, ["spec", "instances"])

instances := fact.operator(1, ["spec", "instances"]) if {
	count(spec) > 0
	not get.present(spec, "instances")
}

instance_set := object.union_n([
	{
		"name": k8s.name,
		"path": ["spec"],
		"resources": shared.resources(k8s.object, ["spec", "resources"]),
		"resources_path": ["spec", "resources"],
		"wal_path": ["spec", "walStorage"],
	},
	{"replicas": n | n := instances},
	{"node_types": found | found := node_types},
	volumes,
	{"tablespaces": tablespaces | count(tablespaces) > 0},
]) if {
	operator
}

# size and storageClass of the storage itself win over its pvcTemplate.
volumes[role] := volume if {
	some role, field in {"data": "storage", "wal": "walStorage"}
	is_object(object.get(spec, field, null))
	volume := storage(["spec", field])
}

storage(path) := shared.volume(path, array.concat(path, ["size"]), array.concat(path, ["storageClass"]), [
	shared.located(k8s.object, array.concat(path, ["pvcTemplate"]), shared.claim_fields),
	shared.located(k8s.object, path, {"size": ["size"], "class": ["storageClass"]}),
	shared.many_nodes(k8s.object, array.concat(path, ["pvcTemplate"])),
])

tablespaces := [volume |
	some i, tablespace in get.list(spec, "tablespaces")
	is_object(object.get(tablespace, "storage", null))
	volume := object.union_n([
		storage(["spec", "tablespaces", i, "storage"]),
		{"name": shared.name_or(tablespace, i)},
		{"temporary": true | get.boolean(tablespace, "temporary")},
	])
]

# --------------------------------------------------------------------------------------------------- replication

slots_path := ["spec", "replicationSlots", "highAvailability", "enabled"]

# On since release 1.21.
slots := fact.written(get.boolean(k8s.object, slots_path), slots_path)

slots := fact.operator(true, slots_path) if not get.present(k8s.object, slots_path)

synchronous := fact.written(true, ["spec", "postgresql", "synchronous"]) if is_object(object.get(spec, ["postgresql", "synchronous"], null))

synchronous := fact.written(true, ["spec", "minSyncReplicas"]) if {
	not is_object(object.get(spec, ["postgresql", "synchronous"], null))
	get.number(spec, "minSyncReplicas") > 0
}

# ---------------------------------------------------------------------------------------------------------- pooler

# Those before the primary; the others open connections to standbys.
poolers := [o |
	some o in inventory.list(k8s.namespace, k8s.api_version, "Pooler")
	get.string(o, ["spec", "cluster", "name"]) == k8s.name
	object.get(o, ["spec", "type"], "rw") == "rw"
]

pooler := object.union_n([
	{"value": true, "origin": "written", "path": ["spec", "instances"], "resource": k8s.reference(poolers[0])},
	{"connections": total |
		sizes := [n | some o in poolers; n := pool_size(o)]
		count(sizes) == count(poolers)
		total := sum(sizes)
	},
]) if {
	count(poolers) > 0
}

pooler := fact.operator(false, ["spec"]) if {
	count(spec) > 0
	inventory.complete
	count(poolers) == 0
}

# PgBouncer asks the server for the secret of a user's password, and LDAP users have none there; the lines of pg_hba.conf for LDAP come last, after those that
# are written (pkg/postgres/configuration.go).
facts contains {"pooler_faults": pooler_faults} if count(pooler_faults) > 0

pooler_faults := array.concat(users_of_ldap, of_a_service)

users_of_ldap := [{
	"reason": "Pooler asks the server for secrets of passwords, and users of LDAP have none there: their logins fail through it, though they succeed on the cluster's Services",
	"cure": "Let these users connect to the cluster's own Services, or give the Pooler pg_hba lines with ldap (PgBouncer 1.25)",
	"path": ["spec", "postgresql", "ldap"],
} |
	is_object(object.get(spec, ["postgresql", "ldap"], null))
	count(poolers) > 0
	count(get.list(spec, ["postgresql", "pg_hba"])) == 0
	count([1 | some o in poolers; not get.present(o, ["spec", "pgbouncer", "pg_hba"])]) > 0
]

# The Service of a Pooler has its name, and the one that is there already is changed whoever's it is (internal/controller/pooler_update.go, reconcileService).
of_a_service := [{
	"reason": sprintf("Pooler %s has the name of the cluster's own Service, which then leads to PgBouncer: standbys, PgBouncer itself and applications find no server there", [name]),
	"cure": sprintf("Give it another name, such as %s-pooler-%s", [k8s.name, object.get(o, ["spec", "type"], "rw")]),
	"level": "error",
	"path": ["metadata", "name"],
	"resource": k8s.reference(o),
} |
	operator
	some o in inventory.list(k8s.namespace, k8s.api_version, "Pooler")
	name := o.metadata.name
	name in {sprintf("%s-%s", [k8s.name, suffix]) | some suffix in ["rw", "ro", "r"]}
	not placeholder.holds(name)
]

# PgBouncer opens 20 unless told otherwise, in each of its instances.
pool_size(o) := instances_of(o) * pgbouncer_number(o, "default_pool_size", "20")

instances_of(o) := shared.whole(object.get(o, ["spec", "instances"], 1))

pgbouncer_number(o, name, otherwise) := shared.whole(object.get(o, ["spec", "pgbouncer", "parameters", name], otherwise))

# ------------------------------------------------------------------------------------------------------------ pods

selection := object.union(
	{"labels": labels, "own": labels},
	{"count": n | n := instances.value},
) if {
	labels := {
		concat("/", [operator.annotations, "cluster"]): k8s.name,
		concat("/", [operator.annotations, "podRole"]): "instance",
	}
}

primary_budget := fact.written(get.boolean(spec, "enablePDB"), ["spec", "enablePDB"])

primary_budget := fact.operator(true, ["spec", "enablePDB"]) if not get.present(spec, "enablePDB")

startup := get.map(spec, ["probes", "startup"])

# The operator divides the delay, an hour unless told otherwise, by the period of ten seconds.
patience := object.union(fact.written(get.number(spec, "startDelay"), ["spec", "startDelay"]), {"probe": "startDelay", "seconds": true}) if {
	not get.present(startup, "failureThreshold")
	not get.present(startup, "periodSeconds")
}

patience := object.union(
	fact.written(object.get(startup, "initialDelaySeconds", 0) + (failures * period), ["spec", "probes", "startup"]),
	{"probe": "startup probe", "starting": true},
) if {
	failures := get.number(startup, "failureThreshold")
	period := object.get(startup, "periodSeconds", 10)
}

shared_memory := fact.written(quantity.bytes(get.text_at(k8s.object, shm_path)), shm_path)

shm_path := ["spec", "ephemeralVolumesSizeLimit", "shm"]

node_types := machine.types(k8s.object, ["spec", "affinity", "nodeSelector"], ["spec", "affinity", "nodeAffinity"])

# -------------------------------------------------------------------------------------------------------- initdb

section := get.map(spec, ["bootstrap", "initdb"]) if initialised

initdb_path := ["spec", "bootstrap", "initdb"]

# True when the operator runs initdb, be it because nothing else is said.
initialised if {
	count(spec) > 0
	not get.present(spec, ["bootstrap", "recovery"])
	not get.present(spec, ["bootstrap", "pg_basebackup"])
	not copied
}

# Whoever names another cluster and no bootstrap may have taken out the one that the cluster was recovered by.
copied if {
	not get.present(spec, "bootstrap")
	count(get.list(spec, "externalClusters")) > 0
}

# Once options are given the operator reads them alone.
options := [text |
	some option in get.list(object.get(spec, ["bootstrap", "initdb"], {}), "options")
	initialised
	text := get.text(option)
]

segment := initdb.option_segment(options, array.concat(initdb_path, ["options"])) if count(options) > 0

segment := initdb.segment(section.walSegmentSize, array.concat(initdb_path, ["walSegmentSize"])) if count(options) == 0

segment := initdb.default_segment(array.concat(initdb_path, ["walSegmentSize"])) if {
	section
	count(options) == 0
	not get.present(section, "walSegmentSize")
}

checksums := initdb.option_checksums(options, array.concat(initdb_path, ["options"]), known_major) if count(options) > 0

checksums := fact.written(true, array.concat(initdb_path, ["dataChecksums"])) if asked_for_checksums

# Not asked for, or "false", which asks for nothing either (the operator only ever adds -k): what initdb of that version does.
checksums := initdb.default_checksums(known_major, array.concat(initdb_path, ["dataChecksums"])) if {
	section
	count(options) == 0
	not asked_for_checksums
	not get.unknown(section, "dataChecksums")
}

asked_for_checksums if {
	count(options) == 0
	get.boolean(section, "dataChecksums")
}

# What initdb writes, before what the operator sets itself.
initial := [setting |
	some setting in initdb.settings(options, array.concat(initdb_path, ["options"]))
	name := get.lower_case(setting.name)
	not defaults[name]
]

known_major := major.value

known_major := null if not major

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

scheduled := [choice |
	some schedule in inventory.list(k8s.namespace, k8s.api_version, "ScheduledBackup")
	get.string(schedule, ["spec", "cluster", "name"]) == k8s.name
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

completed := [backup |
	some backup in inventory.list(k8s.namespace, k8s.api_version, "Backup")
	backup.spec.cluster.name == k8s.name
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

	# Few are recovered from another: a plain reference passes over the rest of a large inventory quickly.
	other.spec.bootstrap.recovery
	recovery := get.map(other, ["spec", "bootstrap", "recovery"])
	recovers(other, recovery)
	ready := ready_since(get.map(other, "status"))
	name := get.string(other, ["metadata", "name"])
]

# Where this one keeps nothing in an archive, only its Backups are left, which are read in their own namespace.
possible_copies := inventory.everywhere(k8s.api_version, "Cluster") if count(archives) > 0

possible_copies := inventory.list(k8s.namespace, k8s.api_version, "Cluster") if count(archives) == 0

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
	name := get.string(external, "name")
	name == get.string(recovery, "source")
	some archive in archives_of(external, name, other.metadata.namespace)
	archive in archived_by
}

# Of the plugin the status names the cluster only: then it is the archive that the cluster keeps, before the update too.
archive_of(backup) := destination(backup.status, backup.status, k8s.name) if get.string(backup, ["status", "destinationPath"])

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
	name := get.string(external, "name")
	name == get.string(recovery, "source")
	some archive in archives_of(external, name, get.string(other, ["metadata", "namespace"]))
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
archives_of(method, default_server, namespace) := (destination(get.map(method, "barmanObjectStore"), get.map(method, "barmanObjectStore"), default_server) | named) | stored if {
	parameters := get.map(method, ["plugin", "parameters"])
	named := {["ObjectStore", namespace, store, server_name(parameters, default_server)] |
		store := get.string(parameters, "barmanObjectName")
	}
	stored := {archive |
		store := get.string(parameters, "barmanObjectName")
		object_store := inventory.namespaced_object(namespace, "barmancloud.cnpg.io/v1", "ObjectStore", store)
		some archive in destination(get.map(object_store, ["spec", "configuration"]), parameters, default_server)
	}
}

destination(store, named_by, default_server) := {[path, endpoint, server_name(named_by, default_server)] |
	path := trim_right(get.string(store, "destinationPath"), "/")
	some endpoint in [object.get(store, "endpointURL", "")]
}

server_name(parameters, _) := get.string(parameters, "serverName")

server_name(parameters, default_server) := default_server if not get.string(parameters, "serverName")

own_backup(name) if {
	backup := inventory.namespaced_object(k8s.namespace, k8s.api_version, "Backup", name)
	get.string(backup, ["spec", "cluster", "name"]) == k8s.name
}

# -------------------------------------------------------------------------------------------------------- libraries

# What the author names, and the extensions that the operator manages (pkg/postgres/configuration.go, ManagedExtensions): it loads their libraries where a
# setting of theirs is written.
facts contains {"preloaded": libraries} if libraries

libraries := array.concat(named_libraries, [extension |
	prefixes := {split(name, ".")[0] | some name, _ in get.map(spec, ["postgresql", "parameters"]); contains(name, ".")}
	some extension in ["pg_stat_statements", "auto_explain", "pgaudit", "pg_failover_slots"]
	extension in prefixes
]) if {
	count(spec) > 0
	count([1 | some name in named_libraries; placeholder.unknown(name)]) == 0
}

named_libraries := get.list(spec, ["postgresql", "shared_preload_libraries"])

facts contains {"own_libraries": fact.written(named_libraries, ["spec", "postgresql", "shared_preload_libraries"])} if {
	count(named_libraries) > 0
	not libraries_mounted
	not get.present(spec, ["postgresql", "parameters", "dynamic_library_path"])
}

facts contains {"libraries_mounted": true} if libraries_mounted

# Image volumes bring libraries of their own.
libraries_mounted if count(get.list(spec, ["postgresql", "extensions"])) > 0

facts contains {"extensions": created} if count(created) > 0

created := array.concat(created_at_first, created_by_databases)

created_at_first := [{"name": extension, "path": ["spec", "bootstrap", "initdb", field, i]} |
	some field in ["postInitSQL", "postInitApplicationSQL", "postInitTemplateSQL"]
	some i, statement in get.list(spec, ["bootstrap", "initdb", field])
	some found in regex.find_all_string_submatch_n(`create\s+extension\s+(if\s+not\s+exists\s+)?"?([a-z0-9_]+)`, get.lower_case(statement), -1)
	extension := found[2]
]

# The operator loads what it manages where a parameter of it is set, and creates the extensions of a Database without a look at the libraries (internal/management/controller/database_controller_sql.go).
created_by_databases := [object.union(
	{"name": extension, "path": ["spec", "extensions", i], "resource": k8s.reference(database), "by": "operator", "consequence": sprintf("the reconciliation of Database %s", [database.metadata.name])},
	{"cure": sprintf("Set %s among the parameters, with which the operator loads it", [kept_by_parameter[extension]]) | kept_by_parameter[extension]},
) |
	some database in inventory.list(k8s.namespace, k8s.api_version, "Database")
	get.string(database, ["spec", "cluster", "name"]) == k8s.name
	object.get(database, ["spec", "ensure"], "present") == "present"
	some i, one in get.list(database, ["spec", "extensions"])
	object.get(one, "ensure", "present") == "present"
	extension := get.string(one, "name")
]
