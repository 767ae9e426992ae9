package walguard.operators.kubeblocks.template_test

import data.walguard.operators.kubeblocks.template

gib := 1073741824

sized(addon, memory, data_size) := object.filter(template.defaults(addon, 16, memory, data_size), [
	"autovacuum_max_workers",
	"effective_cache_size",
	"max_connections",
	"max_wal_size",
	"min_wal_size",
	"shared_buffers",
	"wal_buffers",
	"wal_keep_size",
	"work_mem",
])

test_large_instance if {
	sized("postgresql", 64 * gib, 500 * gib) == {
		"autovacuum_max_workers": "4",
		"effective_cache_size": "32768MB",
		"max_connections": "5000",
		"max_wal_size": "32768MB",
		"min_wal_size": "8192MB",
		"shared_buffers": "16GB",
		"wal_buffers": "128MB",
		"wal_keep_size": "1024MB",
		"work_mem": "16384kB",
	}
}

test_small_instance_on_a_small_volume if {
	sized("postgresql", gib / 2, 4 * gib) == {
		"autovacuum_max_workers": "3",
		"effective_cache_size": "256MB",
		"max_connections": "56",
		"max_wal_size": "256MB",
		"min_wal_size": "64MB",
		"shared_buffers": "128MB",
		"wal_buffers": "16MB",
		"wal_keep_size": "128MB",
		"work_mem": "4096kB",
	}
}

test_no_memory_limit if {
	sized("vanilla-postgresql", 0, 0) == {
		"autovacuum_max_workers": "3",
		"max_connections": "10000",
		"max_wal_size": "4096MB",
		"min_wal_size": "2048MB",
		"shared_buffers": "1GB",
		"wal_buffers": "16MB",
		"wal_keep_size": "2048",
		"work_mem": "4096kB",
	}
}

test_what_does_not_fill_a_unit_is_lost if {
	template.shared_buffers(6 * gib) == "1GB"
	template.shared_buffers(3000000) == "732kB"
}

test_no_keep_size_before_13 if {
	not template.defaults("postgresql", 12, gib, 0).wal_keep_size
	template.defaults("postgresql", null, gib, 0).wal_keep_size == "1024MB"
}

test_no_zero_filling_whatever_the_filesystem if {
	template.defaults("postgresql", 18, gib, 0).wal_init_zero == "off"
}
