package walguard.postgres.similar_test

import data.walguard.postgres.similar

names := {"shared_buffers": 1, "temp_buffers": 1, "work_mem": 1, "port": 1, "enable_sort": 1}

test_sieve if {
	similar.sieve("shared_bufers", names) == {"shared_buffers"}
	similar.sieve("buffers_temp", names) == {"shared_buffers", "temp_buffers"}
	similar.sieve("xuffers", names) == {"shared_buffers", "temp_buffers"}
	similar.sieve("po", names) == {"port"}
	not similar.sieve("p", names)
	not similar.sieve(concat("", ["x" | some _ in numbers.range(1, 64)]), names)
}

test_ranked if {
	similar.ranked("shared_bufers", {"shared_buffers", "temp_buffers", "work_mem"}) == ["shared_buffers"]
	similar.ranked("buffers", {"shared_buffers", "temp_buffers"}) == ["temp_buffers", "shared_buffers"]
	similar.ranked("prot", {"port", "protocol"}) == ["port", "protocol"]
	similar.ranked("", {"port"}) == []
}

test_evident if {
	similar.evident("shared_bufers", {"shared_buffers", "temp_buffers", "shared_memory_type"}) == "shared_buffers"
	similar.evident("prot", {"port"}) == "port"
	not similar.evident("log_min_duration", {"log_min_duration_sample", "log_min_duration_statement"})
	not similar.evident("max_wal", {"max_wal_size", "max_wal_senders"})
	not similar.evident("x", set())
}
