# METADATA
# description: |
#   What the templates of KubeBlocks' addons postgresql and vanilla-postgresql write into postgresql.conf (addons/*/config/
#   pg*-config.tpl, the same in substance from 12 to 18). Sizes follow from the memory limit (0 without one) and from the size
#   of the data volume (0 where it is not known), in whole numbers as the template computes them.
# related_resources:
#   - https://github.com/apecloud/kubeblocks-addons/blob/main/addons/postgresql/config/pg14-config.tpl
package walguard.operators.kubeblocks.template

# METADATA
# description: |
#   Parameters as text. major is a number, or null when unknown; memory and data_size are bytes.
defaults(addon, major, memory, data_size) := object.union_n([
	fixed,
	of_addon[addon],
	connections(memory),
	of_memory(memory),
	{
		"shared_buffers": shared_buffers(memory),
		"max_wal_size": sprintf("%dMB", [wal_sizes(memory, data_size).max]),
		"min_wal_size": sprintf("%dMB", [wal_sizes(memory, data_size).min]),
		"wal_buffers": sprintf("%dMB", [whole(between(whole(memory, 2097152), 2048, 16384), 128)]),
		"work_mem": sprintf("%dkB", [max([whole(memory, 4194304), 4096])]),
	},
	kept(addon, major, data_size),
])

fixed := {
	"archive_command": "/bin/true",
	"archive_mode": "on",
	"autovacuum_analyze_scale_factor": "0.1",
	"autovacuum_naptime": "15s",
	"autovacuum_vacuum_cost_delay": "2",
	"autovacuum_vacuum_cost_limit": "200",
	"autovacuum_vacuum_scale_factor": "0.05",
	"bgwriter_flush_after": "64",
	"bgwriter_lru_maxpages": "1000",
	"bgwriter_lru_multiplier": "10",
	"checkpoint_completion_target": "0.9",
	"checkpoint_flush_after": "32",
	"checkpoint_timeout": "15min",
	"huge_pages": "try",
	"idle_in_transaction_session_timeout": "3600000ms",
	"log_checkpoints": "on",
	"max_locks_per_transaction": "64",
	"max_prepared_transactions": "100",
	"max_replication_slots": "16",
	"max_wal_senders": "64",
	"random_page_cost": "1.1",
	"superuser_reserved_connections": "20",
	"temp_buffers": "8MB",
	"vacuum_cost_delay": "0",
	"vacuum_cost_limit": "10000",
	"wal_compression": "on",
	"wal_init_zero": "off",
	"wal_level": "replica",
	"wal_log_hints": "on",
	"wal_receiver_timeout": "60000",
	"wal_sender_timeout": "60000",
	"wal_writer_delay": "200ms",
	"wal_writer_flush_after": "1MB",
}

of_addon := {
	"postgresql": {"password_encryption": "scram-sha-256"},
	"vanilla-postgresql": {"password_encryption": "md5", "synchronous_commit": "off"},
}

connections(0) := {"max_connections": "10000", "autovacuum_max_workers": "3"}

connections(memory) := {
	"max_connections": sprintf("%d", [min([whole(memory, 9531392), 5000])]),
	"autovacuum_max_workers": sprintf("%d", [between(whole(memory, 17179869184), 3, 10)]),
} if {
	memory > 0
}

of_memory(0) := {}

of_memory(memory) := {
	"autovacuum_work_mem": sprintf("%dkB", [max([whole(memory, 65536), 131072])]),
	"effective_cache_size": sprintf("%dMB", [whole(whole(memory, 16384), 128)]),
	"temp_file_limit": sprintf("%dkB", [whole(memory, 1024)]),
} if {
	memory > 0
}

# A quarter of the memory in the largest unit, what does not fill one being lost: 6 GiB give 1GB.
shared_buffers(0) := "1GB"

shared_buffers(memory) := sprintf("%dGB", [whole(whole(memory, 4), 1073741824)]) if memory >= 4294967296

shared_buffers(memory) := sprintf("%dMB", [whole(whole(memory, 4), 1048576)]) if {
	memory < 4294967296
	memory >= 4194304
}

shared_buffers(memory) := sprintf("%dkB", [whole(whole(memory, 4), 1024)]) if {
	memory < 4194304
	memory > 0
}

small := 5368709120

wal_sizes(memory, data_size) := {
	"max": between(whole(memory, 2097152), 4096, 32768),
	"min": between(whole(memory, 8388608), 2048, 8192),
} if {
	not is_small(data_size)
}

wal_sizes(_, data_size) := {"max": 256, "min": 64} if is_small(data_size)

is_small(data_size) if {
	data_size > 0
	data_size < small
}

# wal_keep_size came with PostgreSQL 13.
kept(_, 12, _) := {}

kept("vanilla-postgresql", major, _) := {"wal_keep_size": "2048"} if major != 12

kept("postgresql", major, data_size) := {"wal_keep_size": "128MB"} if {
	major != 12
	is_small(data_size)
}

kept("postgresql", major, data_size) := {"wal_keep_size": "1024MB"} if {
	major != 12
	not is_small(data_size)
}

# METADATA
# description: Whole part of a quotient.
whole(dividend, divisor) := (dividend - (dividend % divisor)) / divisor

# METADATA
# description: A number kept between two others.
between(n, lowest, highest) := min([max([n, lowest]), highest])
