package walguard.lib.disk_profiles_test

import data.walguard.lib.disk

# A table of a vendor that there is not, in figures that can be reckoned in one's head: a profile of each kind.
profiles := {
	"grow": {
		"title": "Grow", "unit": "MB/s", "scaling": "size", "select": {"type": "grow"}, "minimum_gib": 10, "maximum_gib": 1000, "as_of": "2026-01", "confidence": "high", "sources": [],
		"throughput": {"base": 10000, "per_gib": 500, "maximum": 110000},
		"iops": {"base": 1000000, "per_gib": 10000, "maximum": 3000000},
		"next": ["steps", "wish"], "below": "tib",
	},
	"tib": {
		"title": "Tib", "unit": "MiB/s", "scaling": "size", "select": {"type": "tib"}, "as_of": "2026-01", "confidence": "high", "sources": [], "slow": "it is slow",
		"throughput": {"base": 5000, "per_tib": 102400, "minimum": 6000, "maximum": 200000},
		"iops": {"base": 0, "per_gib": 10000, "minimum": 100000, "maximum": 1000000},
		"next": ["grow"],
	},
	"steps": {
		"title": "Steps", "unit": "MB/s", "scaling": "tiers", "select": {"type": "steps"}, "maximum_gib": 256, "as_of": "2026-01", "confidence": "high", "sources": [],
		"tiers": [
			{"up_to_gib": 32, "iops": 120000, "throughput": 25000},
			{"up_to_gib": 128, "iops": 500000, "throughput": 100000},
			{"up_to_gib": 256, "iops": 4000000, "throughput": 100000},
		],
		"burst": {"seconds": 1800, "tiers": [{"up_to_gib": 32, "iops": 3500000, "throughput": 170000}, {"up_to_gib": 256, "iops": 4000000, "throughput": 170000}]},
		"next": ["wish"],
	},
	"wish": {
		"title": "Wish", "unit": "MB/s", "scaling": "provisioned", "select": {"type": "wish"}, "minimum_gib": 4, "as_of": "2026-01", "confidence": "high", "sources": [],
		"throughput": {"parameter": "throughput", "suffix": "Mi", "default": 125000, "minimum": 125000, "maximum": 1000000, "per_iops_maximum": 250},
		"iops": {"parameter": "iops", "default": 3000000, "minimum": 3000000, "maximum": 16000000, "per_gib_maximum": 500000},
		"next": [],
	},
	"follow": {
		"title": "Follow", "unit": "MB/s", "scaling": "provisioned", "select": {"type": "follow"}, "as_of": "2026-01", "confidence": "high", "sources": [],
		"throughput": {"per_iops": 16, "maximum": 1000000, "small": {"below_iops": 32000, "maximum": 500000, "above_per_iops": 16000}},
		"iops": {"parameter": "iops", "required": "the parameter iops", "minimum": 100000, "maximum": 64000000, "per_gib_maximum": 50000, "driver_caps": true},
		"next": [],
	},
	"more": {
		"title": "More", "unit": "MB/s", "scaling": "size", "select": {"type": "more"}, "minimum_gib": 40, "as_of": "2026-01", "confidence": "high", "sources": [],
		"throughput": {"base": 100000, "per_gib": 250, "maximum": 350000, "per_provisioned_iops": 16000},
		"iops": {"parameter": "iops", "base": 1800000, "per_gib": 50000, "maximum": 50000000, "additional": true, "additional_from_gib": 100, "total_per_gib": 1000000, "advised_maximum": 50000},
		"next": [],
	},
	"end": {
		"title": "End", "unit": "MB/s", "scaling": "tiers", "select": {"type": "end"}, "as_of": "2026-01", "confidence": "high", "sources": [],
		"tiers": [{"up_to_gib": 32, "iops": 100000, "throughput": 25000}, {"up_to_gib": 64, "iops": 100000, "throughput": 50000}],
		"next": ["grow"],
	},
	"busy": {
		"title": "Busy", "unit": "MB/s", "scaling": "tiers", "select": {"type": "busy"}, "as_of": "2026-01", "confidence": "high", "sources": [],
		"tiers": [{"up_to_gib": 20, "iops": 3000000, "throughput": 25000}, {"up_to_gib": 21, "iops": 3001000, "throughput": 25000}, {"up_to_gib": 22, "iops": 11000000, "throughput": 25000}, {"up_to_gib": 23, "iops": 11001000, "throughput": 25000}],
		"next": ["wish"],
	},
}

sized(gib) := {"size_bytes": gib * 1073741824}

of(id, gib, wish) := disk.assess("Vendor", profiles, [id], "", sized(gib), wish)

test_what_a_profile_gives if {
	object.remove(of("grow", 100, {}), ["sources"]) == {
		"vendor": "Vendor", "profile": "grow", "title": "Grow", "unit": "MB/s", "scaling": "size", "confidence": "high", "as_of": "2026-01",
		"network": false, "local": false, "expandable": true, "throughput_written": false, "rejections": [], "drifts": [], "cures": [],
		"throughput_bytes_per_second": 60000000, "throughput_text": "60 MB/s", "iops": 2000, "cap_bytes_per_second": 110000000, "cap_text": "110 MB/s",
		"formula": {"base_bytes_per_second": 10000000, "bytes_per_second_per_gib": 500000, "most_bytes_per_second": 110000000},
		"knee_bytes": 200 * 1073741824, "minimum_bytes": 10 * 1073741824, "maximum_bytes": 1000 * 1073741824,
	}
	[d.knee_bytes | some id in ["tib", "steps", "more"]; d := of(id, 100, {})] == [1950 * 1073741824, 128 * 1073741824, 1000 * 1073741824]
	[d.cap_text | some id in ["tib", "steps", "wish", "follow", "more"]; d := of(id, 100, {})] == ["200 MiB/s", "100 MB/s", "1000 MB/s", "1000 MB/s", "350 MB/s"]
	{id | some id, _ in profiles; of(id, 100, {}).formula} == {"grow"}
	{id | some id, _ in profiles; of(id, 100, {}).throughput_parameter} == {"wish"}
	of("steps", 20, {}).burst == {"throughput_bytes_per_second": 170000000, "throughput_text": "170 MB/s", "iops": 3500, "seconds": 1800}
	not of("steps", 129, {}).burst
	not of("grow", 20, {}).burst
	disk.assess("Vendor", profiles, ["grow"], " (a note)", sized(20), {}).title == "Grow (a note)"
}

# Bytes a second, and requests, on both sides of each bend.
test_rates if {
	every id, rows in {
		"grow": {10: ["15 MB/s", 1100], 199: ["109.5 MB/s", 2990], 200: ["110 MB/s", 3000], 201: ["110 MB/s", 3000]},
		"tib": {1: ["6 MiB/s", 100], 10: ["6 MiB/s", 100], 11: ["6.1 MiB/s", 110], 1950: ["200 MiB/s", 1000], 1951: ["200 MiB/s", 1000]},
		"steps": {1: ["25 MB/s", 120], 32: ["25 MB/s", 120], 33: ["100 MB/s", 500], 128: ["100 MB/s", 500], 129: ["100 MB/s", 4000], 256: ["100 MB/s", 4000]},
		"more": {40: ["110 MB/s", 3800], 964: ["341 MB/s", 50000], 1000: ["350 MB/s", 50000], 1001: ["350 MB/s", 50000]},
		"wish": {4: ["125 MB/s", 3000], 16000: ["125 MB/s", 3000]},
	} {
		every gib, expected in rows {
			d := of(id, gib, {})
			[d.throughput_text, d.iops] == expected
		}
	}
	not of("steps", 257, {}).throughput_text
	not of("follow", 100, {}).throughput_text
	unsized := disk.assess("Vendor", profiles, ["grow"], "", {}, {})
	not unsized.throughput_text
	not unsized.iops
	unsized.rejections == []
	steps := disk.assess("Vendor", profiles, ["steps"], "", {}, {})
	not steps.throughput_text
	not steps.iops
	not steps.burst
	wanted := disk.assess("Vendor", profiles, ["wish"], "", {}, {"iops": 16001000, "throughput": 500000})
	[wanted.rejections, count(wanted.drifts), wanted.iops, wanted.throughput_text] == [[], 1, 16001, "500 MB/s"]
	capped := disk.assess("Vendor", profiles, ["follow"], "", {}, {"iops": 64000000})
	[capped.rejections, capped.drifts, capped.iops] == [[], [], 64000]
}

test_rates_that_are_bought if {
	bought := of("wish", 100, {"throughput": 250000, "iops": 4000000})
	[bought.throughput_text, bought.iops, bought.throughput_written] == ["250 MB/s", 4000, true]
	more := of("more", 100, {"iops": 1000000})
	[more.throughput_text, more.iops] == ["141 MB/s", 7800]
	every iops, text in {31000: "496 MB/s", 31250: "500 MB/s", 32000: "500 MB/s", 32001: "512 MB/s", 62500: "1000 MB/s", 64000: "1000 MB/s"} {
		of("follow", 2000, {"iops": iops * 1000}).throughput_text == text
	}
	of("follow", 100, {"iops": 6000000}).iops == 5000
	of("follow", 1, {"iops": 200000}).iops == 100
}

# What provisioning refuses, and the last value that it takes.
test_rejections if {
	every row in [
		["grow", 9, {}, ["Grow starts at 10Gi: grow to 10Gi, or take Tib, which gives 6 MiB/s at 9Gi"]],
		["grow", 10, {}, []],
		["wish", 3, {}, ["Wish starts at 4Gi: grow to 4Gi"]],
		["wish", 100, {"throughput": 124000}, ["throughput: 124Mi is less than the 125 MB/s that Wish has at least"]],
		["wish", 100, {"throughput": 125000}, []],
		["wish", 100, {"throughput": 750000}, []],
		["wish", 100, {"throughput": 751000}, ["throughput: 751Mi needs iops: 3004 at least, the disk has 3000"]],
		["wish", 100, {"iops": 2999000}, ["iops: 2999 is less than the 3000 that Wish has at least"]],
		["wish", 100, {"iops": 3000000}, []],
		["wish", 100, {"iops": 2999000, "raised": true}, []],
		["wish", 10, {"iops": 5000000}, []],
		["wish", 10, {"iops": 5001000}, ["iops: 5001 is more than 500 for each GiB allow at 10Gi (5000)"]],
		["wish", 5, {"iops": 3000000}, []],
		["follow", 100, {}, ["Follow needs the parameter iops"]],
		["follow", 100, {"iops": 99000}, ["iops: 99 is less than the 100 that Follow has at least"]],
		["follow", 100, {"iops": 100000}, []],
		["follow", 100, {"iops": 6000000}, []],
	] {
		of(row[0], row[1], row[2]).rejections == row[3]
	}
}

# What the table does not know, and the last value that it does.
test_drifts if {
	every row in [
		["grow", 1000, {}, [], false],
		["grow", 1001, {}, ["1001Gi is more than 1000Gi, the most that Grow had by 2026-01: provisioning fails unless the limit was raised"], false],
		["wish", 100, {"iops": 16000000}, [], false],
		["wish", 100, {"iops": 16001000}, ["iops: 16001 is more than 16000, the most that Wish had by 2026-01: provisioning fails unless the limit was raised"], false],
		["wish", 100, {"throughput": 1000000, "iops": 4000000}, [], false],
		["wish", 100, {"throughput": 1001000, "iops": 5000000}, ["throughput: 1001Mi is more than 1000 MB/s, the most that Wish had by 2026-01: provisioning fails unless the limit was raised"], false],
		["wish", 10, {"iops": 5001000}, [], false],
		["follow", 100, {"iops": 5000000}, [], false],
		["follow", 100, {"iops": 5001000}, ["iops: 5001 is lowered to 5000, since Follow allows 50 for each GiB"], true],
		["follow", 100, {"iops": 64001000}, ["iops: 64001 is more than 64000, the most that Follow had by 2026-01: the driver lowers it unless the limit was raised"], true],
		["follow", 100, {"iops": 64000000}, ["iops: 64000 is lowered to 5000, since Follow allows 50 for each GiB"], true],
		["more", 100, {"iops": 60000000}, [], false],
	] {
		d := of(row[0], row[1], row[2])
		d.drifts == row[3]
		object.get(d, "lowered", false) == row[4]
	}
}

# Of several the worst one that the size allows; where none is allowed the one with the smallest minimum.
test_worst if {
	every row in [
		[["grow", "tib"], 9, "tib"], [["grow", "tib"], 10, "tib"], [["grow", "more"], 39, "grow"], [["more", "grow"], 40, "grow"], [["more", "wish"], 40, "more"],
		[["more", "wish"], 140, "wish"], [["more", "wish"], 39, "wish"], [["more", "wish"], 3, "wish"], [["more", "grow"], 9, "grow"], [["grow", "more"], 0, "grow"], [["more", "grow"], 0, "more"], [["follow", "grow"], 20, "follow"],
	] {
		disk.assess("Vendor", profiles, row[0], "", sized(row[1]), {}).profile == row[2]
	}
}

cured(id, gib, wish, megabytes, origin) := [c.text | some c in d.cures] if {
	d := disk.assess("Vendor", profiles, [id], "", object.union(sized(gib), {"demand": {"bytes_per_second": megabytes * 1000000, "origin": origin}}), wish)
}

test_cures if {
	taken := "take Wish (type: wish) for 125 MB/s"
	every row in [
		# Its own size first, unless that is more than doubled.
		["grow", 20, {}, 20, []],
		["grow", 20, {}, 30, ["grow to 40Gi for 30 MB/s", taken]],
		["grow", 20, {}, 31, [taken, "grow to 50Gi for 35 MB/s"]],
		["grow", 20, {}, 110, [taken, "grow to 200Gi for 110 MB/s"]],
		["grow", 20, {}, 111, [taken]],
		["tib", 100, {}, 20, ["grow to 141Gi for 19.1 MiB/s", "take Grow (type: grow) for 60 MB/s"]],
		["tib", 100, {}, 210, []],
		# Another profile at another size only where nothing else helps.
		["end", 20, {}, 50, ["grow to 64Gi for 50 MB/s"]],
		["end", 20, {}, 51, ["take Grow (type: grow) at 90Gi for 55 MB/s"]],
		["end", 33, {}, 50, []],
		["end", 33, {}, 51, ["take Grow (type: grow) at 90Gi for 55 MB/s"]],
		# As many requests as now, as far as the size allows them.
		["busy", 20, {}, 26, [taken]],
		["busy", 21, {}, 26, ["take Wish (iops: 4000, type: wish) for 125 MB/s"]],
		["busy", 22, {}, 26, ["take Wish (iops: 11000, type: wish) for 125 MB/s"]],
		["busy", 23, {}, 26, []],
		# Parameters, with the requests that they need and the size that those need.
		["wish", 100, {}, 125, []],
		["wish", 5, {}, 126, ["set throughput: 250Mi for 250 MB/s"]],
		["wish", 100, {}, 750, ["set throughput: 750Mi for 750 MB/s"]],
		["wish", 100, {}, 751, ["set iops: 4000, throughput: 1000Mi for 1000 MB/s"]],
		["wish", 100, {"iops": 4000000}, 751, ["set throughput: 1000Mi for 1000 MB/s"]],
		["wish", 5, {}, 1000, ["set iops: 4000, throughput: 1000Mi at 8Gi for 1000 MB/s"]],
		["wish", 100, {}, 1001, []],
		["follow", 100, {"iops": 1000000}, 80, ["set iops: 5000 for 80 MB/s"]],
		["follow", 100, {"iops": 1000000}, 81, ["set iops: 6000 at 120Gi for 96 MB/s"]],
		["follow", 1000, {"iops": 1000000}, 500, ["set iops: 32000 for 500 MB/s"]],
		["follow", 1000, {"iops": 1000000}, 1000, ["set iops: 63000 at 1260Gi for 1000 MB/s"]],
		["follow", 1000, {"iops": 1000000}, 1001, []],
		["more", 100, {}, 125, []],
		["more", 100, {}, 126, ["set iops: 1000 for 141 MB/s"]],
		["more", 100, {}, 141, ["set iops: 1000 for 141 MB/s"]],
		["more", 99, {}, 141, []],
		["more", 100, {}, 925, ["set iops: 50000 for 925 MB/s"]],
		["more", 100, {}, 926, []],
		["more", 1000, {}, 800, ["set iops: 29000 for 814 MB/s"]],
	] {
		cured(row[0], row[1], row[2], row[3], "stated") == row[4]
	}
}

# A figure for each core is a floor itself: the knee, where that is at most twice the size.
test_cures_of_a_floor if {
	taken := "take Wish (type: wish) for 125 MB/s"
	cured("grow", 20, {}, 59, "cpu") == [taken, "grow to 100Gi for 60 MB/s"]
	cured("grow", 20, {}, 60, "cpu") == [taken, "grow to 200Gi for 110 MB/s"]
	cured("grow", 20, {}, 111, "cpu") == [taken]
	cured("grow", 20, {}, 60, "stated") == [taken, "grow to 100Gi for 60 MB/s"]
}

test_cure_in_numbers if {
	d := disk.assess("Vendor", profiles, ["wish"], "", object.union(sized(5), {"demand": {"bytes_per_second": 1000000000, "origin": "stated"}}), {})
	d.cures == [{"text": "set iops: 4000, throughput: 1000Mi at 8Gi for 1000 MB/s", "bytes_per_second": 1000000000, "size_bytes": 8 * 1073741824, "parameters": {"iops": "4000", "throughput": "1000Mi"}}]
	disk.advice(d) == "set iops: 4000, throughput: 1000Mi at 8Gi for 1000 MB/s"
	not disk.advice(of("wish", 5, {}))
}

# Of what is slow, or fast on credit, the next profile that answers more.
test_alternatives if {
	[d.alternative | some id in ["tib", "steps", "grow"]; d := of(id, 100, {})] == ["Grow (type: grow) gives 60 MB/s and 2000 IOPS", "Wish (type: wish) gives 125 MB/s and 3000 IOPS"]
	not of("tib", 9, {}).alternative
	not of("steps", 129, {}).alternative
}

test_filesystems if {
	disk.filesystem({"parameters": {"csi.storage.k8s.io/fstype": "XFS", "fstype": "ext4"}}, "ext4") == {"name": "xfs", "origin": "StorageClass", "copy_on_write": false}
	disk.filesystem({"parameters": {"fstype": "xfs"}}, "ext4").name == "xfs"
	disk.filesystem({"parameters": {"fstype": ""}}, "ext4") == {"name": "ext4", "origin": "driver default", "copy_on_write": false}
	not disk.filesystem({"parameters": {}}, "")
	every name, copies in {"bcachefs": true, "btrfs": true, "zfs": true, "xfs": false, "ext4": false} {
		disk.filesystem({"parameters": {}}, name).copy_on_write == copies
	}
	every name, zeroes in {"ext2": true, "ext3": true, "ext4": true, "xfs": false, "zfs": false} {
		[1 | disk.needs_zeroes({"filesystem": {"name": name}})] == [1 | zeroes]
	}
}

test_who_chose if {
	disk.chooser({"class": {"metadata": {"name": "fast"}}, "disk_name": "d", "provisioner": "p"}) == "StorageClass fast"
	disk.chooser({"disk_name": "ali-ssd", "provisioner": "p"}) == "the disk ali-ssd"
	disk.chooser({"persistent": {"metadata": {"name": "v"}}, "provisioner": "p"}) == "PersistentVolume v"
	disk.chooser({"provisioner": "p"}) == "the pod's volume"
	not disk.chooser({"class_name": "fast"})
	disk.place({"path": ["a"], "size_path": ["b"], "own": ["size_path"], "resource": {"name": "x"}}, "size_path") == {"path": ["b"]}
	disk.titled({"0/data": {"role": "tablespace", "tablespace": "hot", "set": "a"}}, "0/data") == "Volume of tablespace hot"
	disk.titled({"0/data": {"role": "data", "set": "a"}, "1/wal": {"role": "wal", "set": "b"}}, "1/wal") == "WAL volume of b"
}

stated := {"bytes_per_second": 50000000, "origin": "stated"}

of_cores := {"bytes_per_second": 40000000, "origin": "cpu", "cores_thousandths": 4000}

test_demand if {
	disk.demand_text({"shared": true, "demand": stated}) == "50 MB/s (walguard.dev/required-throughput)"
	disk.demand_text({"shared": false, "demand": stated}) == "100 MB/s (walguard.dev/required-throughput), half of it on this volume"
	disk.demand_text({"shared": true, "demand": of_cores}) == "40 MB/s (10 per core)"
	disk.demand_text({"shared": false, "demand": of_cores}) == "80 MB/s (20 per core, half of it on this volume)"
	given := {"size_bytes": 1073741824, "disk": {"title": "Grow", "unit": "MB/s", "throughput_text": "30 MB/s", "throughput_bytes_per_second": 30000000, "iops": 5, "as_of": "2026-01", "formula": {"base_bytes_per_second": 7}}}
	disk.gives_per_core(object.union(given, {"demand": of_cores})) == "1Gi of Grow gives 30 MB/s, 7.5 MB/s per core on 4 cores"
	disk.gives_per_core(object.union(given, {"demand": stated})) == "1Gi of Grow gives 30 MB/s"
	one := {"bytes_per_second": 10000000, "origin": "cpu", "cores_thousandths": 1000}
	disk.gives_per_core(object.union(given, {"demand": one})) == "1Gi of Grow gives 30 MB/s"
	disk.per_core(object.union(given, {"demand": one})) == "30 MB/s per core on 1 core"
	disk.per_core(object.union(given, {"demand": object.union(one, {"cores_thousandths": 1500})})) == "20 MB/s per core on 1.5 cores"
	disk.facts(object.union(given, {"demand": of_cores})) == {"size_bytes": 1073741824, "throughput_bytes_per_second": 30000000, "iops": 5, "demand_bytes_per_second": 40000000, "cores_thousandths": 4000, "figures_as_of": "2026-01"}
	n := disk.reckoning(object.union(given, {"shared": false, "demand": stated}))
	[n.volumes, n.size_gib, n.base_bytes_per_second] == [2, 1, 7]
}

test_short if {
	disk.short({"disk": {"throughput_bytes_per_second": 9}, "demand": {"bytes_per_second": 10}})
	not disk.short({"disk": {"throughput_bytes_per_second": 10}, "demand": {"bytes_per_second": 10}})
	not disk.short({"disk": {}, "demand": {"bytes_per_second": 10}})
	not disk.short({"disk": {"throughput_bytes_per_second": 9}})
}

provisioned := {"disk": {"scaling": "provisioned", "throughput_written": false, "throughput_parameter": "throughput", "rejections": [], "throughput_bytes_per_second": 1000000}}

# Four hours are 14400 MB.
test_slow_to_write if {
	hours := {"parameters": {"checks": {"storage/size_does_not_help": {"settings": {"restore_hours": 4}}}}}
	not disk.slow_tenths(provisioned, 14400000000) with input as hours
	not disk.slow_tenths(provisioned, 14759000000) with input as hours
	disk.slow_tenths(provisioned, 14760000000) == 41 with input as hours
	disk.slow_tenths(provisioned, 36000000000) == 100 with input as hours
	every change in [{"scaling": "size"}, {"throughput_written": true}, {"throughput_parameter": false}, {"rejections": ["a"]}] {
		not disk.slow_tenths({"disk": object.union(provisioned.disk, change)}, 36000000000) with input as hours
	}
	not disk.slow_tenths(object.union(provisioned, {"demand": {"bytes_per_second": 2000000}}), 36000000000) with input as hours
}
