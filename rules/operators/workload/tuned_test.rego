package walguard.operators.workload_test

tuned_of(values, more) := {setting.name: setting.value |
	some setting in read(set_of("timescale/timescaledb:2.20.3-pg17", object.union({"env": env_of(values)}, more))).parameters
}

test_what_timescaledb_tune_is_told if {
	tuned_of({"TS_TUNE_MEMORY": "256GB", "TS_TUNE_WAL_DISK_SIZE": "500GB", "TS_TUNE_MAX_CONNS": "400"}, {}) == {"shared_buffers": "67108864kB", "max_wal_size": "307200MB", "max_connections": "400"}
	tuned_of({"TS_TUNE_MEMORY": "512 MB", "TS_TUNE_WAL_DISK_SIZE": "1GB"}, {}) == {"shared_buffers": "131072kB", "max_wal_size": "624MB"}
	written := read(set_of("timescale/timescaledb:2.20.3-pg17", {"env": env_of({"TS_TUNE_MEMORY": "1TB"}), "args": ["-c", "shared_buffers=1GB"]})).parameters
	[setting.value | some setting in written] == ["268435456kB", "1GB"]
}

test_what_timescaledb_tune_does_not_write if {
	every values in [{}, {"TS_TUNE_MEMORY": "much"}, {"TS_TUNE_MEMORY": "256GB", "NO_TS_TUNE": "true"}, {"TS_TUNE_MEMORY": "256GB", "POSTGRESQL_CONF_DIR": "/etc"}, {"TS_TUNE_MAX_CONNS": "${N}"}] {
		tuned_of(values, {}) == {}
	}
	tuned_of({"TS_TUNE_MEMORY": "256GB"}, {"args": ["-c", "config_file=/etc/p.conf"]}) == {"config_file": "/etc/p.conf"}
	settings := read(set_of("postgres:17.6", {"env": env_of({"TS_TUNE_MEMORY": "256GB"})})).parameters
	settings == []
}
