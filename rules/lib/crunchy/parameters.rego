package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.lib.text
import data.walguard.postgres

# --------------------------------------------------------------------------------------------------- parameters

# METADATA
# description: Patroni's section of parameters, of which the API server checks nothing.
patroni_path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters"]

# METADATA
# description: |
#   Parameters beside "parameters" instead of below it: Patroni knows no such key (config.py, _safe_copy_dynamic_configuration), and the
#   API server takes anything there.
misplaced := array.concat(
	array.concat(
		[{"name": name, "value": value, "path": array.concat(patroni_path, [name]), "level": "error", "reason": sprintf("it is no parameter, and Patroni leaves it out; it reads %s beside parameters, below dynamicConfiguration.postgresql", [name])} |
			some name in ["pg_hba", "pg_ident"]
			value := object.get(get.map(k8s.object, patroni_path), name, null)
			value != null
		],
		[{"name": name, "value": value, "path": array.concat(path, [name]), "place": patroni_path, "reason": "Patroni reads parameters below dynamicConfiguration.postgresql.parameters only"} |
			some below in [["postgresql"], [], ["parameters"], ["standby_cluster"], ["standby_cluster", "parameters"]]
			path := array.concat(["spec", "patroni", "dynamicConfiguration"], below)
			some name, value in get.map(k8s.object, path)
			postgres.known(name)
			not array.concat(below, [name]) in standby_keys
		],
	),
	[{"name": name, "value": value, "path": array.concat(patroni_path, [i, name]), "level": "error", "reason": "parameters is a list here and not a map, so that Patroni fails at every reload and takes none of its configuration"} |
		some i, entry in get.list(k8s.object, patroni_path)
		is_object(entry)
		some name, value in entry
	],
)

# DynamicConfiguration writes use_slots: false unless the section says otherwise (internal/patroni/config.go), and Patroni then makes none of the permanent ones (dcs/__init__.py, _get_permanent_slots).
slots_unused := [{"name": "slots", "path": array.concat(dynamic_path, ["slots"]), "level": "warning", "reason": sprintf("the operator switches slots off in Patroni, which makes none of %s. Set dynamicConfiguration.postgresql.use_slots: true", [text.list(sort(object.keys(permanent)), "and")])} |
	permanent := get.map(dynamic, "slots")
	count(permanent) > 0
	slots.value == false
	not placeholder.holds(object.get(k8s.object, slots_path, null))
	count([1 | some name, _ in permanent; placeholder.unknown(name)]) == 0
]

# Where the standby leader finds its primary, by names that parameters have too.
standby_keys := [["standby_cluster", name] | some name in ["port", "primary_slot_name", "restore_command", "archive_cleanup_command", "recovery_min_apply_delay"]]

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
	"wal_log_hints": "on",
}

huge_pages := "try" if has_huge_pages

huge_pages := "off" if not has_huge_pages

has_huge_pages if {
	some set in instance_sets
	some name, amount in set.resources.limits
	startswith(name, "hugepages-")
	quantity.bytes(amount) > 0
}

# Patroni reads that file instead of the one initdb made; spec.config.files brings it into the pod.
inclusions := [{"name": "custom_conf", "file": file, "path": path} |
	path := ["spec", "patroni", "dynamicConfiguration", "postgresql", "custom_conf"]
	file := get.text_at(k8s.object, path)
]

# METADATA
# description: |
#   What both set whatever is written (parameters.Mandatory of both, and what Patroni keeps for itself); CrunchyData's operator adds
#   restore_command and wal_level. Not logging_collector, which neither sets unless it collects telemetry, and not
#   wal_log_hints, which Patroni leaves to the configuration since 4.0. synchronous_standby_names is Patroni's with synchronous_mode alone
#   (config.py, get_server_parameters).
managed := object.union(always_managed, {"synchronous_standby_names": "" | synchronous.value})

always_managed := {
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
	"port": "",
	"primary_conninfo": "",
	"primary_slot_name": "",
	"recovery_min_apply_delay": "",
	"ssl": "on",
	"ssl_ca_file": "",
	"ssl_cert_file": "",
	"ssl_key_file": "",
	"unix_socket_directories": "",
}

rewind := {
	"used": true,
	"consequence": "the former primary does not come back until somebody reinitialises it with patronictl",
}
