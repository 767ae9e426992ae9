package walguard.lib.disk_test

import data.walguard.lib.disk

# Profiles whose figures are no round ones, so that each bound and each rounding shows.
by_ratio := {
	"title": "odd", "unit": "MB/s", "scaling": "provisioned", "as_of": "2026", "minimum_gib": 4, "maximum_gib": 100,
	"iops": {"parameter": "iops", "minimum": 2500, "maximum": 90500, "per_gib_maximum": 1500, "driver_caps": false},
	"throughput": {"parameter": "rate", "minimum": 3500, "default": 5000, "maximum": 9500, "per_iops_maximum": 250},
}

capped := object.union(by_ratio, {"iops": {"driver_caps": true}})

test_rounding if {
	every row in [[1, 4, 1], [4, 4, 1], [5, 4, 2], [0, 4, 0]] { disk.up(row[0], row[1]) == row[2] }
	every n, rounded in {1: 1000, 1000: 1000, 1001: 2000, 3400: 3500} { disk.round_requests(n, {"iops": {"maximum": 3500500}}) == rounded }
	every n, rounded in {1: 1, 5: 5, 6: 250, 251: 500, 1050: 1100} { disk.round_rate(n, {"default": 5000, "maximum": 1100500}) == rounded }
	disk.round_rate(1, {"maximum": 400000}) == 250
	every gib, size in {1023: "1023Gi", 1024: "1Ti", 1025: "1025Gi"} { disk.gib_text(gib) == size }
	disk.parameter_value({"suffix": "Mi"}, 1500) == "1Mi"
	disk.bytes_of("MB/s", 1500) == 1500000
}

test_rejections_at_their_bounds if {
	every row in [
		["size", 3, {}, "odd starts at 4Gi: grow to 4Gi"],
		["iops below", 4, {"iops": 2499}, "iops: 2 is less than the 2 that odd has at least"],
		["iops ratio", 10, {"iops": 15500}, "iops: 15 is more than 1 for each GiB allow at 10Gi (15)"],
		["throughput below", 4, {"throughput": 3499}, "rate: 3 is less than the 3.5 MB/s that odd has at least"],
		["throughput ratio", 4, {"throughput": 1001, "iops": 4500}, "rate: 1 needs iops: 5 at least, the disk has 4"],
		["throughput ratio", 4, {"throughput": 1126, "iops": 4500}, "rate: 1 needs iops: 5 at least, the disk has 4"],
	] {
		found := {said | said := disk.rejection(row[0], {}, by_ratio, row[1], row[2])}
		found == {row[3] | not within_ratio(row)}
	}
	every row in [["size", 4, {}], ["size", 0, {}], ["iops below", 4, {"iops": 2500}], ["iops below", 4, {"iops": 1, "raised": true}], ["iops ratio", 10, {"iops": 15000}], ["throughput below", 4, {"throughput": 3500}]] {
		not disk.rejection(row[0], {}, by_ratio, row[1], row[2])
	}
	not disk.rejection("iops ratio", {}, capped, 10, {"iops": 15500})
}

# 4.5 requests bear 1.125 MB/s of 250 for each thousand.
within_ratio(row) if {
	row[0] == "throughput ratio"
	row[2].throughput * 1000 <= row[2].iops * 250
}

test_drifts_at_their_bounds if {
	disk.drift("size", by_ratio, 101, {}) == "101Gi is more than 100Gi, the most that odd had by 2026: provisioning fails unless the limit was raised"
	disk.drift("iops", by_ratio, 1, {"iops": 91500}) == "iops: 91 is more than 90, the most that odd had by 2026: provisioning fails unless the limit was raised"
	disk.drift("iops", capped, 1, {"iops": 91500}) == "iops: 91 is more than 90, the most that odd had by 2026: the driver lowers it unless the limit was raised"
	disk.drift("throughput", by_ratio, 1, {"throughput": 9501}) == "rate: 9 is more than 9.5 MB/s, the most that odd had by 2026: provisioning fails unless the limit was raised"
	disk.drift("capped", capped, 5, {"iops": 8500}) == "iops: 8 is lowered to 7, since odd allows 1 for each GiB"
	every row in [["size", by_ratio, 100, {}], ["iops", by_ratio, 1, {"iops": 90500}], ["throughput", by_ratio, 1, {"throughput": 9500}], ["capped", capped, 5, {"iops": 7500}], ["capped", capped, 5, {"iops": 90501}], ["capped", by_ratio, 5, {"iops": 8500}]] {
		not disk.drift(row[0], row[1], row[2], row[3])
	}
	disk.only_lowered(capped, 5, {"iops": 8500})
	disk.only_lowered(capped, 5, {"iops": 91500})
	not disk.only_lowered(capped, 5, {"iops": 7500})
	not disk.only_lowered(capped, 101, {"iops": 90600})
	not disk.only_lowered(by_ratio, 5, {"iops": 91500})
}

test_bursts if {
	profile := {"unit": "MB/s", "scaling": "tiers", "tiers": [{"up_to_gib": 9, "iops": 1500, "throughput": 2500}], "burst": {"credits": 7, "tiers": [{"up_to_gib": 9, "iops": 4000, "throughput": 5000}]}}
	disk.burst(profile, 9, {}) == {"throughput_bytes_per_second": 5000000, "throughput_text": "5 MB/s", "iops": 4, "seconds": 2}
}

burst_of(iops) := disk.burst({"unit": "MB/s", "tiers": [{"up_to_gib": 9, "iops": 1500, "throughput": 2500}], "burst": {"seconds": 30, "tiers": [{"up_to_gib": 9, "iops": iops, "throughput": 5000}]}}, 9, {})

test_bursts_of_so_many_seconds if {
	burst_of(1501) == {"throughput_bytes_per_second": 5000000, "throughput_text": "5 MB/s", "iops": 1, "seconds": 30}
	not burst_of(1500)
}

test_throughput_that_follows_requests if {
	small := {"maximum": 1000, "small": {"below_iops": 2, "maximum": 400, "above_per_iops": 333000}}
	every n, most in {2000: 400, 2001: 666, 3003: 999, 3004: 1000, 9000: 1000} { disk.following_cap(small, n) == most }
	disk.following_cap({"maximum": 1000, "small": {"below_iops": 2, "maximum": 400}}, 2001) == 1000
	disk.following_cap({"maximum": 1000}, 1) == 1000
	profile := {"scaling": "provisioned", "iops": {"parameter": "iops", "minimum": 0}, "throughput": {"maximum": 100, "per_iops": 15}}
	every n, rate in {1500: 22, 6000: 90, 7000: 100} { disk.rate(profile, 1, {"iops": n}) == rate }
	disk.rate({"scaling": "provisioned", "iops": {"parameter": "iops"}, "throughput": {"default": 7}}, 1, {"iops": 1}) == 7
}

test_slopes if {
	disk.by_size({"maximum": 100, "base": 10, "per_gib": 3}, 5) == 25
	disk.by_size({"maximum": 100, "base": 10, "per_gib": 3}, 40) == 100
	disk.by_size({"maximum": 100, "minimum": 40, "base": 10, "per_gib": 3}, 5) == 40
	disk.by_size({"maximum": 100, "base": 10, "per_tib": 300}, 5) == 11
	disk.bought({"per_provisioned_iops": 15}, {"iops": 1500000}) == 22
	disk.bought({"per_provisioned_iops": 15}, {}) == 0
	every goal, size in {10: 1, 11: 1, 13: 1, 14: 2, 25: 5, 26: 6} { disk.grown({"base": 10, "per_gib": 3}, goal) == size }
	every goal, size in {10: 1, 25: 52, 310: 1024} { disk.grown({"base": 10, "per_tib": 300}, goal) == size }
}

test_requests_that_a_size_allows if {
	every size, most in {1: 10, 2: 10, 4: 12, 0: 99} { disk.allowed({"per_gib_maximum": 3, "default": 8, "minimum": 10, "maximum": 99}, size) == most }
	disk.allowed({"per_gib_maximum": 3, "default": 8, "maximum": 99}, 1) == 8
	disk.allowed({"maximum": 99}, 1) == 99
	every wanted, size in {8: 2, 9: 3} { disk.size_for({"iops": {"per_gib_maximum": 4000, "maximum": 99}}, 2, wanted) == size }
	disk.size_for({"iops": {"per_gib_maximum": 4000, "minimum": 10000, "maximum": 99}}, 0, 10) == 0
	disk.iops({"iops": {"base": 25, "per_gib": 6, "minimum": 40, "maximum": 200}}, 1, {}) == 40
	disk.iops({"iops": {"base": 25, "per_gib": 6, "minimum": 40, "maximum": 200, "additional": true}}, 5, {"iops": 7}) == 62
	disk.iops({"iops": {"base": 25, "per_gib": 6, "maximum": 200}}, 50, {}) == 200
	disk.has_iops({"iops": {"minimum": 7}}, 0, {}) == 7
	disk.has_iops({"iops": {}}, 0, {}) == 0
	disk.iops_for({"throughput": {"per_iops_maximum": 3}}, 10) == 3334
	disk.iops_for({"throughput": {"advised_per_iops": 4}}, 10) == 2500
	disk.iops_for({"throughput": {"per_iops_maximum": 1}}, 10) == 10000
	not disk.iops_for({"throughput": {}}, 10)
}

test_tiers_at_their_bounds if {
	tiers := [{"up_to_gib": 4, "throughput": 10}, {"up_to_gib": 8, "throughput": 20}, {"up_to_gib": 16, "throughput": 20}]
	every size, rate in {1: 10, 4: 10, 5: 20, 16: 20} { disk.rate({"scaling": "tiers", "tiers": tiers}, size, {}) == rate }
	not disk.rate({"scaling": "tiers", "tiers": tiers}, 17, {})
	not disk.rate({"scaling": "tiers", "tiers": tiers}, 0, {})
	disk.knee({"scaling": "tiers", "tiers": tiers}) == 8
	disk.cap({"scaling": "tiers", "tiers": tiers}) == 20
	disk.reach({"scaling": "tiers", "tiers": tiers}, 3, {}, 10) == {"size": 3, "parameters": {}, "rate": 10}
	disk.reach({"scaling": "tiers", "tiers": tiers}, 4, {}, 11) == {"size": 8, "parameters": {}, "rate": 20}
	disk.reach({"scaling": "tiers", "tiers": tiers}, 9, {}, 20) == {"size": 9, "parameters": {}, "rate": 20}
	not disk.reach({"scaling": "tiers", "tiers": tiers}, 9, {}, 21)
	not disk.reach({"scaling": "tiers", "tiers": tiers}, 0, {}, 10)
}

test_reach_by_size if {
	profile := {"scaling": "size", "minimum_gib": 4, "throughput": {"base": 10, "per_gib": 3, "maximum": 100}}
	every row in [[1, 100, 30, 100], [5, 25, 5, 25], [1, 12, 4, 22]] { disk.reach(profile, row[0], {}, row[1]) == {"size": row[2], "parameters": {}, "rate": row[3]} }
	not disk.reach(profile, 1, {}, 101)
	not disk.reach(profile, 0, {}, 12)
	bought := {"scaling": "size", "minimum_gib": 4, "throughput": {"base": 10, "per_gib": 3, "maximum": 100, "per_provisioned_iops": 15}, "iops": {"parameter": "iops", "base": 0, "per_gib": 1000, "maximum": 1000000, "advised_maximum": 2000, "additional_from_gib": 4, "total_per_gib": 501000}}
	disk.reach(bought, 4, {}, 22) == {"size": 4, "parameters": {}, "rate": 22}
	disk.reach(bought, 4, {}, 23) == {"size": 4, "parameters": {"iops": "1000"}, "rate": 37}
	disk.reach(bought, 4, {}, 37) == {"size": 4, "parameters": {"iops": "1000"}, "rate": 37}
	disk.reach(bought, 4, {}, 38) == {"size": 4, "parameters": {"iops": "2000"}, "rate": 52}
	not disk.reach(bought, 4, {}, 53)
	not disk.reach(bought, 0, {}, 23)
	not disk.reach(bought, 3, {}, 1)
	not disk.reach(object.union(bought, {"iops": {"additional_from_gib": 5}}), 4, {}, 23)
	disk.reach(object.union(bought, {"iops": {"total_per_gib": 251000}}), 4, {}, 23).rate == 37
	not disk.reach(object.union(bought, {"iops": {"total_per_gib": 250999}}), 4, {}, 23)
}

test_reach_that_is_bought if {
	disk.reach(by_ratio, 4, {"iops": 2500}, 5000) == {"size": 14, "parameters": {"iops": "20"}, "rate": 5000}
	disk.reach(by_ratio, 40, {"iops": 20000}, 5000) == {"size": 40, "parameters": {}, "rate": 5000}
	disk.reach(by_ratio, 40, {"iops": 19000}, 5001) == {"size": 40, "parameters": {"iops": "36", "rate": "9"}, "rate": 9000}
	disk.reach(by_ratio, 40, {}, 9000).rate == 9000
	not disk.reach(by_ratio, 40, {}, 9001)
	following := {"scaling": "provisioned", "minimum_gib": 4, "iops": {"parameter": "iops", "maximum": 3000500, "per_gib_maximum": 500000}, "throughput": {"maximum": 40000, "per_iops": 15}}
	disk.reach(following, 2, {}, 15000) == {"size": 4, "parameters": {"iops": "1000"}, "rate": 15000}
	disk.reach(following, 2, {}, 15001) == {"size": 4, "parameters": {"iops": "2000"}, "rate": 30000}
	disk.reach(following, 5, {}, 40000) == {"size": 6, "parameters": {"iops": "3000"}, "rate": 40000}
	not disk.reach(following, 5, {}, 40001)
}

test_the_knee_where_it_is_near if {
	profile := {"scaling": "size", "throughput": {"base": 10, "per_gib": 3, "maximum": 100}}
	disk.near_knee(profile, {"floor": true, "rate": 100})
	disk.near_knee(profile, {"floor": true, "rate": 53})
	not disk.near_knee(profile, {"floor": true, "rate": 52})
	not disk.near_knee(profile, {"floor": true, "rate": 101})
	not disk.near_knee(profile, {"floor": false, "rate": 100})
	not disk.near_knee(object.union(profile, {"throughput": {"per_provisioned_iops": 1}}), {"floor": true, "rate": 100})
}

test_texts_of_cures if {
	disk.own_text({"unit": "MB/s"}, 4, {"size": 5, "parameters": {}, "rate": 1500}) == "grow to 5Gi for 1.5 MB/s"
	not disk.own_text({"unit": "MB/s"}, 5, {"size": 5, "parameters": {}, "rate": 1500})
	not disk.own_text({"unit": "MB/s"}, 0, {"size": 5, "parameters": {}, "rate": 1500})
	disk.own_text({"unit": "MB/s"}, 5, {"size": 5, "parameters": {"a": "1"}, "rate": 1500}) == "set a: 1 for 1.5 MB/s"
	disk.own_text({"unit": "MB/s"}, 1, {"size": 5, "parameters": {"a": "1"}, "rate": 1500}) == "set a: 1 at 5Gi for 1.5 MB/s"
	disk.far_larger({"size_bytes": 9 * 1073741824}, 4)
	not disk.far_larger({"size_bytes": 8 * 1073741824}, 4)
	disk.demand_text({"demand": {"origin": "cpu", "bytes_per_second": 2474000, "cores_thousandths": 1500}, "shared": true}) == "2.5 MB/s (1.6 per core)"
	disk.demand_text({"demand": {"origin": "cpu", "bytes_per_second": 2500000, "cores_thousandths": 1500}}) == "5 MB/s (3.3 per core, half of it on this volume)"
	not disk.worst({}, [], 1, {})
	disk.worst({"a": {"scaling": "tiers", "tiers": [{"up_to_gib": 9, "throughput": 2}]}, "b": {"scaling": "tiers", "tiers": [{"up_to_gib": 9, "throughput": 1}]}}, ["a", "b"], 1, {}) == "b"
	disk.worst({"a": {"minimum_gib": 3}, "b": {"minimum_gib": 2}}, ["a", "b"], 1, {}) == "b"
	disk.plain("v", "t", {}) == {"vendor": "v", "title": "t", "network": false, "local": false, "expandable": false, "rejections": [], "drifts": [], "cures": []}
}
