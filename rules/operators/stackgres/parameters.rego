package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.conf
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.sql

# --------------------------------------------------------------------------------------------------- parameters

own_path := ["spec", "postgresql.conf"]

inline_path := array.concat(part, ["configurations", "postgres", "postgresql.conf"])

parameters_path := own_path if reviewed_configuration

# SQL is no place for a default: what nobody set there the cluster answers for.
parameters_path := [] if reviewed_script

parameters_path := [] if reviewed_operation

parameters_path := inline_path if reviewed_cluster

# What the cluster writes inline overwrites its SGPostgresConfig; postgresql.auto.conf, which ALTER SYSTEM writes, comes last.
parameters := array.concat(array.concat(referred, inline), set_by_sql)

set_by_sql := [setting |
	some one in scripts
	some setting in sql.settings(one.text, object.filter(one, ["path", "resource"]))
]

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

# Of sharded clusters by Citus the operator fills Patroni's section citus (StackGresShardedClusterForCitusUtil), and Patroni then loads citus before all others (patroni/postgresql/mpp/citus.py).
facts contains {"preloaded": array.concat(["citus"], sort(conf.names(libraries)))} if {
	sharded
	object.get(home, ["spec", "type"], "citus") == "citus"
	libraries := written_libraries
}

written_libraries := text if {
	text := get.text(shared.last_of(parameters, "shared_preload_libraries").value)
} else := defaults.shared_preload_libraries

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
