package walguard.lib.quantity_test

import data.walguard.lib.quantity

# As resource.MustParse(…).Value() gives them.
bytes_of := {
	"300Gi": 322122547200,
	"1.5Gi": 1610612736,
	"0.5Gi": 536870912,
	"1e3": 1000,
	"1E3": 1000,
	"12E": 12000000000000000000,
	"1e-3": 1,
	"1500e-1": 150,
	"100m": 1,
	"1u": 1,
	"1n": 1,
	"128974848": 128974848,
	"129e6": 129000000,
	"129M": 129000000,
	"123Mi": 128974848,
	"007": 7,
	"0": 0,
	"0.0": 0,
	".5": 1,
	"5.": 5,
	"1.5": 2,
	"-3": -3,
	"-1.5": -1,
	"+3Ki": 3072,
}

test_bytes if {
	wrong := {text: quantity.bytes(text) | some text, bytes in bytes_of; quantity.bytes(text) != bytes}
	wrong == {}
	count([text | some text, _ in bytes_of; quantity.bytes(text)]) == count(bytes_of)
}

test_numbers if {
	quantity.bytes(5) == 5
	quantity.bytes(1.2) == 2
}

test_thousandths if {
	quantity.thousandths("1500m") == 1500
	quantity.thousandths("1.5") == 1500
	quantity.thousandths("16") == 16000
	quantity.thousandths(2) == 2000
	quantity.thousandths("0.1m") == 1
}

test_refused if {
	refused := ["", " ", "x", "Gi", "1 Gi", "1gi", "1GB", "1ki", "1K", "1ee3", "1e", "e3", "1e3Ki", "1.2.3", "--1", "0x10", "1_000", ".", "1e99", "1e2e3", "1e19"]
	count([text | some text in refused; quantity.bytes(text)]) == 0
	count([value | some value in [null, true, [], {}]; quantity.bytes(value)]) == 0
}

test_default_of_a_placeholder if {
	file := {"review": {"object": {"kind": "Cluster"}}}
	quantity.bytes("${SIZE:-2Gi}") == 2147483648 with input as file
	quantity.thousandths("${CPU:-1.5}") == 1500 with input as file
	not quantity.bytes("${SIZE:-large}") with input as file
}

# What a suffix stands for, to the last digit, and the next larger number.
test_suffixes if {
	every suffix, expected in {
		"": 1, "k": 1000, "M": 1000000, "G": 1000000000, "T": 1000000000000, "P": 1000000000000000, "E": 1000000000000000000,
		"Ki": 1024, "Mi": 1048576, "Gi": 1073741824, "Ti": 1099511627776, "Pi": 1125899906842624, "Ei": 1152921504606846976,
	} {
		quantity.bytes(concat("", ["1", suffix])) == expected
		quantity.bytes(concat("", ["1.0", suffix])) == expected
	}
	every text, expected in {"1000m": 1, "1001m": 2, "1000000u": 1, "1000001u": 2, "1000000000n": 1, "1000000001n": 2, "2000000000n": 2} {
		quantity.bytes(text) == expected
	}
}

test_powers_of_ten if {
	powers := [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000]
	every i, power in powers {
		quantity.bytes(sprintf("1e%d", [i])) == power
		quantity.bytes(sprintf("%de-%d", [power, i])) == 1
	}
	quantity.bytes("11e-1") == 2
	quantity.thousandths("15e-1") == 1500
}

# What Kubernetes holds, and the next larger number.
test_largest if {
	quantity.bytes(9223372036854775807) == 9223372036854775807
	quantity.bytes(-9223372036854775807) == -9223372036854775807
	not quantity.bytes(9223372036854775808)
	quantity.bytes("9999999999999999999") == 9999999999999999999
	quantity.bytes("000009999999999999999999") == 9999999999999999999
	not quantity.bytes("10000000000000000000")
	not quantity.bytes("10000000000000000000.5")
}
