# METADATA
# title: Crunchy Postgres for Kubernetes
# description: |
#   CrunchyData's operator (PGO), PostgresCluster v1 and v1beta1. Tablespaces, extra configuration files and pgBackRest's own
#   volumes are not read. The segment size cannot be chosen. A PostgresCluster that a PerconaPGCluster owns is Percona's
#   business. Evidence of backups stands in the resource's own status, which counts only when an API server vouches for it.
# related_resources:
#   - https://access.crunchydata.com/documentation/postgres-operator/latest/references/crd
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/postgres/parameters.go
# custom:
#   kinds:
#     - {group: postgres-operator.crunchydata.com, versions: [v1, v1beta1], kind: PostgresCluster, plural: postgresclusters, namespaced: true, role: cluster}
#   generated:
#     - {group: postgres-operator.crunchydata.com, kind: PostgresCluster, owners: [PerconaPGCluster]}
package walguard.operators.crunchy

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.quantity

recognised if {
	k8s.group == "postgres-operator.crunchydata.com"
	k8s.kind == "PostgresCluster"
	not k8s.owned_by({"PerconaPGCluster"})
}

spec := get.map(k8s.object, "spec") if recognised

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if recognised

facts contains {
	"operator": "Crunchy Postgres for Kubernetes",
	"name": k8s.name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "text or integer",
	"patroni": true,
	"defaults": defaults,
	"managed": managed,
	"forbidden": forbidden,
	"instance_sets": instance_sets,
	"rewind": rewind,
} if {
	recognised
}

facts contains {"major": major} if major

facts contains {"instances": instances} if instances

facts contains {"segment": {"value": 16, "unit": "MB", "origin": "operator", "path": ["spec"]}} if initialised

facts contains {"checksums": fact.operator(true, ["spec"])} if initialised

facts contains {"archiving": archiving} if archiving

facts contains {"standby_backup": standby_backup} if standby_backup

facts contains {"synchronous": synchronous} if synchronous

facts contains {"pooler": pooler} if count(spec) > 0

# --------------------------------------------------------------------------------------------------- parameters

parameters_path := ["spec", "config", "parameters"]

# spec.config wins over Patroni's section.
parameters := array.concat(
	shared.parameters(k8s.object, ["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters"]),
	shared.parameters(k8s.object, parameters_path),
)

# internal/postgres/parameters.go, internal/pgbackrest/postgres.go, and what Patroni sets.
defaults := {
	"archive_timeout": "60s",
	"huge_pages": huge_pages,
	"jit": "off",
	"log_directory": "log",
	"max_replication_slots": "10",
	"max_wal_senders": "10",
	"password_encryption": "scram-sha-256",
	"wal_keep_size": "128MB",
}

huge_pages := "try" if has_huge_pages

huge_pages := "off" if not has_huge_pages

has_huge_pages if {
	some set in instance_sets
	some name, amount in set.resources.limits
	startswith(name, "hugepages-")
	quantity.bytes(amount) > 0
}

managed := {
	"archive_command": "",
	"archive_mode": "on",
	"cluster_name": "",
	"config_file": "",
	"data_directory": "",
	"external_pid_file": "",
	"hba_file": "",
	"hot_standby": "on",
	"ident_file": "",
	"listen_addresses": "",
	"log_file_mode": "",
	"logging_collector": "",
	"port": "",
	"primary_conninfo": "",
	"primary_slot_name": "",
	"recovery_min_apply_delay": "",
	"restore_command": "",
	"ssl": "on",
	"ssl_ca_file": "",
	"ssl_cert_file": "",
	"ssl_key_file": "",
	"synchronous_standby_names": "",
	"unix_socket_directories": "",
	"wal_level": "logical",
	"wal_log_hints": "on",
}

# The rules in the schema of spec.config.parameters.
forbidden := {
	"archive_command": "",
	"archive_mode": "",
	"cluster_name": "",
	"config_file": "",
	"data_directory": "",
	"external_pid_file": "",
	"hba_file": "",
	"hot_standby": "",
	"ident_file": "",
	"listen_addresses": "",
	"log_file_mode": "",
	"logging_collector": "",
	"port": "",
	"primary_conninfo": "",
	"primary_slot_name": "",
	"recovery_min_apply_delay": "",
	"recovery_target": "",
	"recovery_target_action": "",
	"recovery_target_inclusive": "",
	"recovery_target_lsn": "",
	"recovery_target_name": "",
	"recovery_target_time": "",
	"recovery_target_timeline": "",
	"recovery_target_xid": "",
	"restore_command": "",
	"ssl": "",
	"ssl_ca_file": "",
	"ssl_cert_file": "",
	"ssl_ciphers": "",
	"ssl_crl_dir": "",
	"ssl_crl_file": "",
	"ssl_dh_params_file": "",
	"ssl_key_file": "",
	"ssl_max_protocol_version": "",
	"ssl_min_protocol_version": "",
	"ssl_passphrase_command": "",
	"ssl_passphrase_command_supports_reload": "",
	"ssl_prefer_server_ciphers": "",
	"ssl_tls13_ciphers": "",
	"synchronous_standby_names": "",
	"unix_socket_directories": "",
	"unix_socket_group": "",
	"unix_socket_permissions": "",
	"wal_level": "logical",
	"wal_log_hints": "",
}

rewind := {
	"used": true,
	"consequence": "the former primary does not come back until somebody reinitialises it with patronictl",
}

# ----------------------------------------------------------------------------------------------------- instances

major := fact.written(shared.major(version), ["spec", "postgresVersion"]) if version := object.get(spec, "postgresVersion", null)

instance_sets := [instance_set(i, set) |
	some i, set in get.list(spec, "instances")
	is_object(set)
]

instance_set(i, set) := object.union_n([
	{
		"name": set_name(i, set),
		"path": path,
		"replicas": replicas(set, array.concat(path, ["replicas"])),
		"resources": shared.resources(set, ["resources"]),
		"resources_path": array.concat(path, ["resources"]),
		"wal_path": array.concat(path, ["walVolumeClaimSpec"]),
	},
	{role: volume |
		some role, field in {"data": "dataVolumeClaimSpec", "wal": "walVolumeClaimSpec"}
		volume := shared.claim(k8s.object, array.concat(path, [field]))
	},
]) if {
	path := ["spec", "instances", i]
}

# The operator calls an unnamed set by its position.
set_name(_, set) := get.string(set, "name")

set_name(i, set) := sprintf("%d", [i]) if not get.string(set, "name")

replicas(set, path) := fact.written(n, path) if n := shared.whole(object.get(set, "replicas", null))

replicas(set, path) := fact.operator(1, path) if not shared.whole(object.get(set, "replicas", null))

instances := {"value": total, "origin": origin, "path": path} if {
	count(instance_sets) > 0
	total := sum([set.replicas.value | some set in instance_sets])
	[origin, path] := said(["written" | some set in instance_sets; set.replicas.origin == "written"])
}

said(written) := ["written", ["spec", "instances"]] if count(written) > 0

said([]) := ["operator", ["spec", "instances"]]

synchronous := fact.written(get.boolean(k8s.object, synchronous_path), synchronous_path)

synchronous_path := ["spec", "patroni", "dynamicConfiguration", "synchronous_mode"]

# ---------------------------------------------------------------------------------------------------------- pooler

pgbouncer := object.get(spec, ["proxy", "pgBouncer"], null)

pooler := object.union_n([
	fact.written(true, ["spec", "proxy", "pgBouncer"]),
	{"connections": n |
		copies := shared.whole(object.get(pgbouncer, "replicas", 1))
		n := copies * shared.whole(object.get(pgbouncer, ["config", "global", "default_pool_size"], "20"))
	},
]) if {
	is_object(pgbouncer)
}

pooler := fact.operator(false, ["spec", "proxy"]) if not is_object(pgbouncer)

# True when the operator runs initdb, which it gives no segment size and --data-checksums.
initialised if {
	count(spec) > 0
	not get.present(spec, "dataSource")
	not get.boolean(spec, ["standby", "enabled"])
}

# ------------------------------------------------------------------------------------------------------- backups

pgbackrest := ["spec", "backups", "pgbackrest"]

repositories := get.list(k8s.object, array.concat(pgbackrest, ["repos"])) if recognised

archiving := fact.written("on", array.concat(pgbackrest, ["repos"])) if count(repositories) > 0

# Without a repository archive_command is "true", with archive_mode on.
archiving := fact.operator("discards", ["spec", "backups"]) if {
	count(repositories) == 0
	count(spec) > 0
}

standby_path := array.concat(pgbackrest, ["global", "backup-standby"])

standby_backup := fact.written(shared.boolean(value), standby_path) if value := get.text_at(k8s.object, standby_path)

# From a standby where there is one.
standby_backup := fact.written(true, standby_path) if get.string(k8s.object, standby_path) == "prefer"

standby_backup := fact.operator(false, standby_path) if {
	count(repositories) > 0
	not get.present(k8s.object, standby_path)
}

status := get.map(k8s.object, ["status", "pgbackrest"]) if {
	recognised
	k8s.operation
}

backups := [{"finished": finished, "from": backup_source, "name": name} |
	some job in array.concat(get.list(status, "scheduledBackups"), [get.map(status, "manualBackup")])
	is_object(job)
	get.number(job, "succeeded") > 0
	finished := get.string(job, "completionTime")
	some name in [n | some field in ["cronJobName", "id"]; n := get.string(job, field)]
]

backup_source := "standby" if standby_backup.value == true

backup_source := "primary" if standby_backup.value == false

backup_source := "unknown" if not standby_backup

# METADATA
# description: |
#   Clusters made from this one's repository (spec.dataSource.postgresCluster), whose restore succeeded and of which an instance is ready.
restores := [{"ready": ready, "cluster": name} |
	some version in ["v1", "v1beta1"]
	some other in inventory.everywhere(sprintf("postgres-operator.crunchydata.com/%s", [version]), "PostgresCluster")
	source := get.map(other, ["spec", "dataSource", "postgresCluster"])
	get.string(source, "clusterName") == k8s.name
	source_namespace(other, source) == k8s.namespace
	get.number(other, ["status", "pgbackrest", "restore", "succeeded"]) > 0
	ready := get.string(other, ["status", "pgbackrest", "restore", "completionTime"])
	some set in get.list(other, ["status", "instances"])
	is_object(set)
	get.number(set, "readyReplicas") > 0
	name := get.string(other, ["metadata", "name"])
]

source_namespace(_, source) := get.string(source, "clusterNamespace")

source_namespace(other, source) := get.string(other, ["metadata", "namespace"]) if not get.string(source, "clusterNamespace")
