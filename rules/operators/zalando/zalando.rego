# METADATA
# title: Zalando Postgres Operator
# description: |
#   Zalando's operator with its image Spilo (Patroni inside). Where base backups and WAL go is said by the environment of the
#   pods – of the cluster (spec.env), or of all clusters (OperatorConfiguration, or Secrets and ConfigMaps that it names and
#   that are not read); without either in sight archiving is unknown. Physical backups leave no trace in any resource. Of additional
#   volumes the one that initdb puts the WAL on is read (spec.patroni.initdb.waldir). A cloned cluster or a standby of another one has the segment size and the checksums of its source.
# related_resources:
#   - https://postgres-operator.readthedocs.io/en/latest/reference/cluster_manifest/
#   - https://github.com/zalando/spilo/blob/master/ENVIRONMENT.rst
#   - https://github.com/zalando/spilo/blob/master/postgres-appliance/scripts/configure_spilo.py
# custom:
#   kinds:
#     - {group: acid.zalan.do, versions: [v1], kind: postgresql, plural: postgresqls, namespaced: true, role: cluster}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.envFrom[].configMapRef.name", "spec.env[].valueFrom.configMapKeyRef.name"], made: ["{metadata.name}-config"]}}
#     - {group: "", versions: [v1], kind: Secret, plural: secrets, namespaced: true, role: change, served: false, contains: [pass, PASS, Pass, pwd, PWD, POSTGRES], watched: false}
#     - {group: acid.zalan.do, versions: [v1], kind: OperatorConfiguration, plural: operatorconfigurations, namespaced: true, role: support, all: true}
#   cel:
#     parameters: [spec.postgresql.parameters]
#     words: "['se', 'set'].filter(k, k in object.?spec.?patroni.?initdb.orValue({})).map(k, '--' + k + '=' + string(object.spec.patroni.initdb[k]))"
#     variables:
#       synchronous: "object.?spec.?patroni.?synchronous_mode.orValue(false)"
#   facts:
#     version: {read: "postgresql.version"}
#     parameters: {read: "postgresql.parameters"}
#     defaults: {default: "Spilo's, of which shared_buffers and max_connections by the memory limit"}
#     fixed: {default: "listen_addresses; port; hot_standby; cluster_name"}
#     instances: {read: "numberOfInstances"}
#     resources: {read: "resources; else those of OperatorConfiguration"}
#     huge_pages: {read: "resources"}
#     machine: {unread: "nodeAffinity"}
#     volume: {read: "volume.size"}
#     storage_class: {read: "volume.storageClass"}
#     performance: {read: "volume.iops; throughput; type"}
#     wal_volume: {read: "additionalVolumes, where patroni.initdb.waldir lies on one"}
#     tablespaces: {unread: "SQL says where they are on additionalVolumes"}
#     segment: {read: "patroni.initdb wal-segsize; unknown of a clone", default: "16 MB"}
#     checksums: {read: "patroni.initdb data-checksums", default: "on"}
#     synchronous: {read: "patroni.synchronous_mode"}
#     slots: {default: "on"}
#     rewind: {default: "always"}
#     pooler: {read: "enableConnectionPooler; connectionPooler", default: "none"}
#     archiving: {read: "env; OperatorConfiguration"}
#     schedules: {read: "env BACKUP_SCHEDULE; logicalBackupSchedule"}
#     repositories: {unread: "env BACKUP_NUM_TO_RETAIN, 5 unless told otherwise"}
#     standby_backup: {read: "env WALG_BACKUP_FROM_REPLICA"}
#     restores: {read: "clones to a point in time"}
#     patience: {read: "livenessProbe"}
#     shared_memory: {read: "enableShmVolume false"}
package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.dcs
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.fields
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.initdb
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.probe
import data.walguard.lib.quantity
import data.walguard.lib.script
import data.walguard.lib.settings
import data.walguard.lib.text
import data.walguard.postgres

recognised if {
	k8s.group == "acid.zalan.do"
	k8s.kind == "postgresql"
}

spec := get.map(k8s.object, "spec") if recognised

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if recognised

facts contains {
	"operator": "Zalando Postgres Operator",
	"name": k8s.name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "text",
	"patroni": true,
	"defaults": defaults,
	"managed": managed,
	"instance_sets": [instance_set],
	"requests_fitted": true,
	"rewind": rewind,
	"pods": [{"containers": [["spec", "initContainers"], ["spec", "sidecars"]], "environment": [["spec", "env"]]}],
} if {
	recognised
}

facts contains {"shared_memory": fact.written(67108864, ["spec", "enableShmVolume"])} if get.boolean(spec, "enableShmVolume") == false

facts contains {"patience": patience} if patience

# The libraries that configure_spilo.py writes; whoever writes the parameter replaces them.
facts contains {"preload": ["bg_mon", "pg_stat_statements", "pgextwlist", "pg_auth_mon", "set_user"]} if recognised

facts contains {"ignored": misplaced} if count(misplaced) > 0

facts contains {"unread": unread} if count(unread) > 0

facts contains {"misspelt_fields": misspelt} if count(misspelt) > 0

misspelt := [found | recognised; some found in fields.misspelt("zalando", k8s.object)]

# generatePodTemplate sets neither runAsNonRoot nor a seccompProfile, and neither does the Deployment of the pooler (pkg/cluster/k8sres.go, connection_pooler.go).
facts contains {"pod_security": [{"level": "restricted", "reason": "the operator writes neither runAsNonRoot nor a seccompProfile into its pods", "cure": "Take a namespace that enforces baseline or privileged", "path": ["spec"]}]} if {
	recognised
	settings.namespace_labels["pod-security.kubernetes.io/enforce"]
}

# As the operator labels them unless its configuration says otherwise.
facts contains {"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value})} if {
	recognised
	labels := {"application": "spilo", "cluster-name": k8s.name}
}

facts contains {"common_labels": ["application", "spilo-role"]} if recognised

facts contains {"data_claims": sprintf(`^pgdata-%s-[0-9]+$`, [text.literal(k8s.name)])} if recognised

# Deleted with the cluster unless the operator's configuration says otherwise.
facts contains {"claims_kept": true} if get.boolean(configuration, ["kubernetes", "enable_persistent_volume_claim_deletion"]) == false

facts contains {"major": major} if major

facts contains {"image": fact.written(reference, ["spec", "dockerImage"])} if {
	reference := get.string(k8s.object, ["spec", "dockerImage"])
}

# configure_spilo.py takes the newest that the image has where PGVERSION is not there.
facts contains {"image_major": object.union(fact.written(to_number(found[0][1]), ["spec", "dockerImage"]), {"consequence": "Spilo does not find it and creates the cluster with the newest that the image has"})} if {
	found := regex.find_all_string_submatch_n(`^spilo-([0-9]{2})$`, image.name(get.string(spec, "dockerImage")), 1)
	count(found) == 1
	major.value > to_number(found[0][1])
}

facts contains {"instances": instances} if instances

facts contains {"segment": segment} if segment

facts contains {"checksums": checksums} if checksums

facts contains {"archiving": archiving} if archiving

facts contains {"standby_backup": standby_backup} if standby_backup

facts contains {"follows": fact.written(true, ["spec", "standby"])} if count(get.map(spec, "standby")) > 0

# Patroni's default, which Spilo does not change.
facts contains {"slots": fact.operator(true, ["spec", "patroni"])} if count(spec) > 0

facts contains {"synchronous": synchronous} if synchronous

facts contains {"pooler": pooler} if count(spec) > 0

# --------------------------------------------------------------------------------------------------- parameters

parameters_path := ["spec", "postgresql", "parameters"]

# What initdb writes stands in the base configuration, which Patroni's own lines come after.
# The operator writes what the cluster says over what Patroni keeps, and leaves the rest of it as it is.
parameters := array.concat(array.concat(initial, kept_by_patroni), shared.parameters(k8s.object, parameters_path))

kept_by_patroni := dcs.parameters(k8s.name) if recognised

initial := [object.union(setting, {"path": ["spec", "patroni", "initdb", key]}) |
	some key, value in get.map(spec, ["patroni", "initdb"])
	some setting in initdb.settings([sprintf("--%s=%s", [key, get.text(value)])], [])
	not defaults[get.lower_case(setting.name)]
]

unread := array.concat(array.concat(unread_variables, filled_in_later), array.concat(array.concat(array.concat(line_breaks, [place | recognised; some place in dcs.unread(k8s.name)]), unread_beside), overlay.unread(server_mounts, ["/home/postgres", "/scripts", "/etc/runit", "/run/service", "/launch.sh"])))

server_mounts := [{"directory": directory, "volume": object.union(get.map(one, "volumeSource"), object.filter(one, ["name"])), "path": ["spec", "additionalVolumes", i]} |
	recognised
	some i, one in get.list(spec, "additionalVolumes")
	is_object(one)
	directory := get.string(one, "mountPath")
	for_server(get.list(one, "targetContainers"))
]

# A probe of one's own, and the files of the server that a standby is copied from.
unread_beside := array.concat(
	[{"source": "what the livenessProbe runs", "path": ["spec", "livenessProbe"], "severity": severity_of(probed)} |
		recognised
		probed := script.of(object.filter(spec, ["livenessProbe"]))
		script.sets(probed)
	],
	[{"source": "the postgresql.auto.conf of the copied server", "path": ["spec", "standby", "standby_host"], "severity": "info"} | get.string(spec, ["standby", "standby_host"])],
)

# The operator gives these to Spilo as variables, and extensions to CREATE EXTENSION between quotes (pkg/cluster/k8sres.go, database.go).
line_breaks := array.concat(
	[{"source": concat(".", [section, field]), "path": ["spec", section, field], "severity": "warning", "reason": "its line break begins another line of Patroni's configuration"} |
		recognised
		some section in ["tls", "standby", "clone"]
		some field, value in get.map(spec, section)
		is_string(value)
		contains(value, "\n")
	],
	[{"source": sprintf("the schema of extension %s", [extension]), "path": ["spec", "preparedDatabases", database, "extensions", extension], "severity": "warning", "reason": "its quotation mark ends the name in the SQL that the operator runs"} |
		recognised
		some database, prepared in get.map(spec, "preparedDatabases")
		some extension, schema in get.map(prepared, "extensions")
		is_string(schema)
		contains(concat("", [extension, schema]), `"`)
	],
)

# Spilo puts the data where PGDATA says; the operator mounts their volume at one place and sets PGROOT below it itself.
facts contains {"lost": lost} if count(lost) > 0

volume_directory := "/home/postgres/pgdata"

lost := array.concat(
	mount.lost(sprintf("%s/pgroot/data", [volume_directory]), volume_directory, server_mounts),
	mount.unkept(
		array.concat(
			[object.union(variable, {"name": name, "value": script.filled(variable.value, {other: one.value | some other, one in environment_of_all})}) |
				some name in ["PGDATA", "PATRONI_POSTGRESQL_DATA_DIR"]
				variable := environment_of_all[name]
			],
			[{"name": "waldir", "value": value, "path": waldir_path} | value := get.string(k8s.object, waldir_path)],
		),
		array.concat([volume_directory], [mounted.directory | some mounted in server_mounts]),
	),
)

waldir_path := ["spec", "patroni", "initdb", "waldir"]

# Spilo runs what CRONTAB and CALLBACK_SCRIPT say, and Patroni what its own variables name. The others are filled into Patroni's configuration (configure_spilo.py),
# in which a line break begins another key.
unread_variables := [object.union({"source": sprintf("the variable %s", [name])}, why) |
	some name, variable in environment_of_all
	why := reason_of(name, variable)
]

reason_of(name, variable) := object.union({"severity": severity_of(variable.value)}, object.filter(variable, ["path", "resource"])) if {
	regex.match(commands, name)
} else := object.union({"severity": "warning", "reason": "its line break begins another line of Patroni's configuration"}, object.filter(variable, ["path", "resource"])) if {
	contains(variable.value, "\n")
	regex.match(`^(SSL_.*_FILE|PG.*|BGMON_LISTEN_IP|INITDB_LOCALE|SCOPE|HUMAN_ROLE|STANDBY_.*|CLONE_.*|RESTAPI_CONNECT_ADDRESS|PG_CONNECT_ADDRESS|WALE_.*|WAL_.*|LOG_.*|APIPORT)$`, name)
}

# What runs commands, said by an object that is not in sight.
filled_in_later := [{"source": sprintf("the variable %s", [name]), "path": ["spec", "env", i], "severity": inventory.unread} |
	recognised
	some i, variable in get.list(spec, "env")
	name := get.string(variable, "name")
	regex.match(commands, name)
	get.present(variable, "valueFrom")
	not environment_of_all[name]
]

commands := `^(CRONTAB|CALLBACK_SCRIPT|PATRONI_CONFIGURATION|PATRONI_POSTGRESQL_(BIN_.*|CONFIG_DIR|DATA_DIR))$`

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

# The cluster's own variables come before those of its envFrom, and those before what the operator's configuration gives all pods.
environment_of_all := object.union(
	object.union_n(array.concat(of_all_pods, [found |
		some source in get.list(spec, "envFrom")
		map_of := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(source, ["configMapRef", "name"]))
		found := {concat("", [object.get(source, "prefix", ""), key]): {"value": value, "path": ["data", key], "resource": k8s.reference(map_of)} |
			some key, value in get.map(map_of, "data")
			is_string(value)
		}
	])),
	environment,
)

of_all_pods := [{name: {"value": value, "path": ["data", name], "resource": k8s.reference(environment_map)} |
	some name, value in get.map(environment_map, "data")
	is_string(value)
} |
	environment_map
]

# The schema has version and parameters there: the API server drops other fields.
misplaced := [{"name": name, "path": ["spec", "postgresql", name], "place": ["spec", "postgresql", "parameters"], "reason": "the operator reads parameters below spec.postgresql.parameters only"} |
	some name, _ in get.map(spec, "postgresql")
	postgres.known(name)
]

defaults := object.union(fixed_defaults, sized_defaults)

# Spilo's template, and what Patroni adds to it.
fixed_defaults := {
	"archive_mode": "on",
	"archive_command": "",
	"archive_timeout": "1800s",
	"autovacuum_analyze_scale_factor": "0.02",
	"autovacuum_max_workers": "5",
	"autovacuum_vacuum_scale_factor": "0.05",
	"checkpoint_completion_target": "0.9",
	"log_checkpoints": "on",
	"log_connections": "on",
	"log_destination": "csvlog",
	"log_directory": "../pg_log",
	"log_disconnections": "on",
	"log_filename": "postgresql-%u.log",
	"log_lock_waits": "on",
	"log_min_duration_statement": "500",
	"log_rotation_age": "1d",
	"log_statement": "ddl",
	"log_truncate_on_rotation": "on",
	"logging_collector": "on",
	"max_replication_slots": "10",
	"max_wal_senders": "10",
	"shared_preload_libraries": "bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user",
	"ssl": "on",
	"wal_compression": "on",
	"wal_keep_size": "128MB",
	"wal_level": "replica",
	"wal_log_hints": "on",
}

# Spilo computes from the memory that the pod sees: its limit, or else that of the node.
sized_defaults := {
	"shared_buffers": sprintf("%dMB", [(mebibytes - (mebibytes % 5)) / 5]),
	"max_connections": sprintf("%d", [min([1000, max([100, (mebibytes - (mebibytes % 30)) / 30])])]),
} if {
	mebibytes
}

sized_defaults := {"shared_buffers": "", "max_connections": ""} if not mebibytes

mebibytes := (memory - (memory % 1048576)) / 1048576 if {
	memory := quantity.bytes(resources.limits.memory)
	memory > 0
}

managed := {"cluster_name": "", "hot_standby": "on", "listen_addresses": "*", "port": "5432"}

rewind := {
	"used": true,
	"consequence": "the former primary does not come back until somebody reinitialises it with patronictl",
}

# ----------------------------------------------------------------------------------------------------- instances

major := fact.written(shared.major(version), version_path) if version := get.text_at(k8s.object, version_path)

version_path := ["spec", "postgresql", "version"]

instances := shared.number_at(k8s.object, ["spec", "numberOfInstances"])

instance_set := object.union_n([
	{"name": k8s.name, "path": ["spec"], "resources": resources, "resources_path": ["spec", "resources"], "resources_filled": true},
	{"replicas": n | n := instances},
	{"data": volume | volume := data_volume},
	{"wal": volume | volume := wal_volume},
])

data_volume := object.union(
	shared.volume(["spec", "volume"], ["spec", "volume", "size"], ["spec", "volume", "storageClass"], [
		shared.located(k8s.object, ["spec", "volume"], {"size": ["size"], "class": ["storageClass"]}),
	]),
	{"parameters": object.filter(volume, {"iops", "throughput", "type"})},
) if {
	volume := object.get(spec, "volume", null)
	is_object(volume)
	not relocated
}

# Then what the volume is says nothing of the data.
relocated if {
	recognised
	mount.relocated(sprintf("%s/pgroot/data", [volume_directory]), volume_directory, server_mounts, {variable.value |
		some name in ["PGDATA", "PATRONI_POSTGRESQL_DATA_DIR"]
		variable := environment_of_all[name]
	})
}

# The WAL, where initdb is told a directory that lies on an additional volume of the server's container.
wal_directory := trim_right(get.string(k8s.object, ["spec", "patroni", "initdb", "waldir"]), "/")

wal_volume := mount.volume(["spec", "additionalVolumes", found.index, "volumeSource"], false) if {
	found := mount.above(wal_directory, additional)
}

additional := [{"index": i, "directory": trim_right(get.string(one, "mountPath"), "/")} |
	some i, one in get.list(spec, "additionalVolumes")
	is_object(one)
	targets := get.list(one, "targetContainers")
	for_server(targets)
]

for_server([]) := true

for_server(targets) if {
	some target in targets
	target in {"postgres", "all"}
}

# What the cluster does not say of its containers the operator's configuration says.
resources := {kind: object.union(configured_resources[kind], written) |
	some kind, written in shared.resources(k8s.object, ["spec", "resources"])
}

configured_resources := {
	"requests": {name: amount |
		some name in ["cpu", "memory"]
		amount := get.text_at(pod_resources, sprintf("default_%s_request", [name]))
	},
	"limits": {name: amount |
		some name in ["cpu", "memory"]
		amount := get.text_at(pod_resources, sprintf("default_%s_limit", [name]))
	},
}

pod_resources := get.map(configuration, "postgres_pod_resources") if configuration

pod_resources := {} if not configuration

# METADATA
# description: The configuration of the operator, where exactly one is in sight.
configuration := get.map(configurations[0], "configuration") if count(configurations) == 1

configurations := inventory.everywhere("acid.zalan.do/v1", "OperatorConfiguration")

synchronous := fact.written(get.boolean(spec, ["patroni", "synchronous_mode"]), ["spec", "patroni", "synchronous_mode"])

patience := probe.patience(k8s.object, ["spec"])

# ---------------------------------------------------------------------------------------------------------- pooler

# The operator deploys one when it is asked to, or when its section is there.
pooled if get.boolean(spec, "enableConnectionPooler")

pooled if {
	not get.present(spec, "enableConnectionPooler")
	is_object(object.get(spec, "connectionPooler", null))
}

# maxDBConnections is shared out among the pooler's instances.
pooler := object.union_n([
	fact.written(true, pooler_path),
	{"connections": n | n := shared.whole(object.get(spec, ["connectionPooler", "maxDBConnections"], null))},
]) if {
	pooled
}

pooler := fact.operator(false, ["spec"]) if not pooled

# poolerUser (pkg/cluster/connection_pooler.go) takes the user of its configuration for these, while generateConnectionPoolerPodTemplate and the look-up function go by what is written.
facts contains {"pooler_faults": pooler_faults} if count(pooler_faults) > 0

pooler_faults := [{
	"path": ["spec", "connectionPooler", "user"],
	"reason": sprintf("The operator does not take %s, %s, for the pooler's user and creates its own, and PgBouncer logs in as %s all the same: %s", [user, what, user, consequence]),
	"cure": "Write a user of its own, such as pooler, or leave the field out",
} |
	running_pooler
	user := get.string(spec, ["connectionPooler", "user"])
	some [name, what, consequence] in reserved_users
	user == name
]

running_pooler if pooled

running_pooler if get.boolean(spec, "enableReplicaConnectionPooler")

reserved_users := array.concat(
	[[superuser, "the superuser", "with all its rights, and with a password that is not kept in step"]],
	[[name, "a protected role", "without a Secret of that name its pods do not start"] |
		some name in object.get(configuration_or_none, ["users", "protected_role_names"], ["admin", "cron_admin"])
		object.get(spec, ["users", name], null) == null
	],
)

superuser := object.get(configuration_or_none, ["users", "super_username"], "postgres")

pooler_path := ["spec", "connectionPooler"] if is_object(object.get(spec, "connectionPooler", null))

pooler_path := ["spec", "enableConnectionPooler"] if not is_object(object.get(spec, "connectionPooler", null))

# -------------------------------------------------------------------------------------------------------- initdb

# True when the operator runs initdb.
initialised if {
	count(spec) > 0
	not get.present(spec, "standby")
	not get.present(spec, "clone")
}

segment_path := ["spec", "patroni", "initdb", "wal-segsize"]

segment := initdb.segment(object.get(k8s.object, segment_path, null), segment_path) if initialised

segment := initdb.default_segment(segment_path) if {
	initialised
	not get.present(k8s.object, segment_path)
}

checksums_path := ["spec", "patroni", "initdb", "data-checksums"]

# Spilo's own list for initdb has data-checksums; "false" is no word that initdb knows.
checksums := fact.operator(true, checksums_path) if {
	initialised
	not get.present(k8s.object, checksums_path)
}

checksums := fact.written(true, checksums_path) if {
	initialised
	shared.boolean(object.get(k8s.object, checksums_path, null))
}

# ------------------------------------------------------------------------------------------------------- backups

# Names of the variables with which Spilo archives.
destinations := {
	"WAL_S3_BUCKET",
	"WALE_S3_PREFIX",
	"WALG_S3_PREFIX",
	"WAL_GS_BUCKET",
	"WALE_GS_PREFIX",
	"WALG_GS_PREFIX",
	"WAL_GCS_BUCKET",
	"WALE_GCS_PREFIX",
	"WALG_AZ_PREFIX",
	"AZURE_STORAGE_ACCOUNT",
	"WALE_SWIFT_PREFIX",
	"WAL_SWIFT_BUCKET",
	"WALG_SWIFT_PREFIX",
	"WALG_SSH_PREFIX",
}

# Of two variables of a name the last one counts.
environment[name] := found if {
	listed := get.list(spec, "env")
	some name, i in get.last_of_each([[of, k] |
		some k, variable in listed
		is_object(variable)
		get.string(variable, "value")
		of := get.upper_case(get.string(variable, "name"))
	])
	found := {"value": listed[i].value, "path": ["spec", "env", i, "value"]}
}

archiving := shared.archiving(parameters) if shared.archiving(parameters)

archiving := fact.written("on", destination.path) if {
	not shared.archiving(parameters)
	destination
}

archiving := fact.operator("on", ["spec", "env"]) if {
	not shared.archiving(parameters)
	not destination
	operator_archives
}

# Nothing names a destination: Spilo's archive_command is /bin/true, with archive_mode on.
archiving := fact.operator("discards", ["spec", "env"]) if {
	not shared.archiving(parameters)
	not destination
	not operator_archives
	configuration
	not environment_elsewhere
}

destination := environment[named[0]] if {
	named := [name | some name, _ in environment; name in destinations]
	count(named) > 0
}

operator_archives if {
	some field in ["wal_s3_bucket", "wal_gs_bucket", "wal_az_storage_account"]
	get.string(configuration, ["aws_or_gcp", field])
}

environment_elsewhere if {
	some field in ["pod_environment_configmap", "pod_environment_secret"]
	get.string(configuration, ["kubernetes", field])
}

standby_backup := fact.written(shared.boolean(choice.value), choice.path) if choice := environment.WALG_BACKUP_FROM_REPLICA

# postgres_backup.sh runs on every pod, and passes over the primary; of a single instance nothing is left.
facts contains {"lonely_backup": object.union(choice, {"setting": "WALG_BACKUP_FROM_REPLICA"})} if {
	choice := object.filter(environment.WALG_BACKUP_FROM_REPLICA, ["path"])
	get.lower_case(environment.WALG_BACKUP_FROM_REPLICA.value) == "true"
	instances.value == 1
	not get.present(spec, "standby")
	archiving.value == "on"
}

# METADATA
# description: |
#   Clusters cloned to a point in time, that is from the archive (a clone without one copies the running cluster). Nothing
#   tells when one became ready; it was not before it was created.
restores := [object.union({"ready": created, "cluster": name}, {"proven": true | evidence.recorded(other).PostgresClusterStatus == "Running"}) |
	some other in inventory.everywhere(k8s.api_version, "postgresql")

	# Few are clones: a plain reference passes over the rest of a large inventory quickly.
	other.spec.clone
	get.string(other, ["spec", "clone", "cluster"]) == k8s.name
	of_this_cluster(other)
	get.string(other, ["spec", "clone", "timestamp"])
	get.string(other, ["status", "PostgresClusterStatus"]) == "Running"
	created := get.string(other, ["metadata", "creationTimestamp"])
	name := get.string(other, ["metadata", "name"])
]

# A name alone may be that of a cluster in another namespace, or of one that was there before.
of_this_cluster(clone) if get.string(clone, ["spec", "clone", "uid"]) == get.string(k8s.object, ["metadata", "uid"])

of_this_cluster(clone) if {
	not get.string(clone, ["spec", "clone", "uid"])
	get.string(clone, ["metadata", "namespace"]) == k8s.namespace
}
