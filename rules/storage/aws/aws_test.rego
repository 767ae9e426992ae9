package walguard.storage.aws_test

import data.walguard.storage.aws

claim(gib, parameters) := {"0/data": {
	"provisioner": "ebs.csi.aws.com",
	"size_bytes": gib * 1073741824,
	"parameters": parameters,
}}

disk(gib, parameters) := d if {
	d := aws.disks["0/data"] with data.walguard.model.claims.claims as claim(gib, parameters)
}

unsized(parameters) := d if {
	d := aws.disks["0/data"] with data.walguard.model.claims.claims as {"0/data": {
		"provisioner": "ebs.csi.aws.com",
		"parameters": parameters,
	}}
}

texts(gib, parameters) := [d.throughput_text, d.iops] if d := disk(gib, parameters)

test_gp3_at_any_size if {
	every gib in [1, 100, 2000, 16384] {
		texts(gib, {"type": "gp3"}) == ["125 MiB/s", 3000]
	}
}

test_gp3_is_the_default if {
	d := unsized({})
	[d.title, d.throughput_text, d.throughput_bytes_per_second, d.throughput_written] == ["EBS gp3", "125 MiB/s", 131072000, false]
}

test_gp3_provisioned if {
	d := disk(100, {"type": "GP3", "throughput": "500", "iops": "6000"})
	[d.throughput_text, d.iops, d.throughput_written, d.rejections, d.drifts] == ["500 MiB/s", 6000, true, [], []]
}

test_gp3_ratio if {
	disk(100, {"throughput": "1000"}).rejections == ["throughput: 1000 needs iops: 4000 at least, the disk has 3000"]
}

test_gp3_below_minimum if {
	disk(100, {"throughput": "100", "iops": "1000"}).rejections == [
		"iops: 1000 is less than the 3000 that EBS gp3 has at least",
		"throughput: 100 is less than the 125 MiB/s that EBS gp3 has at least",
	]
}

test_gp3_driver_raises if {
	disk(100, {"iopspergb": "10", "allowautoiopspergbincrease": "true"}).rejections == []
}

test_gp3_per_gib if disk(1000, {"iopspergb": "10"}).iops == 10000

test_gp3_per_gib_without_size if unsized({"iopspergb": "10"}).iops == 3000

test_gp3_lowered_by_the_driver if {
	d := disk(20, {"iops": "16000"})
	d.iops == 10000
	d.rejections == []
	d.drifts == ["iops: 16000 is lowered to 10000, since EBS gp3 allows 500 for each GiB"]
}

test_gp3_above_the_maximum if {
	disk(4096, {"iops": "90000", "throughput": "2500"}).drifts == [
		"iops: 90000 is more than 80000, the most that EBS gp3 had by 2026-11: the driver lowers it unless the limit was raised",
		"throughput: 2500 is more than 2000 MiB/s, the most that EBS gp3 had by 2026-11: provisioning fails unless the limit was raised",
	]
}

# 3 IOPS a GiB of 256 KiB each, from 25 MiB/s up to 250 MiB/s.
test_gp2 if {
	texts(20, {"type": "gp2"}) == ["25 MiB/s", 100]
	texts(100, {"type": "gp2"}) == ["75 MiB/s", 300]
	texts(170, {"type": "gp2"}) == ["127.5 MiB/s", 510]
	texts(334, {"type": "gp2"}) == ["250 MiB/s", 1002]
	texts(6000, {"type": "gp2"}) == ["250 MiB/s", 16000]
	disk(100, {"type": "gp2"}).knee_bytes == 334 * 1073741824
}

test_gp2_burst if {
	disk(100, {"type": "gp2"}).burst == {"throughput_bytes_per_second": 134217728, "throughput_text": "128 MiB/s", "iops": 3000, "seconds": 2000}
	disk(300, {"type": "gp2"}).burst.throughput_text == "250 MiB/s"
	not disk(1000, {"type": "gp2"}).burst
	not disk(100, {}).burst
}

test_io1 if {
	texts(100, {"type": "io1", "iops": "1000"}) == ["250 MiB/s", 1000]
	texts(1000, {"type": "io1", "iops": "20000"}) == ["500 MiB/s", 20000]
	texts(2000, {"type": "io1", "iops": "48000"}) == ["750 MiB/s", 48000]
	texts(2000, {"type": "io1", "iops": "64000"}) == ["1000 MiB/s", 64000]
	texts(100, {"type": "io1", "iops": "20000"}) == ["500 MiB/s", 5000]
}

test_io2 if {
	texts(500, {"type": "io2", "iopspergb": "10"}) == ["1250 MiB/s", 5000]
	texts(1000, {"type": "io2", "iops": "256000"}) == ["4000 MiB/s", 256000]
}

test_io2_without_iops if {
	d := disk(500, {"type": "io2"})
	d.rejections == ["EBS io2 needs iops or iopsPerGB"]
	not d.throughput_bytes_per_second
}

test_hard_disks if {
	texts(1024, {"type": "st1"}) == ["40 MiB/s", 500]
	texts(16384, {"type": "st1"}) == ["500 MiB/s", 500]
	texts(2048, {"type": "sc1"}) == ["24 MiB/s", 250]
	disk(1024, {"type": "st1"}).slow == "a hard disk with at most 500 IOPS, made for long sequential reads"
	disk(1024, {"type": "st1"}).alternative == "EBS gp3 (type: gp3) gives 125 MiB/s and 3000 IOPS"
	disk(1024, {"type": "st1"}).knee_bytes == 12800 * 1073741824
	disk(100, {"type": "st1"}).rejections == ["EBS st1 starts at 125Gi: grow to 125Gi"]
}

test_iops_without_a_parameter_for_them if disk(1024, {"type": "st1", "iops": "3000"}).iops == 500

test_iops_without_size if {
	unsized({"iops": "6000"}).iops == 6000
	unsized({"iops": "6000", "throughput": "1000"}).rejections == []
}

test_magnetic if {
	d := disk(100, {"type": "standard"})
	d.iops == 100
	d.cures == []
	not d.throughput_bytes_per_second
	not d.cap_bytes_per_second
	not d.knee_bytes
}

test_unknown_type if not disk(100, {"type": "gp9"})

# What an in-tree class without a type gets depends on the version of Kubernetes.
test_in_tree if {
	of := aws.disks with data.walguard.model.claims.claims as {
		"0/data": {"provisioner": "kubernetes.io/aws-ebs", "parameters": {}},
		"1/data": {"provisioner": "kubernetes.io/aws-ebs", "parameters": {"type": "gp2"}, "size_bytes": 107374182400},
		"2/data": {"provisioner": "kubernetes.io/aws-ebs", "parameters": {"type": "io1", "iopspergb": "10"}, "size_bytes": 5368709120},
	}
	[id | some id, _ in of] == ["1/data", "2/data"]
	of["1/data"].throughput_text == "75 MiB/s"
	of["2/data"].rejections == []
}

demanding(gib, parameters, bytes_per_second) := d.cures if {
	d := aws.disks["0/data"] with data.walguard.model.claims.claims as {"0/data": {
		"provisioner": "ebs.csi.aws.com",
		"size_bytes": gib * 1073741824,
		"parameters": parameters,
		"demand": {"bytes_per_second": bytes_per_second, "origin": "cpu"},
	}}
}

test_cure_throughput if {
	demanding(500, {}, 272000000)[0] == {"bytes_per_second": 524288000, "parameters": {"throughput": "500"}, "text": "set throughput: 500 for 500 MiB/s"}
}

test_cure_throughput_and_iops if {
	demanding(500, {}, 1000000000)[0] == {"bytes_per_second": 1048576000, "parameters": {"iops": "4000", "throughput": "1000"}, "text": "set iops: 4000, throughput: 1000 for 1000 MiB/s"}
}

# 8,000 IOPS need 16 GiB.
test_cure_grows_for_the_ratio if {
	demanding(10, {}, 2000000000)[0] == {"bytes_per_second": 2097152000, "parameters": {"iops": "8000", "throughput": "2000"}, "size_bytes": 17179869184, "text": "set iops: 8000, throughput: 2000 at 16Gi for 2000 MiB/s"}
}

test_cure_other_type if {
	demanding(500, {}, 3000000000) == [{"bytes_per_second": 3145728000, "parameters": {"iops": "12000"}, "text": "take EBS io2 (iops: 12000, type: io2) for 3000 MiB/s"}]
}

test_cure_gp2 if {
	[c.text | some c in demanding(100, {"type": "gp2"}, 200000000)] == ["take EBS gp3 (throughput: 250, type: gp3) for 250 MiB/s", "grow to 340Gi for 250 MiB/s"]
}

test_cure_more_iops if {
	demanding(500, {"type": "io2", "iops": "1000"}, 524288000)[0].text == "set iops: 2000 for 500 MiB/s"
}

test_cure_io1_between_its_caps if {
	[c.text | some c in demanding(2000, {"type": "io1", "iops": "1000"}, 600000000)] == ["take EBS io2 (iops: 3000, type: io2) for 750 MiB/s"]
}

test_cure_size_unknown if {
	d := aws.disks["0/data"] with data.walguard.model.claims.claims as {"0/data": {
		"provisioner": "ebs.csi.aws.com",
		"parameters": {},
		"demand": {"bytes_per_second": 200000000, "origin": "cpu"},
	}}
	d.cures[0].text == "set throughput: 250 for 250 MiB/s"
}

test_filesystem if {
	f := aws.filesystems with data.walguard.model.claims.claims as claim(1, {"csi.storage.k8s.io/fstype": "xfs"})
	f == {"0/data": {"name": "xfs", "origin": "StorageClass", "copy_on_write": false}}
}
