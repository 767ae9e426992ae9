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

# Below each unit, and from it on.
test_units_of_buffers if {
	every memory, text in {0: "1GB", 4: "0kB", 4096: "1kB", 4194303: "1023kB", 4194304: "1MB", 4294967295: "1023MB", 4294967296: "1GB", 8589934592: "2GB"} {
		template.shared_buffers(memory) == text
	}
}

of(memory, data_size, names) := [all[name] | some name in names] if all := template.defaults("postgresql", 16, memory, data_size)

test_sizes_that_follow_memory if {
	every row in [
		[8589934592, ["131072kB", "4096MB", "8388608kB"]],
		[8589934591, ["131072kB", "4095MB", "8388607kB"]],
		[8590000128, ["131073kB", "4096MB", "8388672kB"]],
	] {
		of(row[0], 0, ["autovacuum_work_mem", "effective_cache_size", "temp_file_limit"]) == row[1]
	}
	not template.defaults("postgresql", 16, 0, 0).autovacuum_work_mem
	every memory, most in {9531391: "0", 9531392: "1", 47647428608: "4999", 47656960000: "5000", 47666491392: "5000", 0: "10000"} {
		of(memory, 0, ["max_connections"]) == [most]
	}
	every gibibytes, workers in {16: "3", 63: "3", 64: "4", 79: "4", 80: "5", 160: "10", 176: "10"} {
		of(gibibytes * gib, 0, ["autovacuum_max_workers"]) == [workers]
	}
	every memory, sizes in {
		8589934592: ["4096MB", "2048MB", "32MB", "4096kB"],
		8592031744: ["4097MB", "2048MB", "32MB", "4096kB"],
		17179869184: ["8192MB", "2048MB", "64MB", "4096kB"],
		17188257792: ["8196MB", "2049MB", "64MB", "4098kB"],
		68719476736: ["32768MB", "8192MB", "128MB", "16384kB"],
		70866960384: ["32768MB", "8192MB", "128MB", "16896kB"],
	} {
		of(memory, 0, ["max_wal_size", "min_wal_size", "wal_buffers", "work_mem"]) == sizes
	}
}

test_sizes_of_small_volumes if {
	every data_size, sizes in {0: ["4096MB", "2048MB", "1024MB"], 1: ["256MB", "64MB", "128MB"], 5368709119: ["256MB", "64MB", "128MB"], 5368709120: ["4096MB", "2048MB", "1024MB"]} {
		of(gib, data_size, ["max_wal_size", "min_wal_size", "wal_keep_size"]) == sizes
	}
}
