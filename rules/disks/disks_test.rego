package walguard.disks_test

import data.walguard.disks

review(volume, cpu) := {"review": {"object": {
	"apiVersion": "walguard.dev/v1",
	"kind": "PostgresServer",
	"metadata": {"name": "disk"},
	"spec": object.union({"volumes": {"data": volume}}, cpu),
}}}

sheet(volume, cpu) := found if {
	asked := review(volume, cpu)
	found := disks.sheet with input as asked
}

test_sheet if {
	sheet({"disk": "ali-essd-pl1", "size": "300Gi"}, {"cpu": "16"}) == {"as_of": "2026-11", "cap_bytes_per_second": 350000000, "cap_text": "350 MB/s", "confidence": "verified", "cores": 15, "demand": "16.9 MB/s per core on 16 cores; it needs 272 MB/s (17 per core). Smallest change: grow to 460Gi for 350 MB/s, or take ESSD AutoPL (provisionedIops: 1000, type: cloud_auto) for 285.6 MB/s", "filesystem": "ext4", "iops": 16800, "knee_bytes": 493921239040, "knee_text": "460Gi", "maximum_bytes": 70368744177664, "mbps_per_core": 17, "minimum_bytes": 21474836480, "name": "ali-essd-pl1", "parameters": {"performanceLevel": "PL1", "type": "cloud_essd"}, "remarks": [], "scaling": "size", "size_bytes": 322122547200, "size_text": "300Gi", "sizes_bytes": [21474836480, 53687091200, 107374182400, 214748364800, 322122547200, 493921239040, 536870912000, 1073741824000, 2147483648000, 4294967296000, 8589934592000], "sources": ["https://www.alibabacloud.com/help/en/ecs/user-guide/block-storage-performance", "https://help.aliyun.com/zh/rds/apsaradb-rds-for-mariadb/upgrade-from-standard-ssds-to-essds"], "throughput_bytes_per_second": 270000000, "throughput_text": "270 MB/s", "title": "ESSD PL1", "unit": "MB/s", "vendor": "Alibaba Cloud", "write_seconds": 40, "zero_16mib_milliseconds": 63, "zero_1gib_milliseconds": 3977}
}

test_enough if {
	sheet({"disk": "aws-gp3", "size": "1Ti", "parameters": {"throughput": "500"}}, {"cpu": "16"}).demand == "32.8 MB/s per core on 16 cores: enough for 272 MB/s (17 per core)"
}

test_out_of_reach if {
	endswith(sheet({"disk": "ali-essd-pl3", "size": "32Ti"}, {"cpu": "512"}).demand, ". No disk known here gives enough")
}

test_what_size_does_not_change if {
	found := sheet({"disk": "aws-gp3", "parameters": {"throughput": "300"}}, {})
	found.sizes_bytes == []
	found.throughput_text == "300 MiB/s"
	found.parameters == {"type": "gp3", "throughput": "300"}
	not found.demand
	not found.size_text
}

test_remarks if {
	sheet({"disk": "ali-essd-pl3", "size": "100Gi"}, {}).remarks == ["It cannot be made: ESSD PL3 starts at 1261Gi: grow to 1261Gi"]
	sheet({"disk": "aws-gp2", "size": "100Gi"}, {}).remarks == ["While credits last, 2000 s, it gives 128 MiB/s and 3000 IOPS"]
	sheet({"disk": "gcp-pd-standard"}, {}).remarks == ["It does not suit a database: a hard disk with 1.5 write IOPS per GiB"]
	count(sheet({"disk": "ali-essd-pl1", "size": "1Pi"}, {}).remarks) == 1
}

# Every name describes itself, with a size and without.
test_every_name if {
	every name in disks.names {
		sheet({"disk": name}, {}).name == name
		sheet({"disk": name, "size": "2000Gi"}, {"cpu": "4"}).title != ""
	}
	count(disks.names) > 20
}

test_no_disk if {
	not sheet({"size": "300Gi"}, {})
	not sheet({"disk": "floppy", "size": "300Gi"}, {})
	not sheet({"disk": 5, "size": []}, {"cpu": {}})
	not sheet(null, {})
}

# ------------------------------------------------------------------------------------------------------- measured

with_figures(volume, cpu, figures) := found if {
	asked := object.union(review(volume, cpu), {"measured": figures})
	found := disks.measured with input as asked
}

fast := {"direction": "write", "bytes_per_second": 130023424, "iops": 496, "block_bytes": 262144, "direct": true, "seconds": 600}

test_measured if {
	with_figures({"disk": "aws-gp3", "size": "300Gi"}, {"cpu": "16"}, fast) == {
		"name": "aws-gp3", "title": "EBS gp3", "vendor": "Amazon EBS", "parameters": {"type": "gp3"}, "sizes_bytes": [],
		"size_bytes": 322122547200, "size_text": "300Gi", "filesystem": "ext4",
		"measured": "measured by fio: writing, blocks of 256Ki, 600 s",
		"throughput_bytes_per_second": 130023424, "throughput_text": "130 MB/s", "iops": 496,
		"mbps_per_core": 17, "cores": 7, "write_seconds": 83, "zero_16mib_milliseconds": 130, "zero_1gib_milliseconds": 8259,
		"demand": "8.1 MB/s per core on 16 cores; it needs 272 MB/s (17 per core)",
		"remarks": ["By the table 300Gi of EBS gp3 gives 125 MiB/s (131.1 MB/s)"],
	}
}

test_measured_without_a_name if {
	found := with_figures({}, {"cpu": "4"}, fast)
	found.title == "Volume"
	found.demand == "32.5 MB/s per core on 4 cores: enough for 68 MB/s (17 per core)"
	found.remarks == []
	not with_figures({}, {}, fast).demand
}

test_doubts if {
	found := with_figures({}, {}, {"direction": "read", "bytes_per_second": 9373286, "iops": null, "block_bytes": 8192, "direct": false, "seconds": 5})
	found.measured == "measured by fio: reading, blocks of 8Ki, 5 s"
	count(found.remarks) == 4
	not found.iops
	with_figures({}, {}, {"direction": "write", "bytes_per_second": 9373286, "block_bytes": null, "direct": null}).remarks == []
}

test_nothing_measured if {
	not with_figures({"disk": "aws-gp3"}, {}, {"direction": "write", "bytes_per_second": null})
	not with_figures({"disk": "aws-gp3"}, {}, null)
}
