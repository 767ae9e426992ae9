package walguard.lib.budget.memory_test

import data.walguard.lib.budget.checkpoints
import data.walguard.lib.budget.connections
import data.walguard.lib.budget.memory
import data.walguard.lib.manifest_test as manifests

mebibyte := 1048576

# With the defaults 128 MB of shared_buffers, 100 connections × 2 MB, 33 busy × 4 MB and 3 workers × 64 MB: 652 MB.
usual := manifests.review({}, {})

# A set with so much of a memory limit, and bytes less than that.
known(mebibytes, less) := {"limit_bytes": (mebibytes * mebibyte) - less, "huge_bytes": 0}

test_parts if {
	memory.worker_bytes == 64 * mebibyte with input as usual
	memory.worker_bytes == 128 * mebibyte with input as manifests.review({"autovacuum_work_mem": "128MB"}, {})
	memory.worker_bytes == 65536 with input as manifests.review({"autovacuum_work_mem": "0"}, {})
	memory.workers_bytes == 192 * mebibyte with input as usual
	[memory.busy(n) | some n in [0, 1, 3, 4, 100, 101]] == [1, 1, 1, 2, 33, 34] with input as usual
	memory.sessions(100, 4 * mebibyte) == 332 * mebibyte with input as usual
	memory.total(known(1024, 0)) == 652 * mebibyte with input as usual
	memory.limit_for(known(1024, 0)) == 768 * mebibyte with input as usual
}

# Those that fill the limit are reckoned as what they are lowered to.
test_buffers_that_fill_the_limit if {
	filling := manifests.review({"shared_buffers": "1024MB"}, {})
	memory.lowered(known(1024, 0)) with input as filling
	memory.counted_buffers(known(1024, 0)) == 256 * mebibyte with input as filling
	not memory.lowered(known(1024, -1)) with input as filling
	memory.counted_buffers(known(1024, -1)) == 1024 * mebibyte with input as filling
	not memory.lowered({"limit_bytes": 0, "huge_bytes": 0}) with input as filling
	paged := {"limit_bytes": 1073741824, "huge_bytes": 1073741824}
	not memory.lowered(paged) with input as filling
	memory.counted_buffers(paged) == 0 with input as filling
	memory.counted_buffers(object.union(paged, {"huge_bytes": 1073741823})) == 256 * mebibyte with input as filling
}

# 200 of them take 4624 MB, 150 3500 MB, 100 2312 MB and 50 1188 MB, beside 320 MB.
test_connections_that_fit if {
	many := manifests.review({"max_connections": "1000", "work_mem": "64MB"}, {})
	every mebibytes, most in {9999: 200, 4944: 200, 4943: 150, 3820: 150, 3819: 100, 2632: 100, 2631: 50, 1508: 50} {
		memory.connections_within(known(mebibytes, 0)) == most with input as many
	}
	memory.connections_within(known(4944, 1)) == 150 with input as many
	not memory.connections_within(known(1508, 1)) with input as many
	not memory.connections_within(known(9999, 0)) with input as manifests.review({"max_connections": "1000"}, {"replica": {"enabled": true, "source": "a"}})
}

# Fewer than there are, and beside those that are reserved twenty for applications.
test_fewer_connections if {
	every now, most in {"201": 200, "200": 150, "150": 100, "100": 50, "51": 50} {
		memory.connections_within(known(9999, 0)) == most with input as manifests.review({"max_connections": now}, {})
	}
	not memory.connections_within(known(9999, 0)) with input as manifests.review({"max_connections": "50"}, {})
	memory.connections_within(known(9999, 0)) == 50 with input as manifests.review({"superuser_reserved_connections": "30"}, {})
	not memory.connections_within(known(9999, 0)) with input as manifests.review({"superuser_reserved_connections": "31"}, {})
	not memory.connections_within(known(9999, 0)) with input as manifests.review({"superuser_reserved_connections": "20", "reserved_connections": "11"}, {})
}

test_work_that_fits if {
	much := manifests.review({"work_mem": "64MB"}, {})
	every mebibytes, most in {9999: 48, 2104: 48, 2103: 32, 652: 4} {
		memory.work_within(known(mebibytes, 0)) == most * mebibyte with input as much
	}
	memory.work_within(known(2104, 1)) == 32 * mebibyte with input as much
	not memory.work_within(known(652, 1)) with input as much
}

test_workers_that_fit if {
	much := manifests.review({"autovacuum_work_mem": "128MB"}, {})
	every mebibytes, most in {9999: 96, 748: 96, 747: 64, 556: 32} {
		memory.worker_within(known(mebibytes, 0)) == most * mebibyte with input as much
	}
	memory.worker_within(known(748, 1)) == 64 * mebibyte with input as much
	not memory.worker_within(known(556, 1)) with input as much
}

# A quarter, or less beside 524 MB; what exceeds the limit anyway is no reason for less than a quarter.
test_buffers_that_fit if {
	present := manifests.review({"shared_buffers": "512MB"}, {})
	every mebibytes, most in {4096: 1024, 1024: 256, 780: 192, 652: 128, 651: 96, 620: 96, 619: 64, 588: 64, 587: 128, 512: 128, 511: 96, 256: 64} {
		memory.buffers_within(known(mebibytes, 0)) == most * mebibyte with input as present
	}
	memory.buffers_within(known(652, 1)) == 96 * mebibyte with input as present
	memory.buffers_within(known(588, 1)) == 128 * mebibyte with input as present
	not memory.buffers_within(known(256, 1)) with input as present

	# Larger ones than now do not exceed it.
	memory.buffers_within(known(587, 0)) == 96 * mebibyte with input as manifests.review({"shared_buffers": "96MB"}, {})
	not memory.buffers_within(known(587, 0)) with input as manifests.review({"shared_buffers": "32MB"}, {})
	memory.buffers_within(known(4096, 0)) == 1024 * mebibyte with input as manifests.review({"max_connections": "${CONNECTIONS}"}, {})
}

amounts := [20, 50, 100, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500, 3000, 4000, 5000]

# Three are reserved.
test_numbers_of_connections if {
	connections.available == 97 with input as usual
	connections.available == 92 with input as manifests.review({"reserved_connections": "5"}, {})
	[n | some amount in amounts; n := connections.holding(amount - 3)] == amounts with input as usual
	[n | some i, amount in amounts; i > 0; n := connections.holding(amounts[i - 1] - 2)] == array.slice(amounts, 1, count(amounts)) with input as usual
	not connections.holding(4998) with input as usual
	connections.holding(97) == 100 with input as manifests.review({}, {"resources": {"limits": {"memory": "652Mi"}}})
	not connections.holding(97) with input as manifests.review({}, {"resources": {"limits": {"memory": "651Mi"}}})
}

test_time_of_a_checkpoint if {
	every target, seconds in {"0.9": 270, "0.5": 150, "0.001": 1, "0": 1, "1": 300} {
		checkpoints.spread_seconds == seconds with input as manifests.review({"checkpoint_completion_target": target}, {})
	}
	checkpoints.spread_seconds == 27 with input as manifests.review({"checkpoint_timeout": "30s"}, {})
	checkpoints.flush_seconds({"disk": {"rejections": [], "throughput_bytes_per_second": 100}}, 201) == 3
	not checkpoints.flush_seconds({"disk": {"rejections": ["a"], "throughput_bytes_per_second": 100}}, 201)
}

pooled(size) := object.union(manifests.review({}, {}), {"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"p": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Pooler",
	"metadata": {"name": "p", "namespace": "prod"},
	"spec": {"cluster": {"name": "orders"}, "instances": 1, "pgbouncer": {"parameters": {"default_pool_size": size}}},
}}}}}}})

# What a pooler opens is what works at once, and what there has to be at least.
test_poolers if {
	every size, least in {"10": 23, "20": 23, "21": 24, "60": 63} { memory.least_connections == least with input as pooled(size) }
	every size, busy in {"10": 10, "32": 32, "33": 33, "60": 33} { memory.busy(100) == busy with input as pooled(size) }
	memory.busy(0) == 1 with input as pooled("10")
}

test_larger_buffers_only_where_a_checkpoint_can_write_them if {
	memory.flushed(134217728) with input as usual
	memory.flushed(134217729) with input as usual
	not memory.flushed(134217729) with input as usual with checkpoints.flushed_in_time as false
	memory.flushed(134217728) with input as usual with checkpoints.flushed_in_time as false
}
