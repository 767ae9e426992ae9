package walguard.storage.gcp_test

import data.walguard.storage.gcp

claim(gib, parameters) := {"0/data": {
	"provisioner": "pd.csi.storage.gke.io",
	"size_bytes": gib * 1073741824,
	"parameters": parameters,
}}

disk(gib, parameters) := d if {
	d := gcp.disks["0/data"] with data.walguard.model.claims.claims as claim(gib, parameters)
}

texts(gib, parameters) := [d.throughput_text, d.iops] if d := disk(gib, parameters)

test_pd_standard_is_the_default if {
	texts(500, {}) == ["60 MiB/s", 750]
	disk(500, {}).slow == "a hard disk with 1.5 write IOPS per GiB"
	disk(500, {}).alternative == "pd-balanced (type: pd-balanced) gives 280 MiB/s and 6000 IOPS"
}

test_pd_balanced if {
	texts(100, {"type": "pd-balanced"}) == ["168 MiB/s", 3600]
	texts(5000, {"type": "pd-balanced"}) == ["1200 MiB/s", 33000]
	disk(100, {"type": "pd-balanced"}).knee_bytes == 3786 * 1073741824
}

test_pd_ssd if {
	texts(100, {"type": "pd-ssd"}) == ["288 MiB/s", 9000]
	texts(2000, {"type": "pd-ssd"}) == ["1200 MiB/s", 66000]
}

test_pd_extreme_has_no_formula if {
	d := disk(1000, {"type": "pd-extreme", "provisioned-iops-on-create": "20000"})
	d.iops == 20000
	not d.throughput_bytes_per_second
}

test_above_the_maximum if {
	disk(1000, {"type": "pd-extreme", "provisioned-iops-on-create": "130000"}).drifts == ["provisioned-iops-on-create: 130000 is more than 120000, the most that pd-extreme had by 2026-11: provisioning fails unless the limit was raised"]
}

test_hyperdisk if {
	parameters := {"type": "hyperdisk-balanced", "provisioned-throughput-on-create": "250Mi", "provisioned-iops-on-create": "7000"}
	texts(100, parameters) == ["250 MiB/s", 7000]
	disk(100, parameters).rejections == []
	disk(100, parameters).drifts == []
}

test_hyperdisk_attributes_class_wins if {
	texts(100, {"type": "hyperdisk-balanced", "throughput": "290Mi", "iops": "3600", "provisioned-throughput-on-create": "140Mi"}) == ["290 MiB/s", 3600]
}

test_hyperdisk_unprovisioned_is_unknown if not disk(100, {"type": "hyperdisk-balanced"}).throughput_bytes_per_second

test_hyperdisk_ratio if {
	disk(10, {"type": "hyperdisk-balanced", "provisioned-iops-on-create": "6000"}).rejections == ["provisioned-iops-on-create: 6000 is more than 500 for each GiB allow at 10Gi (5000)"]
}

# A small disk has the minimum whatever its size.
test_hyperdisk_small if disk(4, {"type": "hyperdisk-balanced", "provisioned-iops-on-create": "3000"}).rejections == []

test_hyperdisk_minima if {
	disk(2, {"type": "hyperdisk-balanced", "provisioned-iops-on-create": "2000", "provisioned-throughput-on-create": "100Mi"}).rejections == [
		"hyperdisk-balanced starts at 4Gi: grow to 4Gi",
		"provisioned-iops-on-create: 2000 is less than the 3000 that hyperdisk-balanced has at least",
		"provisioned-throughput-on-create: 100Mi is less than the 140 MiB/s that hyperdisk-balanced has at least",
	]
}

test_hyperdisk_extreme if texts(100, {"type": "hyperdisk-extreme", "provisioned-iops-on-create": "10000"}) == ["2500 MiB/s", 10000]

test_hyperdisk_throughput if {
	d := disk(2048, {"type": "hyperdisk-throughput", "provisioned-throughput-on-create": "100Mi"})
	d.throughput_text == "100 MiB/s"
	d.slow == "made for sequential access, with the latency of a hard disk"
	not d.alternative
}

test_unknown_type if not disk(100, {"type": "hyperdisk-ml"})

demanding(gib, parameters, bytes_per_second) := [c.text | some c in d.cures] if {
	d := gcp.disks["0/data"] with data.walguard.model.claims.claims as {"0/data": object.union(
		claim(gib, parameters)["0/data"],
		{"demand": {"bytes_per_second": bytes_per_second, "origin": "cpu"}},
	)}
}

test_cure_pd_balanced if {
	demanding(100, {"type": "pd-balanced"}, 272000000) == ["take pd-ssd (type: pd-ssd) for 288 MiB/s", "take hyperdisk-balanced (provisioned-iops-on-create: 4000, provisioned-throughput-on-create: 500Mi, type: hyperdisk-balanced) for 500 MiB/s", "grow to 440Gi for 263.2 MiB/s"]
}

test_cure_hyperdisk if {
	demanding(100, {"type": "hyperdisk-balanced", "provisioned-throughput-on-create": "140Mi"}, 1048576000) == [
		"set provisioned-iops-on-create: 4000, provisioned-throughput-on-create: 1000Mi for 1000 MiB/s",
		"take hyperdisk-extreme (provisioned-iops-on-create: 4000, type: hyperdisk-extreme) for 1000 MiB/s",
	]
}

test_cure_size_unknown if {
	gcp.disks["0/data"].cures == [] with data.walguard.model.claims.claims as {"0/data": {
		"provisioner": "pd.csi.storage.gke.io",
		"parameters": {"type": "pd-ssd"},
		"demand": {"bytes_per_second": 200000000, "origin": "cpu"},
	}}
}

test_filesystem if {
	f := gcp.filesystems with data.walguard.model.claims.claims as claim(1, {"fstype": "ext4"})
	f == {"0/data": {"name": "ext4", "origin": "StorageClass", "copy_on_write": false}}
}

test_in_tree if {
	d := gcp.disks["0/data"] with data.walguard.model.claims.claims as {"0/data": {"provisioner": "kubernetes.io/gce-pd", "parameters": {}}}
	d.title == "pd-standard"
}
