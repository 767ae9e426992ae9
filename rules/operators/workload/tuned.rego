package walguard.operators.workload

# What timescaledb-tune is told by variables of the image and writes into postgresql.conf at the first start (001_timescaledb_tune.sh): a quarter of the memory, three fifths of the
# disk of the WAL in whole segments (timescale/timescaledb-tune, pkg/pgtune).
tuned_parameters := [object.union({"name": name, "value": value, "path": value_path(found)}, object.filter(found, ["resource"])) |
	server.product.tuned
	by_entrypoint
	not own_configuration
	not last_option("config_file")
	not first_of(["NO_TS_TUNE", "POSTGRESQL_CONF_DIR"])
	not unknown(["NO_TS_TUNE", "POSTGRESQL_CONF_DIR"])
	some variable, name in {"TS_TUNE_MAX_CONNS": "max_connections", "TS_TUNE_MEMORY": "shared_buffers", "TS_TUNE_WAL_DISK_SIZE": "max_wal_size"}
	found := first_of([variable])
	value := tuned(name, found.value)
]

tuned("max_connections", text) := text if regex.match(`^[0-9]+$`, text)

tuned("shared_buffers", text) := sprintf("%dkB", [floor(kilobytes(text) / 4)])

tuned("max_wal_size", text) := sprintf("%dMB", [ceil((kilobytes(text) * 6) / 163840) * 16])

kilobytes(text) := to_number(found[1]) * {"kB": 1, "MB": 1024, "GB": 1048576, "TB": 1073741824}[found[2]] if {
	some found in regex.find_all_string_submatch_n(`^([0-9]+) ?(kB|MB|GB|TB)$`, text, 1)
}

# timescaledb-tune writes these by the memory and the CPUs that it sees.
image_defaults := {
	"autovacuum_max_workers": "",
	"autovacuum_naptime": "",
	"bgwriter_delay": "",
	"bgwriter_lru_maxpages": "",
	"checkpoint_completion_target": "",
	"default_statistics_target": "",
	"effective_cache_size": "",
	"effective_io_concurrency": "",
	"maintenance_work_mem": "",
	"max_connections": "",
	"max_locks_per_transaction": "",
	"max_parallel_workers": "",
	"max_parallel_workers_per_gather": "",
	"max_wal_size": "",
	"max_worker_processes": "",
	"min_wal_size": "",
	"random_page_cost": "",
	"shared_buffers": "",
	"shared_preload_libraries": "timescaledb",
	"wal_buffers": "",
	"work_mem": "",
} if {
	tuned_by_image
}

# In the file that it made, and in no other.
tuned_by_image if {
	server.product.tuned
	not own_configuration
}
