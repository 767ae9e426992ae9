package walguard.pictures_test

import data.walguard.pictures

review(spec) := {"review": {"object": {
	"apiVersion": "walguard.dev/v1",
	"kind": "PostgresServer",
	"metadata": {"name": "orders"},
	"spec": object.union({"version": "17.5", "configuration": [{"text": "jit = off"}]}, spec),
}}}

sheet(spec) := found if {
	asked := review(spec)
	found := pictures.sheet with input as asked
}

essd(size) := {"disk": "ali-essd-pl1", "size": size}

gibibyte := 1073741824

test_volume if {
	[volume] := sheet({"cpu": "16", "volumes": {"data": essd("300Gi")}}).volumes
	object.remove(volume, ["sizes_bytes"]) == {
		"id": "0/data",
		"label": "Data volume",
		"gives": "300Gi of ESSD PL1 gives 270 MB/s",
		"size_bytes": 300 * gibibyte,
		"size_text": "300Gi",
		"bytes_per_second": 270000000,
		"text": "270 MB/s",
		"size_path": ["spec", "volumes", "data", "size"],
		"demand": {"bytes_per_second": 272000000, "text": "272 MB/s (17 per core)"},
		"short": true,
		"advice": "Smallest change: grow to 460Gi for 350 MB/s, or take ESSD AutoPL (provisionedIops: 1000, type: cloud_auto) for 285.6 MB/s",
	}
	min(volume.sizes_bytes) == floor(37.5 * gibibyte)
	max(volume.sizes_bytes) == 920 * gibibyte
	{300 * gibibyte, 460 * gibibyte, 64 * gibibyte} - {size | some size in volume.sizes_bytes} == set()
}

test_rates if {
	asked := review({"volumes": {"data": essd("400Gi"), "wal": {"disk": "aws-gp3", "size": "20Gi"}}})
	pictures.rates == {"0/data": 320000000, "0/wal": 131072000} with input as asked
}

# Where size decides nothing three points are enough; tiers have steps.
test_sizes if {
	found := sheet({"volumes": {"data": {"disk": "aws-gp3", "size": "80Gi"}, "wal": {"disk": "azure-premium-lrs", "size": "100Gi"}}})
	[first, second] := found.volumes
	first.sizes_bytes == [10 * gibibyte, 80 * gibibyte, 160 * gibibyte]
	not first.demand
	first.short == false
	second.label == "WAL volume"
	{64 * gibibyte, 65 * gibibyte, 128 * gibibyte, 129 * gibibyte} - {size | some size in second.sizes_bytes} == set()
}

# It cannot be had: nothing smaller is drawn.
test_below_the_minimum if {
	[volume] := sheet({"volumes": {"data": essd("10Gi")}}).volumes
	min(volume.sizes_bytes) == 10 * gibibyte
}

test_wal if {
	sheet({"volumes": {"data": essd("100Gi"), "wal": essd("20Gi")}, "configuration": [{"text": "max_wal_size = 4GB"}]}).wal == [{
		"label": "WAL volume",
		"limit_bytes": 20 * gibibyte,
		"limit_text": "20Gi",
		"advised_bytes": 12 * gibibyte,
		"advised_text": "60 %",
		"bytes": 4 * gibibyte,
		"text": "4GB",
		"parts": [{"name": "max_wal_size", "bytes": 4 * gibibyte, "text": "4GB"}],
	}]
}

test_wal_that_is_kept if {
	[found] := sheet({"volumes": {"data": essd("100Gi")}, "configuration": [{"text": "max_wal_size = 1900MB\nmax_slot_wal_keep_size = 8GB"}]}).wal
	found.parts == [
		{"name": "kept behind the checkpoint (max_slot_wal_keep_size)", "bytes": 8 * gibibyte, "text": "8GB"},
		{"name": "one checkpoint distance (of max_wal_size 1.9GB)", "bytes": 1000 * 1048576, "text": "1000MB"},
	]
	found.bytes == sum([piece.bytes | some piece in found.parts])
	found.advised_text == "25 %"
	not found.note
}

test_wal_without_a_bound if {
	[found] := sheet({"volumes": {"data": essd("100Gi")}, "configuration": [{"text": "wal_level = logical"}]}).wal
	startswith(found.note, "Replication slots keep WAL without a bound")
}

test_memory if {
	sheet({"memory": "16Gi", "configuration": [{"text": "shared_buffers = 4GB\nmax_connections = 300\nwork_mem = 32MB"}]}).memory == [{
		"label": "Memory",
		"limit_bytes": 16 * gibibyte,
		"limit_text": "16Gi",
		"bytes": 8447328256,
		"text": "7.9GB",
		"parts": [
			{"name": "shared_buffers", "bytes": 4 * gibibyte, "text": "4GB"},
			{"name": "300 connections × 2MB", "bytes": 629145600, "text": "600MB"},
			{"name": "99 busy × work_mem 32MB", "bytes": 3321888768, "text": "3.1GB"},
			{"name": "3 autovacuum workers × 64MB", "bytes": 201326592, "text": "192MB"},
		],
	}]
}

test_buffers_that_do_not_fit if {
	[found] := sheet({"memory": "4Gi", "configuration": [{"text": "shared_buffers = 8GB"}]}).memory
	found.parts[0] == {"name": "shared_buffers, lowered from 8GB", "bytes": gibibyte, "text": "1GB"}
}

test_nothing_to_draw if {
	not sheet({})
	not sheet({"volumes": {"data": {"disk": "floppy"}}})
	pictures.rates == {} with input as {}
}
