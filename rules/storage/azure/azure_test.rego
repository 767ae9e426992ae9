package walguard.storage.azure_test

import data.walguard.storage.azure

claim(gib, parameters) := {"0/data": {
	"provisioner": "disk.csi.azure.com",
	"size_bytes": gib * 1073741824,
	"parameters": parameters,
}}

disk(gib, parameters) := d if {
	d := azure.disks["0/data"] with data.walguard.model.claims.claims as claim(gib, parameters)
}

texts(gib, parameters) := [d.throughput_text, d.iops] if d := disk(gib, parameters)

premium := {"skuname": "Premium_LRS"}

test_premium_tiers if {
	texts(4, premium) == ["25 MB/s", 120]
	texts(64, premium) == ["50 MB/s", 240]
	texts(100, premium) == ["100 MB/s", 500]
	texts(256, premium) == ["125 MB/s", 1100]
	texts(512, premium) == ["150 MB/s", 2300]
	texts(513, premium) == ["200 MB/s", 5000]
	texts(1024, premium) == ["200 MB/s", 5000]
	texts(4096, premium) == ["250 MB/s", 7500]
	texts(8192, premium) == ["500 MB/s", 16000]
	texts(16384, premium) == ["750 MB/s", 18000]
	texts(32767, premium) == ["900 MB/s", 20000]
}

test_premium_zone_redundant if texts(1024, {"storageaccounttype": "Premium_ZRS"}) == ["200 MB/s", 5000]

test_premium_burst if {
	disk(128, premium).burst == {"throughput_bytes_per_second": 170000000, "throughput_text": "170 MB/s", "iops": 3500, "seconds": 1800}
	not disk(1024, premium).burst
}

test_premium_knee_and_cap if {
	d := disk(128, premium)
	d.knee_bytes == 32767 * 1073741824
	d.cap_text == "900 MB/s"
}

test_premium_too_large if {
	d := disk(40000, premium)
	d.drifts == ["40000Gi is more than 32767Gi, the most that Premium SSD had by 2026-11: provisioning fails unless the limit was raised"]
	not d.throughput_bytes_per_second
}

test_standard_ssd_is_the_default if {
	texts(1024, {}) == ["100 MB/s", 500]
	texts(8192, {}) == ["400 MB/s", 2000]
	disk(1024, {}).slow == "the entry SSD, with 500 IOPS up to 4Ti"
	disk(1024, {}).alternative == "Premium SSD (skuName: Premium_LRS) gives 200 MB/s and 5000 IOPS"
}

test_standard_hdd if {
	texts(1024, {"skuname": "Standard_LRS"}) == ["60 MB/s", 500]
	texts(32767, {"skuname": "Standard_LRS"}) == ["500 MB/s", 2000]
}

test_premium_v2 if {
	texts(1000, {"skuname": "PremiumV2_LRS"}) == ["125 MB/s", 3000]
	d := disk(1000, {"skuname": "PremiumV2_LRS", "diskmbpsreadwrite": "1000", "diskiopsreadwrite": "4000"})
	[d.throughput_text, d.iops, d.rejections, d.drifts] == ["1000 MB/s", 4000, [], []]
}

test_premium_v2_ratio if {
	disk(1000, {"skuname": "PremiumV2_LRS", "diskmbpsreadwrite": "1000"}).rejections == ["DiskMBpsReadWrite: 1000 needs DiskIOPSReadWrite: 4000 at least, the disk has 3000"]
}

test_premium_v2_iops_for_size if {
	disk(10, {"skuname": "PremiumV2_LRS", "diskiopsreadwrite": "6000"}).rejections == ["DiskIOPSReadWrite: 6000 is more than 500 for each GiB allow at 10Gi (5000)"]
	disk(4, {"skuname": "PremiumV2_LRS", "diskiopsreadwrite": "3000"}).rejections == []
}

# disks-types, August 2026: 1,000 IOPS for each GiB.
test_ultra_iops_by_size if disk(40, {"skuname": "UltraSSD_LRS", "diskiopsreadwrite": "40000"}).rejections == []

test_ultra if texts(100, {"skuname": "UltraSSD_LRS"}) == ["100 MB/s", 500]

test_performance_plus_is_unknown if {
	d := disk(1024, {"skuname": "Premium_LRS", "enableperformanceplus": "true"})
	d == {
		"vendor": "Azure",
		"title": "Premium_LRS",
		"network": false,
		"local": false,
		"expandable": true,
		"rejections": [],
		"drifts": [],
		"cures": [],
	}
}

test_host_cache if {
	disk(1024, {"skuname": "Premium_LRS", "cachingmode": "ReadWrite"}).volatile_cache == "cachingMode: ReadWrite"
	not disk(1024, {"skuname": "Premium_LRS", "cachingmode": "None"}).volatile_cache
}

test_unknown_sku if not disk(1024, {"skuname": "PremiumV9_LRS"})

demanding(gib, parameters, bytes_per_second) := d.cures if {
	d := azure.disks["0/data"] with data.walguard.model.claims.claims as {"0/data": object.union(
		claim(gib, parameters)["0/data"],
		{"demand": {"bytes_per_second": bytes_per_second, "origin": "cpu"}},
	)}
}

test_cure_next_tier if {
	demanding(100, premium, 136000000) == [{"bytes_per_second": 250000000, "parameters": {"DiskMBpsReadWrite": "250"}, "text": "take Premium SSD v2 (DiskMBpsReadWrite: 250, skuName: PremiumV2_LRS) for 250 MB/s"}, {"bytes_per_second": 150000000, "size_bytes": 549755813888, "text": "grow to 512Gi for 150 MB/s"}]
}

# At 500 GiB the tier of 512 GiB is paid for already.
test_cure_other_sku_at_the_same_size if {
	demanding(500, {}, 136000000)[0] == {"text": "take Premium SSD (skuName: Premium_LRS) for 150 MB/s", "bytes_per_second": 150000000}
}

test_cure_out_of_reach_of_tiers if {
	[c.text | some c in demanding(1024, premium, 1000000000)] == ["take Premium SSD v2 (DiskIOPSReadWrite: 5000, DiskMBpsReadWrite: 1000, skuName: PremiumV2_LRS) for 1000 MB/s"]
}

test_filesystem if {
	f := azure.filesystems with data.walguard.model.claims.claims as claim(1, {})
	f == {"0/data": {"name": "ext4", "origin": "driver default", "copy_on_write": false}}
}
