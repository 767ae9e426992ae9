package walguard.lib.budget.wal_test

import data.walguard.lib.budget.wal
import data.walguard.model

gibibyte := 1073741824

test_what_it_reaches if {
	every row in [[1900, 0, 900, 1900], [1900, 1, 900, 1900], [1900, 900, 900, 1900], [1900, 901, 900, 1901], [1900, 5000, 900, 6000], [1000, 1000, 0, 2000], [1899, 901, 900, 1900]] {
		wal.reach_at(row[0], row[1], row[2]) == row[3]
	}
	every row in [[1900, 900, 1000], [1901, 900, 1000], [1000, 0, 1000], [1000, 1000, 500]] { wal.distance_at(row[0], row[1]) == row[2] }
	every target, thousandths in {0.9: 900, 0.5: 500, 0: 0} { wal.target_thousandths == thousandths with wal.target as {"value": target} }
	wal.target_thousandths == 900 with wal.target as {}
}

test_shares_of_volumes if {
	every size, spare in {100: 30, 101: 30, 104: 31} { wal.allowance({"size_bytes": size}) == spare with wal.advised_percent as 30 }
	wal.spare == 30 with model.wal_volumes as {"a": {"size_bytes": 200}, "b": {"size_bytes": 100}} with wal.advised_percent as 30
	not wal.spare with model.wal_volumes as {"a": {}} with wal.advised_percent as 30
	wal.affordable(30) with wal.spare as 30
	not wal.affordable(31) with wal.spare as 30
	wal.affordable(31) with model.wal_volumes as {}
	wal.tightest == ["b", {"size_bytes": 100}] with model.wal_volumes as {"a": {"size_bytes": 200}, "b": {"size_bytes": 100}} with wal.advised_percent as 30
}

test_least if {
	every row in [[[], 0, gibibyte], [[2 * gibibyte], 0, 2 * gibibyte], [[], (3 * gibibyte) + 1, (3 * gibibyte) + 1]] {
		wal.least_limit == row[2] with wal.load_limits as row[0] with wal.smallest as row[1]
	}
	wal.smallest == 101 with model.bytes as 100 with model.segment_bytes as 50
	wal.smallest == 102 with model.bytes as 100 with model.segment_bytes as 51
	every rate, limit in {1: gibibyte + 1, 17895697: gibibyte + 1, 17895698: 1073741880} {
		wal.load_limits == [limit] with model.wal_volumes as {"a": {"shared": true, "demand": {"origin": "stated", "bytes_per_second": rate}}} with wal.fill_seconds as 60
	}
	wal.load_limits == [] with model.wal_volumes as {"a": {"shared": true, "demand": {"origin": "cpu", "bytes_per_second": 99}}} with wal.fill_seconds as 60
}

test_slots_that_nothing_bounds if {
	every row in [[{"value": -1, "origin": "default"}, true, true], [{"value": -1, "origin": "written"}, true, false], [{"value": 0, "origin": "default"}, true, false], [{"value": -1, "origin": "default"}, false, false]] {
		count([1 | wal.unbounded]) == count([1 | row[2]]) with wal.slots as row[0] with wal.held as row[1]
	}
	every row in [[true, 2, true], [true, 1, false], [false, 2, false]] {
		count([1 | wal.standbys]) == count([1 | row[2]]) with model.cluster as {"slots": {"value": row[0]}, "instances": {"value": row[1]}}
	}
	wal.slots_want(gibibyte) == 0 with wal.unbounded as true
	wal.slots_want(gibibyte + 1) > gibibyte with wal.unbounded as true
	wal.slots_want(gibibyte + 1) == 0 with wal.unbounded as false
	every size, roomy in {9: false, 10: true, 11: true} {
		count([1 | wal.roomy(1)]) == count([1 | roomy]) with wal.slots_want as 10 with model.wal_volumes as {"a": {"size_bytes": size}}
	}
}

test_slots_within if {
	wal.slots_within(3 * gibibyte) == gibibyte with wal.limit as {"bytes": 2 * gibibyte} with wal.distance as 2 * gibibyte
	not wal.slots_within((3 * gibibyte) - 1) with wal.limit as {"bytes": 2 * gibibyte} with wal.distance as 2 * gibibyte
	wal.slots_within(3 * gibibyte) with wal.limit as {"bytes": 3 * gibibyte} with wal.distance as gibibyte
	not wal.slots_within(3 * gibibyte) with wal.limit as {"bytes": (3 * gibibyte) + 1} with wal.distance as gibibyte
}

test_raised if {
	wal.raised(1) == 2 * gibibyte with wal.limit as {"bytes": gibibyte} with wal.fits as true with wal.least_limit as 2 * gibibyte
	not wal.raised(1) with wal.limit as {"bytes": 2 * gibibyte} with wal.fits as true with wal.least_limit as 2 * gibibyte
	not wal.raised(1) with wal.limit as {"bytes": gibibyte} with wal.fits as false with wal.least_limit as 2 * gibibyte
}
