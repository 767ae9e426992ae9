package walguard.storage.alibaba_test

import data.walguard.storage.alibaba

claim(gib, parameters) := {"0/data": {
	"provisioner": "diskplugin.csi.alibabacloud.com",
	"size_bytes": gib * 1073741824,
	"parameters": parameters,
}}

essd(level) := {"type": "cloud_essd", "performancelevel": level}

disk(gib, parameters) := d if {
	d := alibaba.disks["0/data"] with data.walguard.model.claims.claims as claim(gib, parameters)
}

texts(gib, parameters) := [d.throughput_text, d.iops] if d := disk(gib, parameters)

test_pl0 if texts(100, essd("PL0")) == ["125 MB/s", 3000]

test_pl0_cap if texts(400, essd("PL0")) == ["180 MB/s", 6600]

test_pl1 if texts(300, essd("PL1")) == ["270 MB/s", 16800]

test_pl1_knee if {
	d := disk(460, essd("PL1"))
	d.throughput_bytes_per_second == 350000000
	d.knee_bytes == 460 * 1073741824
	d.cap_text == "350 MB/s"
}

test_pl1_cap if texts(2000, essd("PL1")) == ["350 MB/s", 50000]

test_pl1_is_the_default if texts(300, {"type": "cloud_essd"}) == ["270 MB/s", 16800]

test_pl2 if texts(1000, essd("PL2")) == ["620 MB/s", 51800]

test_pl3 if texts(2000, essd("PL3")) == ["1120 MB/s", 101800]

test_pl3_2ti if texts(2048, essd("PL3")) == ["1144 MB/s", 104200]

test_autopl if texts(300, {"type": "cloud_auto"}) == ["270 MB/s", 16800]

test_autopl_provisioned if texts(300, {"type": "cloud_auto", "provisionediops": "10000"}) == ["426.3 MB/s", 26800]

# Sizes of the vendor's own minimum, and up to 3 GiB nothing to buy.
test_autopl_small if {
	texts(2, {"type": "cloud_auto"}) == ["125 MB/s", 3000]
	every text in demanding(3, {"type": "cloud_auto"}, 126000000, "stated") {
		not contains(text, "provisionedIops")
	}
}

test_ssd if texts(1000, {"type": "cloud_ssd"}) == ["300 MB/s", 25000]

test_efficiency if texts(100, {"type": "cloud_efficiency"}) == ["115 MB/s", 2600]

test_entry if texts(1000, {"type": "cloud_essd_entry"}) == ["150 MB/s", 6000]

test_below_the_level if {
	disk(300, essd("PL2")).rejections == ["ESSD PL2 starts at 461Gi: grow to 461Gi, or take ESSD PL1, which gives 270 MB/s at 300Gi"]
}

test_below_the_lowest_level if disk(10, essd("PL1")).rejections == ["ESSD PL1 starts at 20Gi: grow to 20Gi, or take ESSD PL0, which gives 102.5 MB/s at 10Gi"]

test_nothing_instead if disk(10, {"type": "cloud_ssd"}).rejections == ["standard SSD cloud disk starts at 20Gi: grow to 20Gi"]

test_above_the_maximum if {
	disk(70000, essd("PL3")).drifts == ["70000Gi is more than 64Ti, the most that ESSD PL3 had by 2026-11: provisioning fails unless the limit was raised"]
}

# PL2 cannot be made at 300 GiB, so PL1 is what the list gives.
test_list_of_levels_falls_through if {
	d := disk(300, essd("PL2,PL1"))
	d.profile == "cloud_essd_pl1"
	d.rejections == []
}

test_list_of_types_worst if {
	d := disk(300, {"type": "cloud_essd, cloud_ssd,cloud_efficiency"})
	[d.title, d.throughput_text] == ["ultra (efficiency) cloud disk (the least that cloud_essd, cloud_ssd, cloud_efficiency may give)", "140 MB/s"]
}

test_no_type_is_a_list if disk(300, {}).profile == "cloud_efficiency"

test_list_without_any_that_fits if {
	d := disk(5, {"type": "cloud_ssd,cloud_essd", "performancelevel": "PL1"})
	d.rejections == ["standard SSD cloud disk starts at 20Gi: grow to 20Gi"]
}

test_unknown_type if not disk(300, {"type": "cloud_regional_disk_auto"})

test_size_unknown if {
	d := alibaba.disks["0/data"] with data.walguard.model.claims.claims as {"0/data": {
		"provisioner": "diskplugin.csi.alibabacloud.com",
		"parameters": essd("PL1"),
	}}
	d.title == "ESSD PL1"
	not d.throughput_bytes_per_second
	not d.iops
}

test_size_unknown_in_a_list if {
	d := alibaba.disks["0/data"] with data.walguard.model.claims.claims as {"0/data": {
		"provisioner": "diskplugin.csi.alibabacloud.com",
		"parameters": essd("PL1,PL2"),
	}}
	not d.throughput_bytes_per_second
	d.rejections == []
}

test_other_provisioner if {
	alibaba.disks == {} with data.walguard.model.claims.claims as {"0/data": {"provisioner": "example.com/disk", "parameters": {}}}
}

test_no_provisioner if alibaba.disks == {} with data.walguard.model.claims.claims as {"0/data": {"parameters": {}}}

# ------------------------------------------------------------------------------------------------------- cures

demanding(gib, parameters, bytes_per_second, origin) := [c.text | some c in d.cures] if {
	claims := {"0/data": object.union(
		claim(gib, parameters)["0/data"],
		{"demand": {"bytes_per_second": bytes_per_second, "origin": origin}},
	)}
	d := alibaba.disks["0/data"] with data.walguard.model.claims.claims as claims
}

# A figure per core is a floor: the knee is near, so the knee.
test_cure_pl1_by_core if {
	demanding(300, essd("PL1"), 272000000, "cpu") == ["grow to 460Gi for 350 MB/s", "take ESSD AutoPL (provisionedIops: 1000, type: cloud_auto) for 285.6 MB/s"]
}

test_cure_pl1_stated if {
	demanding(300, essd("PL1"), 272000000, "stated") == ["grow to 320Gi for 280 MB/s", "take ESSD AutoPL (provisionedIops: 1000, type: cloud_auto) for 285.6 MB/s"]
}

# The cap of PL1 is below the demand: the next level, at the size it needs.
test_cure_next_level if {
	demanding(460, essd("PL1"), 500000000, "stated") == ["take ESSD AutoPL (provisionedIops: 10000, type: cloud_auto) for 506.3 MB/s"]
}

test_cure_next_level_grows if {
	demanding(500, essd("PL2"), 760000000, "stated") == ["take ESSD AutoPL (provisionedIops: 27000, type: cloud_auto) for 771.9 MB/s"]
}

test_cure_pl3_grows if {
	demanding(1300, essd("PL3"), 1200000000, "stated") == ["grow to 2200Gi for 1220 MB/s"]
}

test_cure_out_of_reach if demanding(1300, essd("PL3"), 4000000001, "stated") == []

test_no_cure_needed if demanding(460, essd("PL1"), 350000000, "stated") == []

# 40 GB/s of AutoPL's kind are out of its reach; growing PL0 is not enough, PL2 and PL3 are not its next levels.
test_cure_levels_with_growth if {
	demanding(300, {"type": "cloud_auto"}, 1500000000, "stated") == ["take ESSD PL3 (performanceLevel: PL3, type: cloud_essd) at 2800Gi for 1520 MB/s"]
}

test_cure_autopl_without_parameters if {
	demanding(100, essd("PL0"), 150000000, "stated") == [
		"grow to 200Gi for 150 MB/s",
		"take ESSD PL1 (performanceLevel: PL1, type: cloud_essd) for 170 MB/s",
		"take ESSD AutoPL (type: cloud_auto) for 170 MB/s",
	]
}

test_cure_autopl_itself if {
	demanding(300, {"type": "cloud_auto"}, 300000000, "stated") == ["set provisionedIops: 2000 for 301.3 MB/s"]
}

# -------------------------------------------------------------------------------------------------- filesystems

filesystem(parameters) := f if {
	f := alibaba.filesystems["0/data"] with data.walguard.model.claims.claims as claim(100, parameters)
}

test_default_filesystem if filesystem({}) == {"name": "ext4", "origin": "driver default", "copy_on_write": false}

test_filesystem_of_the_class if {
	filesystem({"csi.storage.k8s.io/fstype": "XFS"}) == {"name": "xfs", "origin": "StorageClass", "copy_on_write": false}
}

test_filesystem_old_key if filesystem({"fstype": "btrfs"}) == {"name": "btrfs", "origin": "StorageClass", "copy_on_write": true}

test_filesystem_empty_key if filesystem({"fstype": ""}).origin == "driver default"
