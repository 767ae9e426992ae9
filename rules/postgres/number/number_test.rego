package walguard.postgres.number_test

import data.walguard.postgres.number

# [text, unit, whole number]; each as a real server reads it (tests/postgres).
integers := [
	["16", "", 16], ["-1", "kB", -1], ["+5", "", 5], ["0", "MB", 0], ["00", "", 0], ["007", "", 7], ["010", "", 8], ["0x1F", "", 31], ["-0x10", "", -16],
	["0x1B", "kB", 27], ["010kB", "kB", 8], ["0x10MB", "kB", 16384], [" 5 ", "", 5], ["\u000b5\u000c", "", 5],
	["1e3", "", 1000], ["1e0", "", 1], ["1E+2", "", 100], ["1e-1", "", 0], ["0e3", "", 0], ["1.", "", 1], [".5", "", 0], ["1.5", "", 2], ["2.5", "", 2], ["-2.5", "", -2], ["2.51", "", 3],
	["010.5", "", 10], ["64 MB", "kB", 65536], ["30.1GB", "kB", 31561728], [".5GB", "kB", 524288], ["1.9kB", "kB", 2], ["8191B", "8kB", 1], ["4096B", "8kB", 0],
	["12kB", "8kB", 2], ["1.5B", "B", 2], ["1023.7B", "kB", 1], ["0.0000001TB", "kB", 0], ["90s", "min", 2], ["150s", "min", 2], ["1500us", "ms", 2], ["2500us", "ms", 2], ["1.5d", "s", 129600],
	["0.30000000000000004", "", 0], ["0.00000000000000000000000000001", "", 0], ["1234567890123456.7", "", 1234567890123456], ["1e15", "", 1000000000000000],
	["100000000000000B", "MB", 95367432],
]

nothing := ["", " ", "abc", "5 5", "5kBkB", "- 5", "--5", "+.5", "-.5", " .5", ".", "e5", "1e", "08", "019", "08.5", "0x", "0x1G", "1_000", "1,5", "nan", "inf", "1e400", "1e1000", "1e-400", "5b", "5Kb", "5min", "5\u00a0", "5 MB x"]

test_integer if {
	wrong := [[text, unit, value] |
		some [text, unit, expected] in integers
		value := number.integer(text, unit)
		value != expected
	]
	wrong == []
	count([value | some [text, unit, _] in integers; value := number.integer(text, unit)]) == count(integers)
	[text | some text in nothing; number.integer(text, "kB") >= 0] == []
}

# Too large for an int, by whatever road.
test_too_large if {
	texts := ["3TB", "99999999999999999999", "0xFFFFFFFFFFFFFFFFFF", "077777777777777777", "1e300", "1e300TB", "4096.5TB", "1000000000000000000000kB", "-3TB"]
	[text | some text in texts; number.fits_int(number.integer(text, "kB"))] == []
	count([text | some text in texts; is_number(number.integer(text, "kB"))]) == count(texts)
}

reals := [
	["1.1", "", 1.1], ["0", "", 0], ["-0.5", "", -0.5], [" 010 ", "", 10], ["1e3", "", 1000], ["1e0", "", 1], ["1.5e-1", "", 0.15], ["0x10", "", 16], [".5", "", 0.5],
	["100us", "ms", 0.1], ["2", "ms", 2], ["1.5s", "ms", 1500], ["0x2s", "ms", 2000],
]

test_real if {
	wrong := [[text, unit, value] |
		some [text, unit, expected] in reals
		value := number.real(text, unit)
		value != expected
	]
	wrong == []
	count([value | some [text, unit, _] in reals; value := number.real(text, unit)]) == count(reals)
	number.real("1e300", "") > 1000000000000000000
	[text | some text in ["", "nan", "inf", "1e400", "1..2", "0x", "5min"]; number.real(text, "") >= 0] == []
}

test_kind if {
	number.kind("8kB") == "memory"
	number.kind("min") == "time"
	not number.kind("")
}

test_bounds_of_an_int if {
	every n in [2147483647, -2147483648, 0] { number.fits_int(n) }
	every n in [2147483648, -2147483649] { not number.fits_int(n) }
	number.converted(2147483649, 0, "kB", "kB") == 2147483649
	number.converted(2147483650, 0, "kB", "kB") == number.huge
	number.based("77777777777", 3) == 8589934591
	number.based("0077777777777", 3) == 8589934591
	number.based("777777777777", 3) == number.huge
	number.based("10f", 4) == 271
}

# [digits, decimals]: at both sides of what is kept of them.
test_digits_that_are_kept if {
	every row in [
		["", 3, [0, 0]], ["1", 0, [1, 0]], ["1", -2, [100, 0]], ["123456789012345678", 0, [123456789012345678, 0]], ["12345678901234567", -1, [123456789012345670, 0]], ["1234567890123456789", 0, [number.huge, 0]],
		["12345678901234567", -2, [number.huge, 0]], ["1", -307, [number.huge, 0]], ["1234567890123456", 1, [123456789012345, 0]], ["12345678901234567", 1, [1234567890123456, 0]], ["1234567890123456789", 1, [123456789012345678, 0]],
		["12345678901234567890", 1, [number.huge, 0]], ["1", 18, [1, 18]], ["1", 19, [0, 0]], ["1234567890123456", 19, [123456789012345, 18]], ["1234567890123456", 20, [0, 0]], ["1234567890123456", 3, [123456789012345, 2]],
		["1", 307, [0, 0]],
	] {
		number.scaled_down(row[0], row[1]) == row[2]
	}
	not number.scaled_down("1", -308)
	not number.scaled_down("1", 308)
	every exponent, shift in {"": 0, "e0": 0, "e3": 3, "e+12": 12, "E-007": -7, "e999": 999, "e1000": 1000, "e-12345": -1000} { number.shift(exponent) == shift }
}
