package walguard.operators.cnpg

import data.walguard.lib.fact
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.lib.sql

# Who runs initdb; a copy of another cluster is not made by it.
facts contains {"initdb_user": user} if user

user := fact.written(number, user_path) if {
	made_by_initdb
	number := get.number(k8s.object, user_path)
}

user := fact.operator(26, ["spec", "postgresUID"]) if {
	made_by_initdb
	not user_path
}

# The container's context counts before the pod's, and that before the number of the cluster (GetSecurityContext and GetPodSecurityContext).
user_path := [path |
	some path in [["spec", "securityContext", "runAsUser"], ["spec", "podSecurityContext", "runAsUser"], ["spec", "postgresUID"]]
	get.present(k8s.object, path)
][0]

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
		found := inventory.namespaced_object(k8s.namespace, "v1", reference.kind, reference.name)
		text_ := said_of_reference(found, reference)
	],
)

said_of_reference(found, reference) := get.string(found, ["data", reference.key]) if reference.kind == "ConfigMap"

# Among files Secrets are in sight too.
said_of_reference(found, reference) := [entry.text |
	some entry in files.entries(found)
	entry.key == reference.key
][0] if {
	reference.kind == "Secret"
}

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
	takes_effect(setting.name, statement.text)
]

takes_effect(_, _) if get.boolean(spec, ["postgresql", "enableAlterSystem"])

takes_effect(name, _) if get.lower_case(name) in {"zero_damaged_pages", "ignore_checksum_failure"}

# Every session may set these, so that ALTER ROLE ALL and ALTER DATABASE do.
takes_effect(name, text_) if {
	get.lower_case(name) in {"session_replication_role", "synchronous_commit"}
	not regex.match(`(?i)\balter\s+system\b`, text_)
}

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
	listed_libraries
	count([1 | some name in named_libraries; placeholder.unknown(name)]) == 0
}

# A text in the place of the list is filled in later, or refused.
listed_libraries if not get.present(spec, ["postgresql", "shared_preload_libraries"])

listed_libraries if is_array(spec.postgresql.shared_preload_libraries)

named_libraries := get.list(spec, ["postgresql", "shared_preload_libraries"])

facts contains {"own_libraries": fact.written(named_libraries, ["spec", "postgresql", "shared_preload_libraries"])} if {
	count(named_libraries) > 0
	not libraries_mounted
	not get.present(spec, ["postgresql", "parameters", "dynamic_library_path"])
}

# The operator preloads what it manages where a parameter of it is written.
facts contains {"own_libraries": object.union(fact.written(libraries, array.concat(["spec", "postgresql", "parameters"], [managing[0]])), {"asked": sprintf("the operator preloads where %s is set", [managing[0]])})} if {
	count(named_libraries) == 0
	count(managing) > 0
	not libraries_mounted
	not get.present(spec, ["postgresql", "parameters", "dynamic_library_path"])
}

managing := sort([name |
	some name, _ in get.map(spec, ["postgresql", "parameters"])
	split(name, ".")[0] in libraries
	contains(name, ".")
	not startswith(name, "pg_stat_statements.")
	not startswith(name, "auto_explain.")
])

facts contains {"extensions": created} if count(created) > 0

created := array.concat(created_at_first, created_by_databases)

created_at_first := [{"name": extension, "path": ["spec", "bootstrap", "initdb", field, i]} |
	some field in ["postInitSQL", "postInitApplicationSQL", "postInitTemplateSQL"]
	some i, statement in get.list(spec, ["bootstrap", "initdb", field])
	not contains(statement, "pg_available_extension")
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
