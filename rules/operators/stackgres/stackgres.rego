# METADATA
# title: StackGres
# description: |
#   SGCluster together with the SGPostgresConfig, SGInstanceProfile and SGPoolingConfig that it names. An SGPostgresConfig is judged
#   as a change to the first cluster in sight that names it, or else alone, where only its parameters and its major are known; so is an SGScript that
#   sets parameters. Of an SGShardedCluster the shards are read, and volume and resources of the coordinator; the coordinator and the shards that
#   differ (overrides) are judged for themselves where they have parameters of their own. The
#   SGClusters made from it are not judged. Patroni's own section (configurations.patroni) is not read, as the operator drops what
#   it says of PostgreSQL, nor are streams. There is no WAL volume, and the segment size cannot be chosen.
# related_resources:
#   - https://stackgres.io/doc/latest/reference/crd/sgcluster/
#   - https://stackgres.io/doc/latest/reference/crd/sgpgconfig/
#   - https://stackgres.io/doc/latest/reference/crd/sginstanceprofile/
# custom:
#   kinds:
#     - {group: stackgres.io, versions: [v1], kind: SGCluster, plural: sgclusters, namespaced: true, role: cluster, scale: spec.instances}
#     - {group: stackgres.io, versions: [v1alpha1], kind: SGShardedCluster, plural: sgshardedclusters, namespaced: true, role: cluster}
#     - {group: stackgres.io, versions: [v1], kind: SGPostgresConfig, plural: sgpgconfigs, namespaced: true, role: change}
#     - {group: stackgres.io, versions: [v1], kind: SGScript, plural: sgscripts, namespaced: true, role: change}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.scripts[].scriptFrom.configMapKeyRef.name", "spec.initialData.scripts[].scriptFrom.configMapKeyRef.name", "spec.pods.customVolumes[].configMap.name", "spec.pods.customEnv.patroni[].valueFrom.configMapKeyRef.name", "spec.pods.customEnvFrom.patroni[].configMapRef.name", "spec.shards.pods.customVolumes[].configMap.name", "spec.coordinator.pods.customVolumes[].configMap.name", "spec.shards.pods.customEnv.patroni[].valueFrom.configMapKeyRef.name", "spec.coordinator.pods.customEnv.patroni[].valueFrom.configMapKeyRef.name"]}}
#     - {group: stackgres.io, versions: [v1], kind: SGInstanceProfile, plural: sginstanceprofiles, namespaced: true, role: support}
#     - {group: stackgres.io, versions: [v1], kind: SGPoolingConfig, plural: sgpoolconfigs, namespaced: true, role: support}
#     - {group: stackgres.io, versions: [v1], kind: SGBackup, plural: sgbackups, namespaced: true, role: support}
#     - {group: stackgres.io, versions: [v1], kind: SGShardedBackup, plural: sgshardedbackups, namespaced: true, role: support}
#   generated:
#     - {group: stackgres.io, kind: SGCluster, owners: [SGShardedCluster]}
#   facts:
#     version: {read: "postgres.version; else that of SGPostgresConfig"}
#     parameters: {read: "SGPostgresConfig; configurations.postgres wins"}
#     defaults: {default: "max_wal_size 2GB; wal_keep_size 1536MB; huge_pages off and 25 more"}
#     fixed: {default: "archive_mode; port; logging and others that the webhook refuses"}
#     instances: {read: "instances; of a sharded cluster those of each shard"}
#     resources: {read: "SGInstanceProfile", default: "1 CPU and 2Gi"}
#     huge_pages: {read: "SGInstanceProfile.hugePages"}
#     machine: {read: "pods.scheduling"}
#     volume: {read: "pods.persistentVolume.size"}
#     storage_class: {read: "pods.persistentVolume.storageClass"}
#     segment: {default: "16 MB; unknown of a restored cluster"}
#     checksums: {default: "on; unknown of a restored cluster"}
#     synchronous: {read: "replication.mode", default: "off"}
#     slots: {unread: "configurations.patroni"}
#     rewind: {default: "always"}
#     pooler: {read: "pods.disableConnectionPooling; pool sizes of SGPoolingConfig", default: "PgBouncer in every pod"}
#     archiving: {read: "configurations.backups", default: "WAL is discarded"}
#     schedules: {read: "configurations.backups[].cronSchedule"}
#     repositories: {unread: "configurations.backups[].retention, 5 unless told otherwise"}
#     standby_backup: {read: "never, where there are backups"}
#     backups: {read: "SGBackup; SGShardedBackup"}
#     restores: {read: "SGClusters made from its backups"}
package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.machine
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.owner
import data.walguard.lib.schema
import data.walguard.lib.script
import data.walguard.lib.sql
import data.walguard.lib.text

api_version := "stackgres.io/v1"

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if recognised

# ------------------------------------------------------------------------------------------------- what is reviewed

reviewed_cluster if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGCluster"
	not made_of_shards(k8s.object)
}

reviewed_cluster if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGShardedCluster"
}

reviewed_configuration if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGPostgresConfig"
}

reviewed_script if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGScript"
}

# What a cluster names.
reviewed_change if reviewed_configuration

reviewed_change if reviewed_script

recognised if reviewed_cluster

recognised if reviewed_change

# METADATA
# description: The SGCluster or SGShardedCluster, be it under review or, for an SGPostgresConfig, in sight.
home := k8s.object if reviewed_cluster

home := referring[0] if {
	reviewed_change
	not k8s.chosen
}

home := chosen[0] if {
	reviewed_change
	chosen := [o | some o in referring; title_of(o) == k8s.chosen]
}

title_of(o) := sprintf("%s %s/%s", [o.kind, k8s.namespace, o.metadata.name])

facts contains {"others": others} if count(others) > 0

facts contains {"closed_balancers": found} if {
	reviewed_cluster
	found := shared.closed_balancers(k8s.object, [["spec", "postgresServices", "primary"], ["spec", "postgresServices", "replicas"]])
	count(found) > 0
}

others := array.concat(
	[title_of(o) |
		reviewed_change
		some i, o in referring
		i > 0
	],
	[other.title |
		reviewed_cluster
		some other in other_parts
		some field in [["configurations", "postgres"], ["configurations", "sgPostgresConfig"], ["managedSql"]]
		get.present(home, array.concat(other.path, field))
	],
)

referring := array.concat(
	[o |
		some o in inventory.list(k8s.namespace, api_version, "SGCluster")
		not made_of_shards(o)
		names_reviewed(o, ["spec"])
	],
	[o |
		some o in inventory.list(k8s.namespace, "stackgres.io/v1alpha1", "SGShardedCluster")
		count([1 | some at in parts_of(o); names_reviewed(o, at)]) > 0
	],
)

names_reviewed(o, at) if {
	reviewed_configuration
	get.string(o, array.concat(at, ["configurations", "sgPostgresConfig"])) == k8s.name
}

names_reviewed(o, at) if {
	reviewed_script
	some one in get.list(o, array.concat(at, ["managedSql", "scripts"]))
	get.string(one, "sgScript") == k8s.name
}

parts_of(o) := array.concat([["spec", "shards"], ["spec", "coordinator"]], [["spec", "shards", "overrides", i] | some i, _ in get.list(o, ["spec", "shards", "overrides"])])

# The coordinator of a sharded cluster, and the shards that differ.
other_parts := [{"title": title, "path": at} |
	sharded
	some at in parts_of(home)
	at != ["spec", "shards"]
	title := concat(" ", ["the", concat(" ", [sprintf("%v", [key]) | some i, key in at; i > 0])])
]

# The coordinator and the shards, which the operator calls so (StackGresShardedClusterUtil) and writes anew whenever somebody else does.
made_of_shards(o) if {
	some made in owner.of(o, k8s.namespace, "stackgres.io/v1alpha1", "SGShardedCluster")
	name := made.metadata.name
	startswith(o.metadata.name, name)
	rest := substring(o.metadata.name, count(name), -1)
	regex.match(`^-(coord|shard[0-9]{1,4})$`, rest)
	within_shards(rest, object.get(made, ["spec", "shards", "clusters"], 1))
}

within_shards("-coord", _)

# Beyond their number nobody writes one anew.
within_shards(rest, clusters) if {
	startswith(rest, "-shard")
	to_number(trim_prefix(rest, "-shard")) < clusters
}

sharded if home.kind == "SGShardedCluster"

# METADATA
# description: Where the instances are described – those of all shards alike, where there are shards.
part := ["spec"] if not sharded

part := ["spec", "shards"] if {
	sharded
	not other_part
}

part := other_part if sharded

other_part := found[0] if {
	reviewed_cluster
	found := [other.path | some other in other_parts; other.title == k8s.chosen]
}

# What an override does not say the shards say.
written_parts := [["spec", "shards"], part] if {
	sharded
	part[2] == "overrides"
} else := [part]

configuration_path := named_at[count(named_at) - 1] if count(named_at) > 0

configuration_path := array.concat(part, ["configurations", "sgPostgresConfig"]) if count(named_at) == 0

named_at := [path |
	some at in written_parts
	path := array.concat(at, ["configurations", "sgPostgresConfig"])
	get.present(home, path)
]

cluster_name := k8s.name if reviewed_cluster

cluster_name := get.string(home, ["metadata", "name"]) if reviewed_change

cluster_name := k8s.name if {
	reviewed_change
	not home
}

# Facts of a cluster that is not under review say so.
at_home(f) := f if reviewed_cluster

at_home(f) := object.union(f, {"resource": k8s.reference(home)}) if not reviewed_cluster

# METADATA
# description: The SGPostgresConfig, be it under review or in sight.
configuration := k8s.object if reviewed_configuration

configuration := named_by_home("SGPostgresConfig", configuration_path) if not reviewed_configuration

named_by_home(kind, path) := inventory.namespaced_object(k8s.namespace, api_version, kind, get.string(home, path))

# ----------------------------------------------------------------------------------------------------- the facts

facts contains {
	"operator": "StackGres",
	"name": cluster_name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "text",
	"patroni": true,
	"defaults": defaults,
	"managed": {"cluster_name": "", "hot_standby": "on"},
	"forbidden": forbidden,
	"rewind": rewind,
} if {
	recognised
}

facts contains {"pods": [pod |
	some at in pod_parts
	pod := {
		"containers": [array.concat(at, ["pods", "customInitContainers"]), array.concat(at, ["pods", "customContainers"])],
		"volumes": array.concat(at, ["pods", "customVolumes"]),
		"environment": array.concat(
			[array.concat(at, ["pods", "customEnv", "patroni"])],
			[array.concat(at, ["pods", "customInitEnv", name]) | some name, _ in get.map(home, array.concat(at, ["pods", "customInitEnv"]))],
		),
	}
]} if {
	reviewed_cluster
}

pod_parts := [["spec"]] if not sharded

pod_parts := parts_of(home) if sharded

facts contains {"change": true} if reviewed_change

# Without its cluster an SGPostgresConfig knows nothing else; without its SGPostgresConfig a cluster does not know its parameters.
facts contains {"partial": true} if {
	reviewed_change
	not home
}

facts contains {"partial": true} if unseen

unread_sources := array.concat(array.concat(unread_sql, unread_places), [{"source": sprintf("SGPostgresConfig %s/%s", [k8s.namespace, get.string(home, configuration_path)]), "path": configuration_path, "missing": true} | unseen])

# SQL that nobody sees, or that puts itself together.
unread_sql := array.concat(
	[{"source": sprintf("the SQL of SGScript %s/%s", [k8s.namespace, name]), "path": array.concat(path, [i, "sgScript"])} |
		reviewed_cluster
		path := array.concat(part, ["managedSql", "scripts"])
		some i, one in get.list(home, path)
		name := get.string(one, "sgScript")
		not inventory.namespaced_object(k8s.namespace, api_version, "SGScript", name)
	],
	array.concat(
		[object.union({"source": sprintf("the SQL of SGScript %s/%s", [k8s.namespace, holder.object.metadata.name]), "path": ["spec", "scripts", i, "scriptFrom"], "severity": severity_of_reference(one)}, object.filter(holder, ["resource"])) |
			some holder in script_holders
			some i, one in get.list(holder.object, ["spec", "scripts"])
			get.present(one, "scriptFrom")
			not script_text(one)
		],
		[object.union({"source": "its SQL", "severity": severity_of(one.text)}, object.filter(one, ["path", "resource"])) |
			some one in scripts
			sql.unreadable(one.text)
		],
	),
)

# A Secret's SQL is read by nobody.
severity_of_reference(one) := inventory.unread if get.present(one, ["scriptFrom", "secretKeyRef"])

severity_of_reference(one) := "warning" if not get.present(one, ["scriptFrom", "secretKeyRef"])

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

script_holders := [{"object": k8s.object}] if reviewed_script

script_holders := [{"object": found, "resource": k8s.reference(found)} |
	reviewed_cluster
	some at in written_parts
	some one in get.list(home, array.concat(at, ["managedSql", "scripts"]))
	found := inventory.namespaced_object(k8s.namespace, api_version, "SGScript", get.string(one, "sgScript"))
] if {
	not reviewed_script
}

scripts := array.concat(
	[object.union({"text": text_, "path": ["spec", "scripts", i, "script"]}, object.filter(holder, ["resource"])) |
		some holder in script_holders
		some i, one in get.list(holder.object, ["spec", "scripts"])
		text_ := script_text(one)
	],
	[{"text": text_, "path": ["spec", "initialData", "scripts", i, "script"]} |
		reviewed_cluster
		some i, one in get.list(home, ["spec", "initialData", "scripts"])
		text_ := script_text(one)
	],
)

script_text(one) := get.string(one, "script")

script_text(one) := get.string(found, ["data", get.string(one, ["scriptFrom", "configMapKeyRef", "key"])]) if {
	not get.string(one, "script")
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(one, ["scriptFrom", "configMapKeyRef", "name"]))
}

# Files over the server's own, and programs that Patroni runs: of its section the operator keeps these.
unread_places := array.concat(
	array.concat(unread_beside, overlay.unread(server_mounts, ["/var/lib/postgresql", "/etc/postgresql", "/etc/patroni", "/usr/local/bin"])),
	[{"source": sprintf("what Patroni runs as %s", [concat(".", below)]), "path": path, "severity": severity_of(text_)} |
		reviewed_cluster
		some at in pod_parts
		base := array.concat(at, ["configurations", "patroni", "initialConfig", "postgresql"])
		some below in array.concat([["pre_promote"], ["before_stop"]], [["callbacks", name] | some name, _ in get.map(home, array.concat(base, ["callbacks"]))])
		path := array.concat(base, below)
		text_ := get.string(home, path)
	],
)

server_mounts := [{"directory": directory, "volume": volume, "path": array.concat(at, ["pods", "customVolumeMounts", "patroni", i])} |
	reviewed_cluster
	some at in pod_parts
	some i, mounted in get.list(home, array.concat(at, ["pods", "customVolumeMounts", "patroni"]))
	directory := get.string(mounted, "mountPath")
	some volume in get.list(home, array.concat(at, ["pods", "customVolumes"]))
	get.string(volume, "name") in {get.string(mounted, "name"), trim_prefix(get.string(mounted, "name"), "custom-")}
]

facts contains {"lost": lost} if {
	lost := mount.lost("/var/lib/postgresql/data", "/var/lib/postgresql", server_mounts)
	count(lost) > 0
}

# Patroni's own variables, which come before its file; SQL that PgBouncer runs on every connection that it opens; the files of a server that is copied.
unread_beside := array.concat(
	[{"source": sprintf("the variable %s", [name]), "path": array.concat(path, [i]), "severity": inventory.unread} |
		reviewed_cluster
		some at in pod_parts
		path := array.concat(at, ["pods", "customEnv", "patroni"])
		some i, variable in get.list(home, path)
		name := get.string(variable, "name")
		regex.match(`^PATRONI_(CONFIGURATION|POSTGRESQL_.*)$`, name)
	],
	array.concat(
		[object.union({"source": "the connect_query of PgBouncer", "severity": severity_of(query)}, place) |
			reviewed_cluster
			some at in pod_parts
			some [pooling, place] in array.concat(
				[[get.map(home, array.concat(at, ["configurations", "pooling"])), {"path": array.concat(at, ["configurations", "pooling"])}]],
				[[get.map(named, "spec"), {"path": ["spec", "pgBouncer"], "resource": k8s.reference(named)}] | named := named_by_home("SGPoolingConfig", array.concat(at, ["configurations", "sgPoolingConfig"]))],
			)
			some _, one in get.map(pooling, ["pgBouncer", "pgbouncer.ini", "databases"])
			query := get.string(one, "connect_query")
			script.sets(query)
		],
		[{"source": "the postgresql.auto.conf of the copied server", "path": external_path, "severity": "info"} |
			reviewed_cluster
			get.present(home, external_path)
		],
	),
)

external_path := ["spec", "replicateFrom", "instance", "external"]

unseen if {
	reviewed_cluster
	get.present(home, configuration_path)
	not configuration
}

facts contains {"unread": unread_sources} if count(unread_sources) > 0

facts contains {"instance_sets": instance_sets} if home

facts contains {"instance_sets": []} if not home

facts contains {"data_claims": sprintf(`^%s-data-%s-[0-9]+$`, [text.literal(cluster_name), text.literal(cluster_name)])} if home

facts contains {"major": major} if major

facts contains {"minor": at_home(fact.written(number, version_path))} if {
	number := image.minor_of(get.text_at(home, version_path), version_of_home)
}

facts contains {"instances": instances} if instances

facts contains {"segment": at_home({"value": 16, "unit": "MB", "origin": "operator", "path": ["spec"]})} if initialised

facts contains {"checksums": at_home(fact.operator(true, ["spec"]))} if initialised

facts contains {"synchronous": synchronous} if synchronous

facts contains {"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value})} if {
	reviewed_cluster
	not sharded
	labels := {"app": "StackGresCluster", "stackgres.io/cluster-name": k8s.name, "stackgres.io/cluster": "true"}
}

facts contains {"reaches": shared.patroni_reaches(instances.value)} if reviewed_cluster

facts contains {"pooler": pooler} if home

facts contains {"archiving": archiving} if home

facts contains {"standby_backup": standby_backup} if standby_backup

facts contains {"follows": at_home(fact.written(true, ["spec", "replicateFrom"]))} if get.present(home, ["spec", "replicateFrom"])

node_types(at) := machine.types(k8s.object, array.concat(at, ["pods", "scheduling", "nodeSelector"]), array.concat(at, ["pods", "scheduling", "nodeAffinity"])) if reviewed_cluster

# --------------------------------------------------------------------------------------------------- parameters

own_path := ["spec", "postgresql.conf"]

inline_path := array.concat(part, ["configurations", "postgres", "postgresql.conf"])

parameters_path := own_path if reviewed_configuration

parameters_path := ["spec", "scripts"] if reviewed_script

parameters_path := inline_path if reviewed_cluster

# What the cluster writes inline overwrites its SGPostgresConfig; postgresql.auto.conf, which ALTER SYSTEM writes, comes last.
parameters := array.concat(array.concat(referred, inline), [setting |
	some one in scripts
	some setting in sql.settings(one.text, object.filter(one, ["path", "resource"]))
])

referred := [object.union(setting, configuration_reference) |
	some setting in shared.parameters(configuration, own_path)
	not setting.name in object.keys(unchanged)
]

configuration_reference := {} if reviewed_configuration

configuration_reference := {"resource": k8s.reference(configuration)} if not reviewed_configuration

inline := [at_home(setting) |
	some at in written_parts
	some setting in shared.parameters(home, array.concat(at, ["configurations", "postgres", "postgresql.conf"]))
]

# The operator writes its defaults into the resource, and says in the status which of them nobody changed.
unchanged := {name: text |
	some name, value in get.map(configuration, ["status", "defaultParameters"])
	text := get.text(value)
	text == get.text_at(configuration, array.concat(own_path, [name]))
}

defaults := object.union(built_in, unchanged) if not unseen

defaults := {} if unseen

# postgresql-default-values-pg13.properties and -pg14 of the operator.
built_in := {
	"archive_command": "",
	"archive_mode": "on",
	"autovacuum_max_workers": "3",
	"autovacuum_vacuum_cost_delay": "2",
	"autovacuum_work_mem": "512MB",
	"checkpoint_completion_target": "0.9",
	"checkpoint_timeout": "15min",
	"default_statistics_target": "200",
	"fsync": "on",
	"huge_pages": "off",
	"log_checkpoints": "on",
	"maintenance_work_mem": "2GB",
	"max_locks_per_transaction": "128",
	"max_prepared_transactions": "32",
	"max_replication_slots": "20",
	"max_wal_senders": "20",
	"max_wal_size": "2GB",
	"min_wal_size": "1GB",
	"random_page_cost": "1.5",
	"shared_preload_libraries": "pg_stat_statements, auto_explain",
	"superuser_reserved_connections": "8",
	"track_commit_timestamp": "on",
	"track_io_timing": "on",
	"wal_compression": "on",
	"wal_keep_size": "1536MB",
	"wal_level": "logical",
	"wal_log_hints": "on",
	"work_mem": "10MB",
}

# The operator's own list; its webhook refuses them.
forbidden := {
	"archive_command": "",
	"archive_mode": "",
	"dynamic_library_path": "",
	"lc_messages": "",
	"listen_addresses": "",
	"log_destination": "",
	"log_directory": "",
	"log_filename": "",
	"log_rotation_age": "",
	"log_rotation_size": "",
	"log_truncate_on_rotation": "",
	"logging_collector": "",
	"port": "",
	"wal_log_hints": "",
}

rewind := {
	"used": true,
	"consequence": "Patroni removes the data directory of the former primary and copies the whole cluster again",
}

# ----------------------------------------------------------------------------------------------------- instances

version_path := ["spec", "postgres", "version"]

major := at_home(fact.written(number, version_path)) if number := version_of_home

# "latest" is no number, and the configuration is made for one major.
major := object.union(fact.written(number, ["spec", "postgresVersion"]), configuration_reference) if {
	not version_of_home
	number := shared.major(get.text_at(configuration, ["spec", "postgresVersion"]))
}

version_of_home := shared.major(get.text_at(home, version_path))

instances := at_home(found) if found := shared.number_at(home, instances_path)

# Of each shard, which is a cluster of its own.
instances_path := array.concat(part, ["instances"]) if not sharded

instances_path := ["spec", "shards", "instancesPerCluster"] if {
	sharded
	part != ["spec", "coordinator"]
}

instances_path := ["spec", "coordinator", "instances"] if {
	sharded
	part == ["spec", "coordinator"]
}

whole_sets := [instance_set(cluster_name, part, instances_path)] if not sharded

whole_sets := [instance_set("coordinator", part, instances_path)] if part == ["spec", "coordinator"]

whole_sets := [instance_set("shards", ["spec", "shards"], instances_path)] if part[2] == "overrides"

whole_sets := [] if {
	sharded
	not other_part
}

instance_sets := array.concat(whole_sets, [set |
	sharded
	not other_part
	some [name, at, replicas_path] in [
		["shards", part, instances_path],
		["coordinator", ["spec", "coordinator"], ["spec", "coordinator", "instances"]],
	]
	set := instance_set(name, at, replicas_path)
])

instance_set(name, at, replicas_path) := at_home(object.union_n([
	{
		"name": name,
		"path": at,
		"resources_path": array.concat(at, ["sgInstanceProfile"]),
	},
	resources(at),
	{"replicas": at_home(found) | found := shared.number_at(home, replicas_path)},
	{"node_types": found | found := node_types(at)},
	{"data": volume | volume := data_volume(at)},
]))

data_volume(at) := at_home(shared.volume(path, array.concat(path, ["size"]), array.concat(path, ["storageClass"]), [
	shared.located(home, path, {"size": ["size"], "class": ["storageClass"]}),
])) if {
	path := array.concat(at, ["pods", "persistentVolume"])
	is_object(object.get(home, path, null))
	not relocated
}

# Then what the volume is says nothing of the data.
relocated if mount.relocated("/var/lib/postgresql/data", "/var/lib/postgresql", server_mounts, {value |
	reviewed_cluster
	some at in pod_parts
	some variable in get.list(home, array.concat(at, ["pods", "customEnv", "patroni"]))
	get.string(variable, "name") == "PATRONI_POSTGRESQL_DATA_DIR"
	value := get.string(variable, "value")
})

profile(at) := get.map(named_by_home("SGInstanceProfile", array.concat(at, ["sgInstanceProfile"])), "spec")

resources(_) := {"resources": {"requests": {}, "limits": {}}} if unlimited

resources(at) := {"resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "1", "memory": "2Gi"}}, "resources_filled": true} if {
	not unlimited
	not get.present(home, array.concat(at, ["sgInstanceProfile"]))
}

# The profile exists, or the operator refuses the cluster.
resources(at) := {"resources": {"requests": {}, "limits": {}}, "resources_filled": true} if {
	not unlimited
	get.present(home, array.concat(at, ["sgInstanceProfile"]))
	not profile(at)
}

resources(at) := {"resources": {"requests": object.union(sizes, amounts(get.map(found, "requests"))), "limits": object.union(sizes, huge)}} if {
	not unlimited
	found := profile(at)
	sizes := amounts(found)
	huge := object.filter(get.map(found, "hugePages"), {"hugepages-2Mi", "hugepages-1Gi"})
}

amounts(parent) := {name: text |
	some name in ["cpu", "memory"]
	text := get.text_at(parent, [name])
}

unlimited_path := ["spec", "nonProductionOptions", "disablePatroniResourceRequirements"]

unlimited if get.boolean(home, unlimited_path)

unlimited if {
	not get.present(home, unlimited_path)
	get.string(home, ["spec", "profile"]) == "development"
}

# What the shards say is meant for them alone.
mode_path := ["spec", "replication", "mode"] if not get.present(home, array.concat(part, ["replication", "mode"]))

mode_path := array.concat(part, ["replication", "mode"]) if get.present(home, array.concat(part, ["replication", "mode"]))

synchronous := at_home(fact.written(true, mode_path)) if {
	get.string(home, mode_path) in {"sync", "strict-sync", "sync-all", "strict-sync-all"}
}

synchronous := at_home(fact.written(false, mode_path)) if get.string(home, mode_path) == "async"

synchronous := at_home(fact.operator(false, mode_path)) if not get.present(home, mode_path)

# True when the operator runs initdb, which it gives no segment size and --data-checksums.
initialised if {
	home
	not get.present(home, ["spec", "initialData", "restore"])
	not get.present(home, ["spec", "replicateFrom"])
}

# ---------------------------------------------------------------------------------------------------------- pooler

pooling_off := array.concat(part, ["pods", "disableConnectionPooling"])

pooler := at_home(fact.written(false, pooling_off)) if get.boolean(home, pooling_off)

# Each pod has one, so the primary has one.
pooler := at_home(object.union_n([
	fact.operator(true, pooling_off),
	{"connections": n | n := shared.whole(pool_size)},
])) if {
	not get.boolean(home, pooling_off)
}

pool_size_path := ["pgBouncer", "pgbouncer.ini", "pgbouncer", "default_pool_size"]

pool_size := size if {
	size := get.text_at(home, array.concat(array.concat(part, ["configurations", "pooling"]), pool_size_path))
}

pool_size := size if {
	not get.present(home, array.concat(array.concat(part, ["configurations", "pooling"]), pool_size_path))
	size := get.text_at(named_by_home("SGPoolingConfig", array.concat(part, ["configurations", "sgPoolingConfig"])), array.concat(["spec"], pool_size_path))
}

# ------------------------------------------------------------------------------------------------------- backups

backups_path := ["spec", "configurations", "backups"]

archiving := at_home(fact.written("on", backups_path)) if count(get.list(home, backups_path)) > 0

# archive_command is /bin/true then, with archive_mode on.
archiving := at_home(fact.operator("discards", backups_path)) if count(get.list(home, backups_path)) == 0

# Of the primary, always.
standby_backup := at_home(fact.operator(false, backups_path)) if count(get.list(home, backups_path)) > 0

# METADATA
# description: SGBackups, or SGShardedBackups, that completed. What was finished before this cluster was made belongs to a former one of the same name.
backups := [{"finished": finished, "from": "primary", "name": name} |
	some backup in own_backups
	get.string(backup, ["status", "process", "status"]) == "Completed"
	finished := get.string(backup, ["status", "process", "timing", "stored"])
	time.parse_rfc3339_ns(finished) >= k8s.creation(home)
	name := get.string(backup, ["metadata", "name"])
] if {
	recognised
}

own_backups := [backup |
	some backup in inventory.list(k8s.namespace, api_version, "SGBackup")
	get.string(backup, ["spec", "sgCluster"]) == cluster_name
] if {
	not sharded
}

own_backups := [backup |
	some backup in inventory.list(k8s.namespace, api_version, "SGShardedBackup")
	get.string(backup, ["spec", "sgShardedCluster"]) == cluster_name
] if {
	sharded
}

# METADATA
# description: |
#   Clusters made from a backup of this one that have a primary; of a sharded one there is no such sign. Nothing tells when one became ready; it was not before it was created.
restores := [{"ready": ready, "cluster": name} |
	names := {n | some backup in own_backups; n := get.string(backup, ["metadata", "name"])}
	some other in inventory.list(k8s.namespace, api_version, "SGCluster")
	get.string(other, ["spec", "initialData", "restore", "fromBackup", "name"]) in names
	some pod in get.list(other, ["status", "podStatuses"])
	is_object(pod)
	get.boolean(pod, "primary")
	ready := get.string(other, ["metadata", "creationTimestamp"])
	name := get.string(other, ["metadata", "name"])
] if {
	recognised
	not sharded
}

# ------------------------------------------------------------------------------------------------------- refusals

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := [fault |
	reviewed_cluster
	k8s.kind == "SGCluster"
	some fault in schema.faults("stackgres", k8s.object)
]
